#include "typeck/insert/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/choose/choose.hpp"
#include "synth/verify/choice.hpp"
#include "typeck/insert/chosen.hpp"
#include "typeck/layouts/chosen.hpp"
#include "typeck/layouts/whole.hpp"
#include "typeck/typed/moves.hpp"
#include "typeck/typed/unneeded.hpp"

namespace tessera::typeck {

namespace {

// A layout in which a text writes an array of these extents.
std::optional<Layout> layout_of(const open::WrittenLayout& written, const synth::Mesh& mesh) {
  auto layout = Layout::make(mesh, written.splits, written.pending, written.reduce);
  if (!layout.ok()) return std::nullopt;
  return std::move(layout).value();
}

ArrayType whole_type(const open::Type& type) {
  auto whole = ArrayType::replicated(type.element(), type.shape(), type.mesh_ref());
  TESSERA_CHECK(whole.ok(), "a whole array's type is not valid");
  return std::move(whole).value();
}

}  // namespace

// ---- On whole arrays

bool Inserter::refuses(const open::Node& node) {
  const auto* compute = std::get_if<open::Compute>(&node.body);
  const auto* by_hand = compute == nullptr ? nullptr : std::get_if<open::ByHand>(&compute->operation);
  if (by_hand == nullptr && !node.is_local) return false;
  const std::string what = by_hand != nullptr ? fmt::format("the collective {}", compute->who) : "`local`";
  const std::string help = by_hand != nullptr ? "say what layout is wanted, with `as`: how it is reached is planned"
                                              : "leave `local` out: the choice moves nothing that need not move";
  report(base::make(Kind::auto_collective, what).at(node.span).suggest(help));
  return true;
}

MaybeHeld Choosing::pinned(const open::Node& node, const open::As& as, const Held& value) {
  const open::Type& type = node.types.at(0);
  const auto target = in_.reports_.written(as.written, type, as.layout);
  if (!target.has_value()) return std::nullopt;
  if (type.mesh() != in_.type(value).mesh()) {
    in_.report(base::make(Kind::auto_mesh, std::string("this value is brought to another mesh"))
                   .at(as.written)
                   .suggest("take this out of the function, and hand its value over as an argument"));
    return std::nullopt;
  }
  const ArrayType whole = whole_type(type);
  const auto plan = in_.plans_.plan(whole, whole, node.span);
  if (!plan.has_value()) return std::nullopt;
  Reason why{Reason::Asker::annotation, as.who, as.asked_at, as.written, {}};
  const NodeId marker = in_.emit(node.span, {whole}, Redistribute{value.node(), *plan, std::move(why)});
  in_.whole_->pins.emplace(marker, target->layout());
  return Held{{marker}, node.span, {}, value.known};
}

void Choosing::note_made(const open::Node& node, const std::optional<Layout>& written, const Held& value) {
  if (value.nodes.empty()) return;
  if (written.has_value() && !written->is_replicated()) in_.whole_->pins.emplace(value.node(), *written);
  if (node.wish.has_value() && !node.wish->written_pending.empty()) in_.whole_->scaling.insert(value.node());
}

// Nodes inside of this one have noted theirs.
void Choosing::note_made_for(const open::Node& node, std::size_t first) {
  const auto& entered = std::get<open::Enter>(in_.program_.nodes[node.entered].body);
  for (std::size_t made = first; made < in_.typed_.nodes.size(); ++made) {
    const NodeId id{static_cast<std::uint32_t>(made)};
    in_.whole_->made_for.try_emplace(id, WholeFunction::MadeFor{node.made_for, entered.instance, node.entered});
  }
}

// A value from around the function stands for the node that it has there.
const std::vector<NodeId>* Choosing::nodes_around(Inserter& inner, open::ValueId value) {
  const std::vector<NodeId>* const there = in_.nodes_of(value);
  if (there == nullptr) return nullptr;
  std::vector<NodeId> made;
  for (const NodeId outside : *there) {
    const Node own = in_.typed_.nodes[outside];
    std::vector<ArrayType> types = own.types;
    if (inner.whole_ != nullptr) types = {*own.types.at(0).with_layout(Layout::replicated(own.types[0].rank()))};
    made.push_back(inner.typed_.nodes.add(Node{own.span, std::move(types), Input{}}));
    if (inner.whole_ == nullptr) continue;
    inner.whole_->pins.emplace(made.back(), own.types[0].layout());
    inner.whole_->outside.emplace(made.back(), outside);
  }
  inner.top_.values.set(value, std::move(made));
  return inner.top_.values.find(value);
}

void Choosing::set_apart(Inserter& inner) {
  inner.from_around_ = [this, &inner](open::ValueId value) { return nodes_around(inner, value); };
  inner.statement_ = in_.statement_;
  inner.moment_ = in_.moment_;
  inner.reports_.at_place_of(in_.reports_);
  inner.spent_ = in_.spent_;
}

void Choosing::note_function(const open::Instance& function, const Instance& instance, InstanceId made) {
  WholeFunction& whole = *in_.whole_;
  for (std::size_t k = 0; k < instance.parameters.size(); ++k) {
    const auto& written = function.parameters[k].layout;
    if (!written.has_value()) continue;
    const auto layout = layout_of(*written, in_.type(instance.parameters[k]).mesh());
    if (layout.has_value()) whole.pins.emplace(instance.parameters[k], *layout);
  }
  if (!function.chosen.has_value()) return;
  whole.results_as[made] = function.chosen->results_as;
  whole.names.clear();
  for (const open::Named& own : function.named) {
    const std::vector<NodeId>* const nodes = in_.nodes_of(own.value);
    if (nodes != nullptr && nodes->size() == 1) whole.names.push_back({own.name, own.span, nodes->front()});
  }
}

std::optional<WholeFunction> Choosing::on_whole_arrays(open::InstanceId callee) {
  CheckOptions options = in_.options_;
  options.text_after.reset();
  WholeFunction whole;
  Inserter inner(in_.program_, in_.sources_, in_.environment_, in_.plans_.cache(), options, in_.messages_);
  inner.whole_ = &whole;
  set_apart(inner);
  std::vector<ArrayType> types;
  for (const open::Instance::Parameter& parameter : in_.program_.instances[callee].parameters)
    types.push_back(whole_type(in_.program_.type(parameter.value)));
  const auto instance = inner.close(callee, types, in_.program_.instances[callee].defined_at);
  in_.spent_ = inner.spent_;
  TESSERA_CHECK(instance.has_value() || in_.messages_.failed(), "a function cannot be closed on whole arrays");
  if (!instance.has_value() || in_.messages_.failed()) return std::nullopt;
  whole.instance = *instance;
  whole.typed = std::move(inner.typed_);
  drop_unneeded(whole.typed);
  return whole;
}

// ---- The choice

std::vector<ArrayType> Choosing::closed_for(const open::Instance& callee, std::vector<ArrayType> types) const {
  if (!in_.chooses(callee)) return types;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (callee.parameters[k].is_chosen) types[k] = whole_type(in_.program_.type(callee.parameters[k].value));
  }
  return types;
}

