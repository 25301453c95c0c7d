// The outputs of a run: values in the arena that it leaves behind, or, where a value is small or only a part of an
// array, copies in an arena of their own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

class Outputs {
 public:
  // `team` is the storage's, for the values to keep; none if it is alone.
  Outputs(const synth::Program& program, const MemoryPlan& plan, const Storage& storage,
          const std::vector<Value>& inputs, std::shared_ptr<Team> team)
      : program_(program), plan_(plan), storage_(storage), inputs_(inputs), team_(std::move(team)) {
    leaves_arena_ = !storage.engine().is_host() && are_small_in_arena();
  }

  // Before the first step: memory for what is copied. After the last: the copies of this rank's tiles.
  base::Status reserve();
  base::Status copy();
  const std::shared_ptr<Arena>& arena() const { return arena_; }
  // Builds the output values. Call it once all ranks have copied; `offsets` gives each rank's place for its copies.
  std::vector<Value> take(const std::vector<std::int64_t>& offsets);

 private:
  // Are the outputs so little of the arena that it is not worth keeping for them? Of the host's the rest is given back.
  bool are_small_in_arena() const;
  // All ranks answer this alike.
  bool is_copied(synth::RegisterId id) const;
  PartMap copies_map() const;
  // The begin of a device's copy of an output in the device's part.
  std::int64_t begin_of_copy(std::size_t output, std::int64_t device) const;
  std::vector<Arena::Range> ranges_of(synth::RegisterId root) const;
  std::shared_ptr<const Arena> input_arena(synth::RegisterId root) const;
  std::shared_ptr<const Arena> leased(synth::RegisterId root);
  Value whole(synth::RegisterId id);
  Value copied(std::size_t output, const Parts& parts) const;

  const synth::Program& program_;
  const MemoryPlan& plan_;
  const Storage& storage_;
  const std::vector<Value>& inputs_;
  std::shared_ptr<Team> team_;
  std::shared_ptr<Arena> arena_;  // of the copies
  bool leaves_arena_ = false;     // everything is copied
  std::map<synth::RegisterId, std::shared_ptr<const Arena>> leases_;
};

}  // namespace tessera::runtime
