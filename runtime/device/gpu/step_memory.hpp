// What steps launched when they were taken last. A step of a loop, whose operands and results lie where they lay,
// launches the same again: nothing of it is worked out anew.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "runtime/device/gpu/launch_queue.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// Which step it is, and where all of its tiles are. Two steps with one key do the same; a step is known by its place in
// the program, so that a key is good only as long as the program surely is.
using StepKey = std::vector<std::uint64_t>;
void write_key(const runtime::LocalStep& step, StepKey& key);
void write_key(const runtime::ChainStep& chain, StepKey& key);
void write_key(const runtime::ListHints& list, StepKey& key);

class StepMemory {
 public:
  // What a step of this key launched; null: it is not known.
  const std::vector<KeptLaunch>* find(const StepKey& key) const;
  void keep(const StepKey& key, std::vector<KeptLaunch> launches);
  void forget() { entries_.clear(); }

 private:
  struct Entry {
    StepKey key;
    std::vector<KeptLaunch> launches;
  };
  std::unordered_map<std::uint64_t, Entry> entries_;  // by the key's hash
};

}  // namespace tessera::device
