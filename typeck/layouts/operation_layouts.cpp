#include "typeck/layouts/operation_layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "typeck/layouts/candidates.hpp"
#include "typeck/layouts/cutting.hpp"
#include "typeck/layouts/dealing.hpp"
#include "typeck/layouts/fetching.hpp"
#include "typeck/layouts/parts.hpp"
#include "typeck/layouts/records.hpp"
#include "typeck/layouts/shape_rules.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::Layout;

namespace {

// The names of the sum's indices, and those of its signature's: a second i of an operand is i'.
std::vector<std::string> names_of(const open::Product& product) {
  std::vector<std::string> names = product.names;
  if (names.empty()) return names;
  for (const std::vector<std::uint8_t>& own : product.contract.operand_indices) {
    for (auto index = own.begin(); index != own.end(); ++index) {
      if (std::find(own.begin(), index, *index) != index) names.push_back(names.at(*index) + "'");
    }
  }
  return names;
}

// One function for each operation of an open program.
struct Decision {
  Greedy& greedy;
  Reports& reports;
  const open::Node& node;
  const open::Compute& body;
  const std::vector<Operand>& operands;
  const Want& wanted;

  using Found = OperationLayouts::Found;

  const Operand& first() const { return operands.at(0); }
  const open::Type& result() const { return node.types.at(0); }
  ShapeRules rules() const { return {greedy.plans(), reports, body.who, node.span}; }
  NodeLayouts none() const { return {std::vector<Changes>(operands.size())}; }
  Found as_it_lies(std::optional<ArrayType> type) const { return ready(none(), std::move(type)); }
  static Found ready(NodeLayouts layouts, std::optional<ArrayType> type) {
    if (!type.has_value()) return std::nullopt;
    layouts.types.push_back(std::move(*type));
    return layouts;
  }
  std::vector<synth::Shape> shapes() const {
    std::vector<synth::Shape> all;
    for (const Operand& operand : operands) all.push_back(operand.type.shape());
    return all;
  }
  Found solve(synth::IndexSignature indices, synth::ElementType element, const synth::Shape& shape,
              const std::vector<std::string>& index_names = {}) const {
    return greedy.solve({std::move(indices), body.who, node.span, index_names, element, shape}, operands, wanted);
  }
  Found solve(const synth::Operation& operation, synth::ElementType element,
              const std::vector<std::string>& index_names = {}) const {
    return solve(synth::index_signature(operation, shapes(), element, result().shape()), element, result().shape(),
                 index_names);
  }

  Found operator()(const synth::Operation& operation) const {
    return std::visit([&](const auto& own) { return (*this)(own); }, operation);
  }
  Found operator()(const synth::Constant&) const {
    auto whole = ArrayType::replicated(result().element(), result().shape(), result().mesh_ref());
    TESSERA_CHECK(whole.ok(), "a literal's type is not valid");
    return as_it_lies(std::move(whole).value());
  }
  Found operator()(const synth::Map& map) const { return solve(map, result().element()); }
  Found operator()(const synth::Recur& recur) const { return solve(recur, result().element()); }
  Found operator()(const synth::Reduce& reduce) const {
    if (reduce.dimensions.empty()) return as_it_lies(widened(first().type));
    return solve(reduce, synth::computed_as(first().type.element()));
  }
  Found operator()(const synth::Reshape&) const {
    NodeLayouts layouts = none();
    auto type = rules().reshaped(first().type, result().shape(), wanted, layouts);
    return ready(std::move(layouts), std::move(type));
  }
  Found operator()(const synth::ArgReduce& how) const {
    NodeLayouts layouts = none();
    auto type = greedy.finish(first(), body.who, node.span, nullptr, layouts.uses[0]);
    if (type.has_value())
      type = Records(greedy.plans(), reports, body.who, node.span).positions(*type, how, result().shape(), layouts);
    return ready(std::move(layouts), std::move(type));
  }
  Found operator()(const synth::Greatest& how) const {
    NodeLayouts layouts = none();
    auto type = greedy.finish(first(), body.who, node.span, nullptr, layouts.uses[0]);
    if (type.has_value())
      type = CandidatesRule(greedy.plans(), reports, body.who, node.span).greatest(*type, how, layouts);
    return ready(std::move(layouts), std::move(type));
  }
  Found operator()(const synth::Take& take) const {
    auto sum = solve(take, result().element());
    if (!sum.has_value()) return std::nullopt;
    return FetchingRule(greedy, reports, body.who, node.span).rows(operands, std::move(*sum), wanted);
  }
  Found operator()(const synth::ScatterAdd& add) const {
    auto sum = solve(add, result().element());
    if (!sum.has_value()) return std::nullopt;
    return FetchingRule(greedy, reports, body.who, node.span).added(operands, std::move(*sum), wanted);
  }
  Found operator()(const synth::Search& search) const { return solve(search, result().element()); }
  Found operator()(const synth::MatrixFunction& function) const { return solve(function, result().element()); }
  // What works on each device's tile: sorts and transposes; and effects.
  template <class Local>
  Found operator()(const Local& local) const {
    if (node.types.empty()) return none();
    const ArrayType& from = first().type;
    const auto signature = synth::index_signature(local, shapes(), result().element(), result().shape());
    auto layout = synth::result_layout(signature, from.mesh(), std::array{from.layout()});
    TESSERA_CHECK(layout.has_value(), "the layout of an operand gives none to the result");
    return as_it_lies(
        reports.made(ArrayType::make(result().element(), result().shape(), from.mesh_ref(), *layout), node.span));
  }

