// Several arrays from the meshes that they lie on to others, at the same time: trained weights to where they are used.
//
//     std::vector<tessera::MovedArray> list = {{"w1", "d:4", "r:2 on 4:6", "f32[64@d,8]", "f32[64,8@r]"},
//                                              {"w2", "d:4", "r:2 on 4:6", "f32[8@d,64]", "f32[8@r,64]"}};
//     auto plan = tessera::plan_move(list);
//     std::cout << plan->seconds() << " s, " << plan->lower_bound_seconds() << " s at least";
//     // tessera::move_files(config, *plan, "checkpoint", "serving") then moves w1.npy and w2.npy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// An array `name`, of type `from` on `mesh`, that is wanted as `to` on `to_mesh`.
struct MovedArray {
  std::string name;
  std::string mesh;     // `d:4,t:2`
  std::string to_mesh;  // `r:2,t:2 on 8:12`
  std::string from;
  std::string to;
};

// A JSON object a line, with these keys; `file` is what diagnostics call the text. Fails with `move-list`.
TESSERA_API Result<std::vector<MovedArray>> read_move_list(std::string_view text, const std::string& file);

// One plan for all: the sends of all arrays share the links as planned together, and go at the same time.
class TESSERA_API MovePlan {
 public:
  std::size_t arrays() const;
  std::int64_t devices() const;  // of the run
  std::int64_t received_bytes_total() const;
  std::int64_t lower_bound_bytes_total() const;
  std::int64_t peak_bytes() const;  // of a device: of all arrays, before and after
  std::int64_t hops() const;
  std::int64_t stretches() const;
  double seconds() const;
  double lower_bound_seconds() const;
  Plan plan(std::size_t array) const;  // what happens to one of them
  const std::string& name(std::size_t array) const;
  std::string json() const;  // one line

  struct Impl;
  explicit MovePlan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl* impl() const { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

// Fails with `move-list`, and as make_plan does.
TESSERA_API Result<MovePlan> plan_move(const std::vector<MovedArray>& arrays, const Machine& machine = {},
                                       const std::optional<StopToken>& stop = {});

// Called on all ranks of `config.team`, which may have read lists and machines of their own: fails with `ranks-differ`
// where they do not all have the same plan. A rank that has none passes nullptr.
TESSERA_API Status agree_on_move(const Config& config, const MovePlan* plan);

struct MoveReport {
  std::int64_t received_bytes = 0;
  double seconds = 0;  // by Config::clock, of the relay alone, on the rank that takes longest
};

// Every device reads its tile of FROM/NAME.npy and gets that of the target, which is written to TO/NAME.devD.npy, as
// `save_shards` does. FROM may be a .safetensors file, the index of several, or a .npz archive, and TO a .safetensors
// file or a .npz archive, which then holds the arrays of the list, whole, and no others. Called on all ranks of
// `config.team`, which first agree on the plan as agree_on_move does. All files are there at the end, or, whatever
// fails, none of them, and those that were there before are as they were.
TESSERA_API Result<MoveReport> move_files(const Config& config, const MovePlan& plan, const std::string& from,
                                          const std::string& to);

}  // namespace tessera
