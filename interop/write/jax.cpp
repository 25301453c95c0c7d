// A plan as a Python module for JAX: named collectives where the plan has them, and rounds of `ppermute` for the rest.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "interop/kinds.hpp"
#include "interop/write/atoms.hpp"
#include "interop/write/emit.hpp"
#include "interop/write/jax_text.hpp"
#include "interop/write/phases.hpp"
#include "interop/write/rounds_of_sends.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/transfer/reduce_program.hpp"

namespace tessera::interop {

namespace {

using synth::ArrayType;
using synth::AxisList;
using synth::Box;
using Extents = std::vector<std::int64_t>;

base::Diagnostic not_for_jax(std::string_view what, std::string_view why) {
  return base::make(Kind::emit_unsupported, what, "JAX", why).suggest("--emit mpi-c writes every plan");
}

Extents extents_of(const Box& box) {
  Extents extents;
  for (const auto& side : box) extents.push_back(side.length());
  return extents;
}

// `(4, 2)`, `(4,)`, `()`.
std::string tuple_text(const Extents& items) {
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

std::string_view dtype_of(synth::ElementType element) {
  switch (element) {
    case synth::ElementType::boolean: return "bool";
    case synth::ElementType::i32: return "int32";
    case synth::ElementType::i64: return "int64";
    case synth::ElementType::f32: return "float32";
    case synth::ElementType::f64: return "float64";
    case synth::ElementType::f16: return "float16";
    case synth::ElementType::bf16: return "bfloat16";
    case synth::ElementType::i8: return "int8";
    case synth::ElementType::u8: return "uint8";
    case synth::ElementType::i16: return "int16";
    case synth::ElementType::u16: return "uint16";
    case synth::ElementType::u32: return "uint32";
    case synth::ElementType::c64: return "complex64";
    case synth::ElementType::c128: return "complex128";
  }
  return "";
}

// What may become of steps: lines of Python, or none where they cannot be taken so.
class JaxSteps {
 public:
  JaxSteps(const synth::Plan& plan, const synth::RunMachine& machine, const Atoms& atoms)
      : plan_(plan), machine_(machine), atoms_(atoms) {}

  // All steps; false where one of them leaves tiles of several sizes, or has no layout on the mesh.
  bool take_all() {
    ArrayType before = plan_.from;
    for (const synth::PlanStep& step : plan_.steps) {
      if (!(step.after.mesh() == plan_.from.mesh()) || !synth::has_even_tiles(step.after)) return false;
      if (!take(step.collective, before, step.after)) return false;
      before = step.after;
    }
    return true;
  }

  // One exchange in place of all steps, after what is no longer pending has been added up; false where something else
  // is to become pending.
  bool take_direct() {
    const AxisList& wanted = plan_.to.layout().pending();
    const auto reduced = synth::without(plan_.from.layout().pending(), wanted);
    if (!reduced) return false;
    ArrayType before = plan_.from;
    if (!reduced->empty()) {
      line(fmt::format("t = lax.psum(t, ({},))", atoms_.names(*reduced)));
      const auto layout = synth::Layout::make(before.mesh(), before.layout().splits(), wanted);
      if (!layout.ok()) return false;
      before = *before.with_layout(*layout);
    }
    return move_boxes({synth::Exchange{plan_.to}, synth::Direct{}}, before, plan_.to);
  }

  const std::string& text() const { return text_; }
  bool has_too_many() const { return pieces_ > kEmittedPiecesMax; }

 private:
  void line(const std::string& code) { text_ += "    " + code + "\n"; }

  bool take(const synth::Collective& step, const ArrayType& before, const ArrayType& after) {
    const std::string detail = synth::detail(step, plan_.from.mesh());
    line(fmt::format("# {}{}{}", synth::name(step), detail.empty() ? "" : " ", detail));
    return std::visit([&](const auto& effect) { return take(effect, step, before, after); }, step.effect);
  }

  bool take(const synth::Slice& slice, const synth::Collective&, const ArrayType& before, const ArrayType&) {
    Extents extents = extents_of(synth::tile(before, 0));
    for (const synth::AxesAt& move : slice.moves) {
      std::int64_t& extent = extents[move.dimension];
      extent /= synth::shard_count(move.axes);
      line(fmt::format("t = lax.dynamic_slice_in_dim(t, lax.axis_index(({},)) * {}, {}, {})", atoms_.names(move.axes),
                       extent, extent, move.dimension));
    }
    return true;
  }

  bool take(const synth::AllGather& gather, const synth::Collective&, const ArrayType&, const ArrayType&) {
    for (const synth::AxesAt& move : gather.moves)
      line(fmt::format("t = lax.all_gather(t, ({},), axis={}, tiled=True)", atoms_.names(move.axes), move.dimension));
    return true;
  }

  bool take(const synth::AllToAll& all_to_all, const synth::Collective& step, const ArrayType& before,
            const ArrayType& after) {
    // Axes may only go where the tile that they come to can be cut.
    Extents extents = extents_of(synth::tile(before, 0));
    for (const synth::AxisMove& move : all_to_all.moves) {
      if (extents[move.to] % synth::shard_count(move.axes) != 0) return move_boxes(step, before, after);
      extents[move.to] /= synth::shard_count(move.axes);
      extents[move.from] *= synth::shard_count(move.axes);
    }
    for (const synth::AxisMove& move : all_to_all.moves)
      line(fmt::format("t = lax.all_to_all(t, ({},), split_axis={}, concat_axis={}, tiled=True)",
                       atoms_.names(move.axes), move.to, move.from));
    return true;
  }

  bool take(const synth::Permute&, const synth::Collective& step, const ArrayType& before, const ArrayType& after) {
    return move_boxes(step, before, after);
  }
  bool take(const synth::Exchange&, const synth::Collective& step, const ArrayType& before, const ArrayType& after) {
    return move_boxes(step, before, after);
  }

  bool take(const synth::ReduceScatter& scatter, const synth::Collective& step, const ArrayType& before,
            const ArrayType& after) {
    if (synth::program_of(step) != nullptr) return move_boxes(step, before, after);
    if (!scatter.cut.empty()) cut(scatter, extents_of(synth::tile(before, 0)));
    line(fmt::format("t = lax.psum_scatter(t, ({},), scatter_dimension={}, tiled=True)", atoms_.names(scatter.axes),
                     scatter.to));
    return true;
  }

  // Of each part that a device adds up it wants only its own piece along the axes that have copies of the sum.
  void cut(const synth::ReduceScatter& scatter, const Extents& extents) {
    const std::int64_t parts = synth::shard_count(scatter.axes);
    const std::int64_t pieces = synth::shard_count(scatter.cut);
    Extents apart = extents;
    const auto at = apart.begin() + static_cast<std::ptrdiff_t>(scatter.to);
    const std::int64_t rest = *at / (parts * pieces);
    *at = rest;
    apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(scatter.to), {parts, pieces});
    Extents together = extents;
    together[scatter.to] = parts * rest;
    line(fmt::format(
        "t = lax.dynamic_index_in_dim(t.reshape({}), lax.axis_index(({},)), {}, keepdims=False).reshape({})",
        tuple_text(apart), atoms_.names(scatter.cut), scatter.to + 1, tuple_text(together)));
  }

  bool take(const synth::AllReduce& reduce, const synth::Collective& step, const ArrayType& before,
            const ArrayType& after) {
    const synth::ReduceProgram* program = synth::program_of(step);
    if (program == nullptr) {
      line(fmt::format("t = lax.psum(t, ({},))", atoms_.names(reduce.axes)));
      return true;
    }
    if (!is_symmetric(*program, synth::elements(synth::tile(before, 0)))) return move_boxes(step, before, after);
    const Extents extents = extents_of(synth::tile(before, 0));
    line("t = t.reshape(-1)");
    for (const synth::ReduceStep& one : program->steps) line(collective_of(one));
    line(fmt::format("t = t.reshape({})", tuple_text(extents)));
    return true;
  }

  // Scatters, sums and gathers of all devices, the gathers over the axes of the scatters from the last to the first.
  static bool is_symmetric(const synth::ReduceProgram& program, std::int64_t elements) {
    std::vector<AxisList> scattered;
    for (const synth::ReduceStep& step : program.steps) {
      if (!step.first.empty() || step.form == synth::ReduceForm::units) return false;
      switch (step.kind) {
        case synth::ReduceStepKind::reduce_scatter:
          if (elements % synth::shard_count(step.axes) != 0) return false;
          elements /= synth::shard_count(step.axes);
          scattered.push_back(step.axes);
          break;
        case synth::ReduceStepKind::all_gather:
          if (scattered.empty() || scattered.back() != step.axes) return false;
          scattered.pop_back();
          break;
        case synth::ReduceStepKind::all_reduce: break;
        case synth::ReduceStepKind::reduce:
        case synth::ReduceStepKind::broadcast: return false;
      }
    }
    return scattered.empty();
  }

  std::string collective_of(const synth::ReduceStep& step) const {
    const std::string names = atoms_.names(step.axes);
    if (step.kind == synth::ReduceStepKind::reduce_scatter)
      return fmt::format("t = lax.psum_scatter(t, ({},), scatter_dimension=0, tiled=True)", names);
    if (step.kind == synth::ReduceStepKind::all_gather)
      return fmt::format("t = lax.all_gather(t, ({},), axis=0, tiled=True)", names);
    return fmt::format("t = lax.psum(t, ({},))", names);
  }

  bool take(const synth::Keep& keep, const synth::Collective&, const ArrayType& before, const ArrayType& after) {
    const std::string names = atoms_.names(keep.axes);
    const std::string zero = synth::is_float(plan_.from.element()) ? "-0.0" : "0";
    if (!keep.from) {
      line(fmt::format("t = jnp.where(lax.axis_index(({},)) == 0, t, jnp.full_like(t, {}))", names, zero));
      return true;
    }
    line(fmt::format("t = lax.dynamic_update_slice_in_dim(jnp.full({}, {}, DTYPE), t, lax.axis_index(({},)) * {}, {})",
                     tuple_text(extents_of(synth::tile(after, 0))), zero, names,
                     extents_of(synth::tile(before, 0))[*keep.from], *keep.from));
    return true;
  }

  // The step's own sends, stage by stage.
  bool move_boxes(const synth::Collective& step, const ArrayType& before, const ArrayType& after) {
    const auto phases = phases_of(machine_, step, before, after, plan_.from.mesh().devices_end());
    pieces_ += pieces_in(phases);
    if (has_too_many()) return false;
    for (const Phase& phase : phases) {
      const ArrayType& mesh = plan_.from;
      const auto device = static_cast<std::size_t>(mesh.mesh().device_of_run(0).value);
      line("s = t");
      line(fmt::format("t = jnp.zeros({}, DTYPE)", tuple_text(extents_of(phase.after[device]))));
      for (const Stage& stage : phase.stages) write(phase, stage);
    }
    return true;
  }

  // Messages of one kind: what they are read from, whether they are added, their shape, and whether they stay on their
  // device.
  using Sort = std::tuple<bool, bool, bool, Extents>;  // adds, leaves, of_after, shape

  std::int32_t place_of(std::int32_t device) const {
    const synth::Mesh& mesh = plan_.from.mesh();
    return static_cast<std::int32_t>(mesh.place(*mesh.number_of(synth::DeviceId{static_cast<std::uint32_t>(device)})));
  }

  static Extents offset(const Box& box, const Box& tile) {
    Extents begin;
    for (std::size_t d = 0; d < box.size(); ++d) begin.push_back(box[d].begin - tile[d].begin);
    return begin;
  }

  void write(const Phase& phase, const Stage& stage) {
    std::map<Sort, std::vector<Message>> sorts;
    bool reads_after = false;
    for (const BoxMove& move : stage) {
      for (std::size_t i = 0; i < move.pieces.size(); ++i) {
        const Piece& piece = move.pieces[i];
        const auto source = static_cast<std::size_t>(piece.device);
        const auto target = static_cast<std::size_t>(move.target);
        const Box& from = piece.of_after ? phase.after[source] : phase.before[source];
        reads_after = reads_after || piece.of_after;
        sorts[{i > 0, piece.device != move.target, piece.of_after, extents_of(move.box)}].push_back(
            {place_of(piece.device), place_of(move.target), offset(move.box, from),
             offset(move.box, phase.after[target])});
      }
    }
    if (reads_after) line("u = t");
    for (const auto& [sort, messages] : sorts) write(sort, messages);
  }

  void write(const Sort& sort, const std::vector<Message>& messages) {
    const auto& [adds, leaves, of_after, shape] = sort;
    for (const auto& round : rounds_of_sends(messages, plan_.from.devices())) {
      std::string list;
      for (const Message& message : round) {
        list += fmt::format("{}({}, {}, {}, {})", list.empty() ? "" : ", ", message.source, message.target,
                            tuple_text(message.from), tuple_text(message.to));
      }
      line(fmt::format("t = _round({}, t, {}, [{}]{}{})", of_after ? "u" : "s", tuple_text(shape), list,
                       leaves ? "" : ", stays=True", adds ? ", adds=True" : ""));
    }
  }

  const synth::Plan& plan_;
  const synth::RunMachine& machine_;
  const Atoms& atoms_;
  std::string text_;
  std::size_t pieces_ = 0;
};

std::string spec_of(const ArrayType& type, const Atoms& atoms) {
  std::string text;
  for (const AxisList& split : type.layout().splits()) text += (text.empty() ? "" : ", ") + atoms.entry(split);
  if (!type.layout().pending().empty())
    text += fmt::format("{}unreduced={{{}}}", text.empty() ? "" : ", ", atoms.names(type.layout().pending()));
  return "P(" + text + ")";
}

// What JAX has no words for.
base::Status check_plan(const synth::Plan& plan) {
  if (!(plan.from.mesh() == plan.to.mesh()))
    return not_for_jax("a plan between two meshes", "a jitted function has one mesh");
  if (plan.from.mesh().axes().empty()) return not_for_jax("a plan of one device", "nothing moves");
  if (plan.from.devices() > kEmittedDevicesMax)
    return not_for_jax("the plan", "more than 1,024 devices have too many sends to be written as a program");
  for (const ArrayType* end : {&plan.from, &plan.to}) {
    const bool pending = !end->layout().pending().empty();
    if (pending && end->layout().reduce() != synth::ReduceOp::sum)
      return not_for_jax(synth::print(*end), "what is unreduced there is a sum");
    for (std::size_t d = 0; d < end->rank(); ++d) {
      for (const synth::AxisPart& part : end->layout().split(d)) {
        if (part.cut != 0) return not_for_jax(synth::print(*end), "its tiles are cut by weights");
      }
      if (end->shape()[d] % synth::shard_count(end->layout().split(d)) != 0)
        return not_for_jax(synth::print(*end), fmt::format("JAX deals dimension {} only evenly", d));
    }
  }
  for (const synth::PlanStep& step : plan.steps) {
    if (synth::round_of(step.collective) != nullptr)
      return not_for_jax("a plan in rounds", "XLA keeps no order of them, and so no bound of memory");
  }
  return base::Done{};
}

std::string module_text(const synth::Plan& plan, const Atoms& atoms, const std::string& head,
                        const std::string& steps) {
  std::string axes;
  for (const Atom& atom : atoms.all()) axes += fmt::format("('{}', {}), ", atom.name, atom.part.size);
  const synth::Mesh& mesh = plan.from.mesh();
  Extents devices;
  for (std::int64_t place = 0; place < mesh.devices(); ++place)
    devices.push_back(static_cast<std::int64_t>(mesh.device_of_run(mesh.device_at(place)).value));
  const synth::Shape& shape = plan.from.shape();
  std::string text = fmt::format(
      "\"\"\"Written by Tessera: `reshard(mesh)` gives a function of an array, SOURCE in and TARGET "
      "out.\n\n{}\"\"\"\n\n",
      head);
  text += kJaxImports;
  text += fmt::format("AXES = ({})\nDEVICES = {}\nSHAPE = {}\nDTYPE = '{}'\nSOURCE = {}\nTARGET = {}\n", axes,
                      tuple_text(devices), tuple_text({shape.begin(), shape.end()}), dtype_of(plan.from.element()),
                      spec_of(plan.from, atoms), spec_of(plan.to, atoms));
  text += kJaxFunctions;
  text += fmt::format("def _steps(t):\n{}    return t\n\n\n", steps);
  return text + std::string(kJaxReshard);
}

}  // namespace

base::Result<std::string> emit_jax(const synth::Plan& plan, const synth::Machine& given, const std::string& head) {
  TESSERA_TRY_STATUS(check_plan(plan));
  TESSERA_TRY(machine, synth::machine_for(given, synth::run_devices(plan.from, plan.to)));
  if (const auto atoms = Atoms::of(plan, true)) {
    JaxSteps steps(plan, machine, *atoms);
    if (steps.take_all()) return module_text(plan, *atoms, head, steps.text());
    if (steps.has_too_many()) return not_for_jax("the plan", "its sends are more than 400,000");
  }
  const auto atoms = Atoms::of(plan, false);
  if (!atoms) return not_for_jax("the plan", "its ends cut an axis in ways that do not go together");
  JaxSteps direct(plan, machine, *atoms);
  if (!direct.take_direct())
    return not_for_jax("the plan", "a step in its middle leaves tiles of several sizes, and no exchange does the same");
  const std::string note =
      "A step of the plan leaves tiles that JAX cannot hold: one exchange is written in place of all steps.\n";
  return module_text(plan, *atoms, head + note, direct.text());
}

}  // namespace tessera::interop