  Found operator()(const open::Squeeze& squeeze) const {
    NodeLayouts layouts = none();
    auto type = rules().dropped(first().type, squeeze.dimensions, layouts.uses[0]);
    return ready(std::move(layouts), std::move(type));
  }
  Found operator()(const open::Unsqueeze& unsqueeze) const {
    return as_it_lies(rules().unsqueezed(first().type, unsqueeze.dimensions));
  }
  Found operator()(const open::Slice& slice) const {
    return as_it_lies(rules().sliced(first().type, slice.dimensions));
  }
  Found operator()(const open::Pad& pad) const { return as_it_lies(rules().padded(first().type, pad.widths)); }
  Found operator()(const open::Concat& concat) const {
    const synth::Shape& shape = result().shape();
    const Signature signature{synth::joined_signature(operands.size(), shape.size(), concat.dimension),
                              body.who,
                              node.span,
                              {},
                              first().type.element(),
                              shape};
    NodeLayouts layouts = none();
    std::vector<ArrayType> types;
    for (const Operand& operand : operands) types.push_back(operand.type);
    if (!greedy.finish_all(signature, operands, wanted, types, layouts.uses)) return std::nullopt;
    const PartLayouts parts(greedy.plans(), reports, wanted);
    if (!parts.choose(signature, joined_along(concat.dimension, types), types, layouts)) return std::nullopt;
    return layouts;
  }
  Found operator()(const open::Update&) const { return as_it_lies(first().type); }
  Found operator()(const open::Roll&) const { return as_it_lies(first().type); }
  Found operator()(const open::Product& product) const {
    return solve(product.contract, synth::computed_as(first().type.element()), names_of(product));
  }
  Found operator()(const open::Broadcast&) const {
    return solve(synth::Map{synth::MapOp::copy}, first().type.element());
  }
  Found operator()(const open::Widen&) const { return as_it_lies(widened(first().type)); }
  // Each comes as it is brought.
  Found operator()(const open::Together&) const {
    const synth::Shape shape = broadcast_shape(shapes());
    auto layouts = greedy.solve(
        {synth::aligned_signature(shapes(), shape), body.who, node.span, {}, result().element(), shape}, operands, {});
    if (!layouts.has_value()) return std::nullopt;
    layouts->types.clear();
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Changes& way = layouts->uses[k];
      layouts->types.push_back(widened(way.empty() ? operands[k].type : way.back().to));
    }
    return layouts;
  }
  Found operator()(const open::Whole& whole) const {
    NodeLayouts layouts = none();
    auto type = greedy.finish(first(), body.who, whole.asked_at, nullptr, layouts.uses[0]);
    if (type.has_value() && whole.sorted.has_value())
      type = CuttingRule(greedy.plans(), reports, body.who, whole.asked_at)
                 .ready(*type, whole.dimensions.at(0), *whole.sorted, wanted, layouts);
    else if (type.has_value())
      type = Dealing(greedy.plans(), reports, body.who, whole.asked_at)
                 .whole(*type, whole.dimensions, wanted, layouts.uses[0]);
    return type.has_value() ? ready(std::move(layouts), widened(*type)) : std::nullopt;
  }
  Found operator()(const open::Finish& finish) const {
    NodeLayouts layouts = none();
    auto type = greedy.finish(first(), body.who, node.span, finish.is_output ? nullptr : &wanted, layouts.uses[0]);
    for (Change& change : layouts.uses[0]) {
      if (finish.is_output) change.why = {Reason::Asker::output, body.who, first().span, {}, {}};
    }
    return ready(std::move(layouts), std::move(type));
  }
  Found operator()(const open::Make& make) const {
    if (!make.is_like) return as_it_lies(reports.written(make.written, result(), make.layout));
    return as_it_lies(reports.written(make.written, result(), {operands.back().type.layout().splits(), {}}));
  }
  Found operator()(const open::Used&) const { return std::nullopt; }
  Found operator()(const open::Back&) const { return std::nullopt; }
  Found operator()(const open::Both&) const { return std::nullopt; }
  Found operator()(const open::Home&) const { return std::nullopt; }
  Found operator()(const open::ZerosAs&) const { return std::nullopt; }
  Found operator()(const open::FinishAs&) const { return std::nullopt; }
  Found operator()(const open::Sum&) const { return std::nullopt; }
  Found operator()(const open::PutRow&) const { return std::nullopt; }
  Found operator()(const open::TakeRow&) const { return std::nullopt; }
  // Changes the layout exactly as the planner's own step does.
  Found operator()(const open::ByHand& step) const {
    std::optional<ArrayType> target;
    if (step.target.has_value()) {
      target = reports.written(node.span, result(), *step.target);
      if (!target.has_value()) return std::nullopt;
    }
    NodeLayouts layouts = none();
    auto after = reports.made(synth::apply(collective_of(step, target), first().type), node.span);
    if (after.has_value())
      layouts.uses[0].push_back({*after, {Reason::Asker::collective, body.who, node.span, {}, {}}});
    return ready(std::move(layouts), std::move(after));
  }
};