std::optional<InstanceId> Choosing::close(open::InstanceId callee, const std::vector<ArrayType>& given,
                                          Span call_span) {
  const open::Instance& function = in_.program_.instances[callee];
  if (!function.is_complete) return std::nullopt;
  const auto whole = on_whole_arrays(callee);
  if (!whole.has_value()) return std::nullopt;
  std::vector<std::optional<Layout>> arguments;
  for (std::size_t k = 0; k < given.size(); ++k)
    arguments.push_back(function.parameters[k].is_chosen ? std::nullopt : std::optional(given[k].layout()));
  auto chosen =
      problem_of(*whole, *function.chosen, arguments, {in_.options_.choose.is_untied, in_.options_.choose.tied_above});
  if (!chosen.ok()) {
    for (Diagnostic& fault : std::move(chosen).errors()) in_.report(std::move(fault));
    return std::nullopt;
  }
  for (const Span loop : chosen->uncounted) in_.report(base::make(Kind::auto_count, kTurnsAssumed).at(loop));
  auto choice = choose_within(function, *whole, *chosen);
  in_.options_.stop.look();
  auto found = in_.reports_.made(std::move(choice), function.name_span);
  if (!found.has_value()) return std::nullopt;
  const auto fault = synth::fault_of_choice(chosen->problem, *found, in_.plans_.machine());
  TESSERA_CHECK(!fault.has_value(), "a choice of layouts is not right: " + fault.value_or(""));
  ChosenInserter made(in_, *whole, *chosen, *found, fmt::format("the choice for `{}`", function.name),
                      function.name_span);
  ChosenFunction own;
  own.name = function.name;
  own.declared_at = function.name_span;
  own.called_at = call_span;
  own.instance = made.run();
  own.axes = function.chosen->axes;
  own.results_as = function.chosen->results_as;
  note_names(function, *whole, *chosen, made, own);
  own.choice = std::move(*found);
  own.problem = std::make_shared<const synth::ChoiceProblem>(chosen->problem);
  if (own.choice.strategies == own.choice.operations) {
    const std::string why = own.axes.empty() ? "no axis of its mesh is longer than 1"
                                             : "every layout is given by its arguments or its text";
    in_.report(base::make(Kind::auto_nothing, function.name, why).at(function.name_span));
  }
  if (in_.options_.choose.rivals) own.rivals = rivals_of(callee, given, own, *whole, *chosen);
  in_.typed_.choices.push_back(std::move(own));
  return in_.typed_.choices.back().instance;
}

