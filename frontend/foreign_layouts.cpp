#include "frontend/foreign_layouts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tessera::frontend {

namespace {

constexpr std::string_view kRank = "a program is for all devices, and no value is on one rank alone";
constexpr std::string_view kShard =
    "an axis stands behind the dimension that it splits: `[Shard(0), Replicate()]` on axes x and y is `a as [8@x, 4]`";
constexpr std::string_view kArray = "every array is one: its type says where it lies, as `f32[8@x, 4]` does";
constexpr std::string_view kShow = "write `show a`: it draws who holds what";
constexpr std::string_view kReduce =
    "write `sum(a, dim=0) as [8]` along a split dimension; by hand, `all_reduce(a, x)` of a pending sum";
constexpr std::string_view kScatterSum =
    "write `sum(a, dim=0) as [8@x]` along a split dimension; by hand, `reduce_scatter(a, 0, x)` of a pending sum";
constexpr std::string_view kGather = "write `a as [8]`: without `@` it is whole; by hand, `all_gather(a, 0, x)`";
constexpr std::string_view kAllToAll = "write `a as [8, 4@x]`: of `[8@x, 4]`; by hand, `all_to_all(a, x, 0, 1)`";
constexpr std::string_view kNeighbours =
    "write `roll(a, 1, 0)`, or slices of a: boxes of neighbours move by themselves";
constexpr std::string_view kWaits = "leave it out: steps wait for what they read";
constexpr std::string_view kStarts = "leave it out: `mpirun -np 4 tessera run FILE` starts the ranks";

struct LayoutWord {
  std::string_view word;
  std::string_view help;
};

constexpr LayoutWord kWords[] = {
    {"reshard", kAs},
    {"redistribute", kAs},
    {"distribute_tensor", kAs},
    {"shard", kAs},
    {"with_sharding_constraint", kAs},
    {"PartitionSpec", kAs},
    {"NamedSharding", kAs},
    {"P", kAs},
    {"device_put", kAs},
    {"keep", "write a pending type: `a as [8]{+x}`"},
    {"Shard", kShard},
    {"Replicate", kShard},
    {"Partial", "write a pending type: `f32[8]{+x}` is a sum over x that is not finished"},
    {"DTensor", kArray},
    {"Array", kArray},
    {"Tensor", kArray},
    {"from_local", "write `load(\"a.npy\", f32[8@x, 4])`, or a constructor: each device makes its own part"},
    {"make_array_from_callback",
     "write `load(\"a.npy\", f32[8@x, 4])`, or a constructor: each device makes its own part"},
    {"full_tensor", "write `a as [8, 4]`: without `@` it is whole"},
    {"process_allgather", "write `a as [8, 4]`: without `@` it is whole"},
    {"to_local", kShow},
    {"addressable_shards", kShow},
    {"visualize_array_sharding", kShow},
    {"visualize_sharding", kShow},
    {"sharding", "`:type a` in a session says the layout, `show a` who holds what"},
    {"spec", "`:type a` in a session says the layout, `show a` who holds what"},
    {"placements", "`:type a` in a session says the layout, `show a` who holds what"},
    {"typeof", "`:type a` in a session says the type and with it the layout"},
    {"DeviceMesh", "write `mesh m = [x: 4]`"},
    {"init_device_mesh", "write `mesh m = [x: 4]`"},
    {"Cart_create", "write `mesh m = [x: 4, y: 2]`"},
    {"all_gather_into_tensor", kGather},
    {"all_to_all_single", kAllToAll},
    {"reduce_scatter_tensor", kScatterSum},
    {"psum_scatter", kScatterSum},
    {"Allreduce", kReduce},
    {"Reduce_scatter", kScatterSum},
    {"Allgather", kGather},
    {"Allgatherv", kGather},
    {"Alltoall", kAllToAll},
    {"Alltoallv", kAllToAll},
    {"Alltoallw", kAllToAll},
    {"Scatter", "write `a as [8@x]`: each device keeps its part; by hand, `slice(a, 0, x)`"},
    {"Scatterv", "write `a as [8@x]`: each device keeps its part; by hand, `slice(a, 0, x)`"},
    {"Bcast", kRank},
    {"bcast", kRank},
    {"Reduce", kRank},
    {"Gather", "write `print a`, or `save(a, \"a.npy\")`: no value is on one rank alone"},
    {"Gatherv", "write `print a`, or `save(a, \"a.npy\")`: no value is on one rank alone"},
    {"Send", kNeighbours},
    {"Recv", kNeighbours},
    {"Isend", kNeighbours},
    {"Irecv", kNeighbours},
    {"Sendrecv", kNeighbours},
    {"Scan", "write `cumsum(a, dim=0)`"},
    {"Exscan", "write `cumsum(a, dim=0) - a`"},
    {"Barrier", kWaits},
    {"barrier", kWaits},
    {"Wait", kWaits},
    {"Waitall", kWaits},
    {"Init", kStarts},
    {"init_process_group", kStarts},
    {"Finalize", kStarts},
    {"Comm_rank", kRank},
    {"Comm_size", kRank},
    {"get_rank", kRank},
    {"Get_rank", kRank},
    {"Get_size", kRank}};

// The names of strings from the token at `at` to the closing parenthesis, behind which it leaves `at`.
std::optional<std::vector<std::string>> names_in_parentheses(const Place& p, int& at) {
  std::vector<std::string> names;
  for (;; ++at) {
    const Token token = p.token(at);
    const std::string text = p.text(token);
    if (token.kind == TokenKind::right_paren) return names;
    if (token.kind == TokenKind::comma) continue;
    if (token.kind != TokenKind::string || text.size() < 3) return std::nullopt;
    names.push_back(text.substr(1, text.size() - 2));
  }
}

std::optional<std::string> behind_dimension(const Place& p, int& at) {
  const Token token = p.token(at);
  const std::string text = p.text(token);
  if (text == "None") return "";
  if (token.kind == TokenKind::string && text.size() > 2) return "@" + text.substr(1, text.size() - 2);
  if (token.kind != TokenKind::left_paren) return std::nullopt;
  const auto names = names_in_parentheses(p, ++at);
  return names && !names->empty() ? std::optional(fmt::format("@({})", fmt::join(*names, ","))) : std::nullopt;
}

// `[n@x, m]` of the specification whose name is the token that was found; of another form nothing.
std::optional<std::string> translated(const Place& p) {
  constexpr std::string_view kExtents = "nmkl";
  if (p.token(1).kind != TokenKind::left_paren) return std::nullopt;
  std::vector<std::string> dimensions;
  for (int at = 2; p.token(at).kind != TokenKind::right_paren; ++at) {
    if (p.token(at).kind == TokenKind::comma) continue;
    const auto axes = behind_dimension(p, at);
    if (!axes || dimensions.size() == kExtents.size()) return std::nullopt;
    dimensions.push_back(kExtents[dimensions.size()] + *axes);
  }
  if (dimensions.empty()) return std::nullopt;
  return fmt::format("[{}]", fmt::join(dimensions, ", "));
}

}  // namespace

std::optional<std::string_view> help_for_layout_word(std::string_view name) {
  if (name.starts_with("MPI_")) name.remove_prefix(4);
  const auto* const found = std::ranges::find(kWords, name, &LayoutWord::word);
  return found == std::end(kWords) ? std::nullopt : std::optional(found->help);
}

std::optional<std::string> help_for_layout(const Place& p) {
  const std::string name = p.text();
  const auto help = help_for_layout_word(name);
  if (!help) return std::nullopt;
  const bool is_specification = name == "P" || name == "PartitionSpec";
  const auto here = is_specification ? translated(p) : std::nullopt;
  if (!here) return std::string(*help);
  return fmt::format("write `{}`, with the extents of the array: a layout is part of the type", *here);
}

}  // namespace tessera::frontend
