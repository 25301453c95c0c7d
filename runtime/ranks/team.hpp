// The ranks that run a program together. Each takes all steps of the same program, over its own devices only. A team of
// one is the simulation: it never waits for anybody.
//
// Ranks that share memory read each other's tiles where they lie. They wait for each other in phases, which all ranks
// go through in the same order: a rank arrives in a phase when the data that others may read from it is there, and has
// finished with it when it has read everything that it wanted. Everything else goes by messages.
//
// When a rank fails at a step it tells the others, and goes to the agreement at the end of the run. The others go on up
// to that step: they have all they need for it, because the failed rank took part until then. So the failure that is
// reported is the one that comes first in the program, on the lowest rank, however the ranks are timed: the
// simulation's.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "runtime/ranks/messenger.hpp"

namespace tessera::runtime {

class Region;

enum class MemorySharing : std::uint8_t { wanted, off };

class Team {
 public:
  // Alone.
  Team() : near_(1, true), nodes_(1, 0) {}
  // Called on all ranks of a messenger: they meet, and share memory where they can.
  static base::Result<std::shared_ptr<Team>> meet(std::unique_ptr<Messenger> messenger, MemorySharing sharing);

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool alone() const { return size() == 1; }
  // Can this rank read the other's memory? A rank's node is the lowest rank whose memory it can read.
  bool is_near(int rank) const { return near_[static_cast<std::size_t>(rank)]; }
  int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  // The lowest rank on the same machine.
  int machine(int rank) const { return machines_[static_cast<std::size_t>(rank)]; }
  // How many lower ranks are on the same machine.
  int place(int rank) const { return places_[static_cast<std::size_t>(rank)]; }
  // The ranks of this one's machine, itself included.
  const std::vector<int>& machine_ranks() const { return machine_ranks_; }
  int machine_count() const { return static_cast<int>(machine_ranks_.size()); }
  // Are there ranks that cannot read each other's memory?
  bool has_far_ranks() const { return *std::max_element(nodes_.begin(), nodes_.end()) > 0; }
  // Does some machine run several ranks that cannot share memory, although they want to?
  bool lacks_sharing() const { return lacks_sharing_; }
  const std::shared_ptr<Region>& region() const { return region_; }
  // The memory at this offset of a rank's slice of the region; nullptr where the rank is not near.
  std::byte* near_memory(int rank, std::int64_t offset) const;

  // ---- Agreements. Called on all ranks.
  using Words = std::array<std::int64_t, 2>;
  // All ranks get everyone's words if all have succeeded. Otherwise all get the first failure, which names its rank
  // where it is not everyone's. Ends a run.
  base::Result<std::vector<Words>> agree(base::Status mine, Words words) {
    return agree(std::move(mine), words, Compare::nothing);
  }
  // The same, where words[0] stands for what is to be done and has to be the same everywhere.
  base::Result<std::vector<Words>> agree_on(base::Status mine, Words words) {
    return agree(std::move(mine), words, Compare::first_words);
  }

  // ---- In a run
  void begin_run(const std::atomic<bool>* stop);
  // Before every step. Fails where another rank has failed at an earlier one.
  base::Status begin_step();
  // Arrives in the next phase, and waits until these ranks have. Then waits until those have finished.
  base::Status arrive(std::span<const int> sources);
  base::Status finish(std::span<const int> readers);
  // Memory for this step's messages. The team keeps it, because a message that nobody waits for any more, after a
  // failure, is still on its way until the agreement.
  std::span<std::byte> room(std::int64_t bytes);
  // Messages of a step, and until they are done: all, or those of a batch and of all before it.
  base::Status begin_messages(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing);
  std::int64_t batch() const { return batch_; }  // that was begun last
  base::Status advance_messages();
  base::Status await_messages(std::int64_t batch);
  base::Status await_messages() { return await_messages(batch_); }
  // Messages that go on while steps are taken, which do not wait for them: memory that lasts until the agreement, begin
  // (which returns their number), and wait.
  std::span<std::byte> lasting_room(std::int64_t bytes);
  base::Result<std::int64_t> begin_beside(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing);
  base::Status await_beside(std::int64_t number);
  base::Status advance_beside();
  // Called by another thread: lets messages go on, where MPI allows it. False: it does not, or messages have failed.
  bool go_on_beside();
  // How long this rank has waited: for other ranks, and for messages that were on their way.
  double waited_seconds() const { return waited_seconds_; }
  // Sends these bytes of `source` to the targets. The other ranks need not call this.
  base::Status send(int source, std::span<const int> targets, std::span<std::byte> bytes);

 private:
  struct Entry;
  enum class Compare : std::uint8_t { nothing, first_words };
  base::Result<std::vector<Words>> agree(base::Status mine, Words words, Compare compare);
  explicit Team(std::unique_ptr<Messenger> messenger);
  // meet.cpp
  void find_machines();
  base::Status share_memory(MemorySharing sharing);
  base::Status find_region();
  void note_nodes(const std::vector<bool>& has_region);
  base::Status share(std::span<const std::byte> mine, std::span<std::byte> all);
  base::Status end_run(const std::vector<Entry>& entries);
  base::Diagnostics first_failure(const std::vector<Entry>& entries, const std::vector<std::byte>& mine);
  template <class Ready>
  base::Status wait(const Ready& ready);
  template <class Ready>
  base::Status wait_near(const Ready& ready);
  template <class F>
  base::Status with_messages(const F& f);
  base::Status interruption();
  base::Status look_for_peers();
  std::int64_t failed_step();
  void raise();

  std::unique_ptr<Messenger> messenger_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<bool> near_;
  std::vector<int> nodes_;
  std::vector<int> places_;      // of every rank, on its machine and in its node's region
  bool sees_processes_ = false;  // of the near ranks
  int near_count_ = 1;
  std::vector<int> machines_;  // of every rank, the lowest rank of its machine
  std::vector<int> machine_ranks_ = {0};
  bool is_crowded_ = false;  // more ranks than processors; to ask the system takes as long as a small sum
  bool lacks_sharing_ = false;
  std::shared_ptr<Region> region_;
  base::Diagnostics broken_;  // why nothing works any more; empty while it does

  std::recursive_mutex messenger_mutex_;  // of whoever calls the messenger
  std::vector<std::unique_ptr<std::byte[]>> rooms_;
  std::vector<std::unique_ptr<std::byte[]>> lasting_rooms_;
  const std::atomic<bool>* stop_ = nullptr;
  bool running_ = false;
  bool stopped_ = false;  // this run, because another rank has failed
  std::int64_t stopped_in_ = kNever;
  std::int64_t step_ = 0;
  std::int64_t phase_ = 0;
  std::int64_t batch_ = 0;
  double waited_seconds_ = 0;
};

}  // namespace tessera::runtime
