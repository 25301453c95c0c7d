#include "runtime/device/gpu/gpu_steps.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <variant>

#include "runtime/device/steps/arg_reductions.hpp"
#include "runtime/device/steps/generators.hpp"
#include "runtime/device/steps/recurrences.hpp"
#include "runtime/device/steps/reductions.hpp"
#include "runtime/device/steps/rows.hpp"
#include "runtime/device/steps/scans.hpp"
#include "runtime/device/steps/sorts.hpp"
#include "runtime/device/write/write.hpp"
#include "synth/program/operation.hpp"

namespace tessera::device {

namespace {

using runtime::LocalStep;

// Operations that have no kernel: they run on copies of the tiles in the host's memory, or, as what only moves
// elements, are copies of the executor's.
template <class Operation>
concept OnHost = std::is_same_v<Operation, synth::Constant> || std::is_same_v<Operation, synth::Load> ||
                 std::is_same_v<Operation, synth::Transpose> || std::is_same_v<Operation, synth::Reshape> ||
                 std::is_same_v<Operation, synth::Lay> || std::is_same_v<Operation, synth::MatrixFunction> ||
                 std::is_same_v<Operation, synth::Fourier> || std::is_same_v<Operation, synth::Assemble> ||
                 std::is_same_v<Operation, synth::Collect> || std::is_same_v<Operation, synth::PrintText> ||
                 std::is_same_v<Operation, synth::Print> || std::is_same_v<Operation, synth::Show> ||
                 std::is_same_v<Operation, synth::Save> || std::is_same_v<Operation, synth::Assert>;

struct Takes {
  const LocalStep& step;
  bool operator()(const synth::Fill& /*operation*/) const { return true; }
  bool operator()(const synth::Iota& /*operation*/) const { return true; }
  bool operator()(const synth::Random& /*operation*/) const { return true; }
  bool operator()(const synth::Normal& /*operation*/) const { return true; }
  bool operator()(const synth::Map& /*operation*/) const { return true; }
  bool operator()(const synth::Contract& operation) const { return can_contract(step, operation); }
  bool operator()(const synth::ArgReduce& operation) const { return can_arg_reduce(step, operation); }
  bool operator()(const synth::Find& operation) const { return can_find(step, operation); }
  bool operator()(const synth::Reduce& operation) const { return can_reduce(step, operation); }
  bool operator()(const synth::Take& operation) const { return can_take(step, operation); }
  bool operator()(const synth::ScatterAdd& operation) const { return can_scatter_add(step, operation); }
  bool operator()(const synth::OneHot& operation) const { return can_one_hot(step, operation); }
  bool operator()(const synth::Search& /*operation*/) const { return true; }
  bool operator()(const synth::Scan& operation) const { return can_scan(step, operation); }
  bool operator()(const synth::Recur& operation) const { return can_recur(step, operation); }
  bool operator()(const synth::Sort& /*operation*/) const { return can_sort(step); }
  bool operator()(const synth::Greatest& /*operation*/) const { return can_sort(step); }
  bool operator()(const synth::Candidates& /*operation*/) const { return can_sort(step); }
  bool operator()(const OnHost auto& /*operation*/) const { return false; }
};

struct Take {
  Launcher& launcher;
  const LocalStep& step;
  const GemmCall& library;
  base::Status operator()(const synth::Fill& operation) const { return generate(launcher, step, operation); }
  base::Status operator()(const synth::Iota& operation) const { return generate(launcher, step, operation); }
  base::Status operator()(const synth::Random& operation) const { return generate(launcher, step, operation); }
  base::Status operator()(const synth::Normal& operation) const { return generate(launcher, step, operation); }
  base::Status operator()(const synth::ArgReduce& operation) const { return arg_reduce(launcher, step, operation); }
  base::Status operator()(const synth::Find& operation) const { return find(launcher, step, operation); }
  base::Status operator()(const synth::Reduce& operation) const { return reduce(launcher, step, operation); }
  base::Status operator()(const synth::Map& operation) const { return run_map(launcher, step, operation); }
  base::Status operator()(const synth::Contract& operation) const {
    return contract(launcher, step, operation, library);
  }
  base::Status operator()(const synth::Take& operation) const { return device::take(launcher, step, operation); }
  base::Status operator()(const synth::ScatterAdd& operation) const { return scatter_add(launcher, step, operation); }
  base::Status operator()(const synth::OneHot& operation) const { return one_hot(launcher, step, operation); }
  base::Status operator()(const synth::Search& operation) const { return search(launcher, step, operation); }
  base::Status operator()(const synth::Scan& operation) const { return scan(launcher, step, operation); }
  base::Status operator()(const synth::Recur& operation) const { return recur(launcher, step, operation); }
  base::Status operator()(const synth::Sort& operation) const { return sort(launcher, step, operation); }
  base::Status operator()(const synth::Greatest& operation) const { return sort(launcher, step, operation); }
  base::Status operator()(const synth::Candidates& operation) const { return sort(launcher, step, operation); }
  base::Status operator()(const OnHost auto& operation) const {
    return base::make(base::Kind::internal, std::string(synth::describe(operation)) + " has no kernel");
  }
};

}  // namespace

namespace {

// Steps of complex numbers are the host's.
bool is_of_complex(const synth::Apply& apply, const runtime::Tiles& tiles) {
  const auto is_complex = [&](synth::RegisterId id) { return synth::is_complex(tiles.type(id).element()); };
  return std::ranges::any_of(apply.operands, is_complex) || std::ranges::any_of(apply.results, is_complex);
}

}  // namespace

bool takes_step(const LocalStep& step) {
  return !is_of_complex(step.apply, step.tiles) && std::visit(Takes{step}, step.apply.operation);
}
base::Status take_step(Launcher& launcher, const LocalStep& step, const GemmCall& library) {
  return std::visit(Take{launcher, step, library}, step.apply.operation);
}

bool takes_chain(const runtime::ChainStep& chain) {
  return std::ranges::none_of(chain.steps, [&](const synth::Step& step) {
    return is_of_complex(std::get<synth::Apply>(step.node), chain.tiles);
  });
}
base::Status take_chain(Launcher& launcher, const runtime::ChainStep& chain) { return run_chain(launcher, chain); }

base::Status fill_tiles(Launcher& launcher, const runtime::ItemList<runtime::TileOut>& tiles,
                        std::span<const std::byte> element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element.data(), element.size());
  std::map<synth::ElementType, std::vector<GeneratedPart>> parts;
  for (std::int64_t i = 0; i < tiles.size(); ++i) {
    const runtime::TileOut out = tiles.at(i);
    parts[out.element].push_back({out, {}, 0, bits});
  }
  for (const auto& [type, of_type] : parts) {
    TESSERA_TRY_STATUS(generate(launcher, Generated::filled, of_type));
  }
  return base::Done{};
}

}  // namespace tessera::device