void Choosing::note_names(const open::Instance& function, const WholeFunction& whole, const ChosenProblem& chosen,
                          const ChosenInserter& made, ChosenFunction& own) const {
  const auto maker = [&](NodeId node) -> std::optional<std::size_t> {
    const auto value = chosen.top().values.find({node, 0});
    return value == chosen.top().values.end() ? std::nullopt : std::optional(chosen.makers[value->second.value.value]);
  };
  const Instance& from = whole.typed.instances[whole.instance];
  const Instance& to = in_.typed_.instances[own.instance];
  for (std::size_t k = 0; k < to.parameters.size(); ++k) {
    const open::Instance::Parameter& parameter = function.parameters[k];
    own.is_chosen.push_back(parameter.is_chosen ? 1 : 0);
    own.names.push_back({ChosenFunction::Role::parameter, parameter.name, in_.program_.nodes[parameter.value].span,
                         to.parameters[k], maker(from.parameters[k])});
  }
  for (const WholeFunction::Name& name : whole.names) {
    const NodeId node = made.made_of(name.node);
    if (node.valid()) own.names.push_back({ChosenFunction::Role::let, name.name, name.span, node, maker(name.node)});
  }
  for (std::size_t k = 0; k < to.body.results.size(); ++k) {
    const NodeId node = to.body.results[k];
    const Span span = in_.typed_.nodes[node].span;
    const std::string name = function.chosen->result_names.empty() ? "" : function.chosen->result_names[k];
    own.names.push_back({ChosenFunction::Role::result, name, span, node, maker(from.body.results[k])});
  }
}

bool Choosing::bring(const open::Instance& callee, InstanceId instance, std::vector<NodeId>& arguments) {
  if (!in_.chooses(callee)) return true;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!callee.parameters[k].is_chosen) continue;
    const ArrayType wanted = in_.type(in_.typed_.instances[instance].parameters[k]);
    const Span span = in_.typed_.nodes[arguments[k]].span;
    const std::string who = fmt::format("argument {} of {}", callee.parameters[k].name, callee.name);
    Reason why{Reason::Asker::chosen, who, span, callee.parameters[k].written, {}};
    const MaybeHeld there = in_.redistribute(Held{{arguments[k]}, span, {}, {}}, wanted, std::move(why));
    if (!there.has_value()) return false;
    arguments[k] = there->node();
  }
  return true;
}

}  // namespace tessera::typeck
