// Ranks as threads of this process, whose messages pass through its memory: as many, on as many machines, as a test
// wants. Real ranks, with MPI, are in tests/mpi.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/ranks/team.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/program/program.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::runtime::test {

// The machines of a crowd: of every rank, the lowest rank of its machine.
using Machines = std::vector<int>;

// The use that a crowd makes of the memory of its machines. ThreadSanitizer sees nothing of what reaches a thread
// through another mapping of the same memory, and has little room for mappings.
#ifdef __SANITIZE_THREAD__
constexpr MemorySharing kCrowdSharing = MemorySharing::off;
#else
constexpr MemorySharing kCrowdSharing = MemorySharing::wanted;
#endif

// Calls f for every rank, with its team, on a thread of its own. Returns what f found wrong: `rank 3: ...`.
// `sent_bytes`, if given, counts the bytes of all messages of steps. `delays` is a seed: with it ranks pause now and
// then, before they send and before they look for messages.
std::vector<std::string> in_crowd(const Machines& machines, MemorySharing sharing,
                                  const std::function<std::string(const std::shared_ptr<Team>&)>& f,
                                  std::atomic<std::int64_t>* sent_bytes = nullptr, unsigned delays = 0);

// Two to eight ranks on up to four machines, in any order.
Machines any_machines(synth::test::Random& random);

// The differences between the ranks of a crowd and the simulation, in the program's first output.
std::vector<std::string> differences(const Machines& machines, MemorySharing sharing, const synth::Program& program,
                                     unsigned delays);

}  // namespace tessera::runtime::test
