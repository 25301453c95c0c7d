#include "interop/write/atoms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "synth/moves/transfer/reduce_program.hpp"

namespace tessera::interop {

namespace {

using synth::AxisList;
using synth::AxisPart;

void add(const AxisList& axes, AxisList& all) { all.insert(all.end(), axes.begin(), axes.end()); }

void add(const synth::Layout& layout, AxisList& all) {
  for (const AxisList& split : layout.splits()) add(split, all);
  add(layout.pending(), all);
}

// The parts that a step names.
struct OfEffect {
  AxisList& all;
  void operator()(const synth::Slice& step) const { each(step.moves); }
  void operator()(const synth::AllGather& step) const { each(step.moves); }
  void operator()(const synth::AllToAll& step) const { each(step.moves); }
  void operator()(const synth::Permute&) const {}
  void operator()(const synth::Exchange&) const {}
  void operator()(const synth::ReduceScatter& step) const {
    add(step.axes, all);
    add(step.cut, all);
  }
  void operator()(const synth::AllReduce& step) const { add(step.axes, all); }
  void operator()(const synth::Keep& step) const { add(step.axes, all); }
  template <class Moves>
  void each(const Moves& moves) const {
    for (const auto& move : moves) add(move.axes, all);
  }
};

AxisList parts_used(const synth::Plan& plan, bool with_steps) {
  AxisList all;
  add(plan.from.layout(), all);
  add(plan.to.layout(), all);
  if (!with_steps) return all;
  for (const synth::PlanStep& step : plan.steps) {
    if (step.after.mesh() == plan.from.mesh()) add(step.after.layout(), all);
    std::visit(OfEffect{all}, step.collective.effect);
    const synth::ReduceProgram* program = synth::program_of(step.collective);
    if (program == nullptr) continue;
    for (const synth::ReduceStep& one : program->steps) add(one.axes, all);
  }
  return all;
}

std::string free_name(std::string name, const synth::Mesh& mesh) {
  while (mesh.find(name)) name += '_';
  return name;
}

}  // namespace

std::optional<Atoms> Atoms::of(const synth::Plan& plan, bool with_steps) {
  const synth::Mesh& mesh = plan.from.mesh();
  const AxisList used = parts_used(plan, with_steps);
  Atoms result;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const std::int64_t size = mesh.axes()[axis].size;
    std::set<std::int64_t> cuts = {1, size};
    for (const AxisPart& part : used) {
      if (part.axis == axis) cuts.insert({part.before, part.before * part.size});
    }
    if (size == 1) result.atoms_.push_back({mesh.axes()[axis].name, synth::whole_axis(mesh, axis)});
    std::int64_t last = 1;
    for (const std::int64_t cut : cuts) {
      if (cut == 1) continue;
      if (cut % last != 0) return std::nullopt;
      const AxisPart part(static_cast<std::uint8_t>(axis), last, cut / last);
      const std::string& name = mesh.axes()[axis].name;
      const std::string own = part.size == size ? name : free_name(fmt::format("{}_{}", name, last), mesh);
      result.atoms_.push_back({own, part});
      last = cut;
    }
  }
  return result;
}

std::string Atoms::names(const AxisList& axes) const {
  std::string text;
  for (const AxisPart& part : axes) {
    for (const Atom& atom : atoms_) {
      const bool inside = atom.part.axis == part.axis && atom.part.before >= part.before && atom.part.size > 1 &&
                          atom.part.before * atom.part.size <= part.before * part.size;
      if (inside) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", atom.name);
    }
  }
  return text;
}

std::string Atoms::entry(const AxisList& axes) const {
  const std::string text = names(axes);
  if (text.empty()) return "None";
  return text.find(',') == std::string::npos ? text : "(" + text + ")";
}

}  // namespace tessera::interop