// The effect of a collective that names axes, and their dimensions if it has any.
synth::Effect effect_of(const open::ByHand& step) {
  switch (step.kind) {
    case synth::CollectiveKind::all_reduce: return synth::AllReduce{step.axes};
    case synth::CollectiveKind::all_to_all: return synth::AllToAll{{synth::AxisMove{step.axes, step.from, step.to}}};
    case synth::CollectiveKind::reduce_scatter: return synth::ReduceScatter{step.axes, step.from};
    case synth::CollectiveKind::all_gather: return synth::AllGather{{synth::AxesAt{step.axes, step.from}}};
    case synth::CollectiveKind::slice:
    case synth::CollectiveKind::permute:
    case synth::CollectiveKind::exchange:
    case synth::CollectiveKind::relay:
    case synth::CollectiveKind::keep: return synth::Slice{{synth::AxesAt{step.axes, step.from}}};
  }
  throw base::InternalError("an unknown collective");
}

}  // namespace

OperationLayouts::Found OperationLayouts::compute(const open::Node& node, const open::Compute& body,
                                                  const std::vector<Operand>& operands, const Want& want) {
  return std::visit(Decision{greedy_, reports_, node, body, operands, want}, body.operation);
}

OperationLayouts::Found OperationLayouts::written(const open::Node& node, const open::As& body,
                                                  const Operand& operand) {
  const auto target = reports_.written(body.written, node.types.at(0), body.layout);
  if (!target.has_value()) return std::nullopt;
  NodeLayouts layouts{std::vector<Changes>(1), {*target}};
  const Reason::Asker asker = body.is_argument ? Reason::Asker::argument : Reason::Asker::annotation;
  Reason why{asker, body.who, body.asked_at, body.written, {}};
  // A budget is kept even where nothing has to move.
  if (body.within_bytes.has_value())
    layouts.uses[0].push_back({*target, std::move(why)});
  else
    Greedy::change(layouts.uses[0], operand.type, *target, std::move(why));
  return layouts;
}

std::optional<Changes> OperationLayouts::argument(const open::Instance& callee,
                                                  const open::Instance::Parameter& parameter, const open::Type& type,
                                                  const Operand& operand) {
  Changes way;
  if (!parameter.layout.has_value()) return way;
  const auto wanted = reports_.written(parameter.written, type, *parameter.layout);
  if (!wanted.has_value()) return std::nullopt;
  const std::string who = fmt::format("argument {} of {}", parameter.name, callee.name);
  Greedy::change(way, operand.type, *wanted, {Reason::Asker::argument, who, operand.span, parameter.written, {}});
  return way;
}

Changes OperationLayouts::joined(base::Span span, const Operand& other, const ArrayType& type) {
  Changes way;
  Greedy::change(way, type, other.type, {Reason::Asker::operation, "`if`", span, other.span, {}});
  return way;
}

bool lies_as_others(const open::Operation& operation) {
  return std::holds_alternative<open::Used>(operation) || std::holds_alternative<open::Back>(operation) ||
         std::holds_alternative<open::Both>(operation) || std::holds_alternative<open::Home>(operation) ||
         std::holds_alternative<open::ZerosAs>(operation) || std::holds_alternative<open::FinishAs>(operation) ||
         std::holds_alternative<open::Sum>(operation) || std::holds_alternative<open::PutRow>(operation) ||
         std::holds_alternative<open::TakeRow>(operation);
}

Want want_of(const open::Node& node) {
  Want want;
  if (!node.wish.has_value()) return want;
  want.mesh = node.wish->mesh;
  want.because = node.wish->because;
  want.written_pending = node.wish->written_pending;
  want.is_summed = node.wish->is_summed;
  if (!node.wish->layout.has_value()) return want;
  const open::WrittenLayout& written = *node.wish->layout;
  auto layout = Layout::make(*want.mesh, written.splits, written.pending, written.reduce);
  if (layout.ok()) want.layout = std::move(layout).value();
  return want;
}

synth::Collective collective_of(const open::ByHand& step, const std::optional<ArrayType>& target) {
  if (!target.has_value()) return {effect_of(step), synth::Direct{}};
  const bool permutes = step.kind == synth::CollectiveKind::permute;
  return {permutes ? synth::Effect(synth::Permute{*target}) : synth::Effect(synth::Exchange{*target}), synth::Direct{}};
}

bool computes_numbers(const synth::Operation& operation) {
  return std::holds_alternative<synth::Iota>(operation) || std::holds_alternative<synth::Random>(operation) ||
         std::holds_alternative<synth::Normal>(operation);
}

}  // namespace tessera::typeck
