// Loops. What they carry keeps its type from turn to turn.
//
// A start that constructors and literals make, in a text that names no axis, takes the layout of what the body gives.
// The body says which that is only when it is closed; if it is not the start's, then the start is laid out so, and the
// body is closed once more, as if it had not been closed before.
//
// Example: in `loop c = zeros(f32[8]) for i < 3 { c + a }` with a of f32[8@x], the body gives f32[8@x] for a c that is
// whole. Then the zeros are made as f32[8@x], c + a is f32[8@x] again, and nothing moves.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/insert/choose.hpp"
#include "typeck/insert/way_back.hpp"

namespace tessera::typeck {

// ---- A body that is closed again

struct Inserter::Mark {
  Messages::Mark messages;
  std::map<ExprId, std::string> inserted_as;
  std::map<open::ValueId, ArrayType> asked_types;
  std::map<open::InstanceId, std::size_t> closed;
  std::map<Span, std::size_t> printed;
};

Inserter::Mark Inserter::mark() const {
  Mark mark{messages_.mark(), body_->inserted_as, asked_types_, {}, {}};
  for (const auto& [function, types] : closed_) mark.closed[function] = types.size();
  for (const auto& [function, bodies] : printed_) mark.printed[function] = bodies.size();
  return mark;
}

void Inserter::forget_since(Mark mark) {
  messages_.forget_since(std::move(mark.messages));
  body_->inserted_as = std::move(mark.inserted_as);
  asked_types_ = std::move(mark.asked_types);
  const auto cut = [](auto& all, const auto& sizes) {
    std::erase_if(all, [&](const auto& one) { return !sizes.contains(one.first); });
    for (auto& [key, items] : all) items.erase(items.begin() + static_cast<std::ptrdiff_t>(sizes.at(key)), items.end());
  };
  cut(closed_, mark.closed);
  cut(printed_, mark.printed);
}

// ---- Starts that take the body's layout

namespace {

// The nodes by which a start was made, the first one last: a constructor or a literal, and parts that replace others.
std::vector<open::ValueId> made_by(const open::Program& program, open::ValueId start) {
  std::vector<open::ValueId> all = {start};
  for (;;) {
    const auto* compute = std::get_if<open::Compute>(&program.nodes[all.back()].body);
    const bool goes_on = compute != nullptr && (std::holds_alternative<open::Update>(compute->operation) ||
                                                std::holds_alternative<open::Finish>(compute->operation));
    if (!goes_on) return all;
    all.push_back(compute->operands.at(0).value);
  }
}

}  // namespace

// Makes the start once more, in that layout, where it was made before: nothing else uses that.
void Inserter::lay_start(const open::Use& start, const Layout& layout) {
  const std::vector<open::ValueId> makers = made_by(program_, start.value);
  std::vector<NodeId>& order = region_->order;
  std::size_t at = 0;
  // Puts what is made by the way to `at`, behind which the next one goes.
  const auto made_there = [&](const auto& make) {
    const std::size_t before = order.size();
    make();
    const auto place = order.begin() + static_cast<std::ptrdiff_t>(at);
    std::rotate(place, order.begin() + static_cast<std::ptrdiff_t>(before), order.end());
    at += order.size() - before;
  };
  const auto anew = [&](open::ValueId id, const auto& make) {
    const std::vector<NodeId>* const before = nodes_of(id);
    const auto found = before == nullptr ? order.end() : std::find(order.begin(), order.end(), before->at(0));
    const auto place = static_cast<std::size_t>(found - order.begin());
    const auto* computed = std::get_if<open::Compute>(&program_.nodes[id].body);
    const bool is_made_anew = found != order.end() && computed != nullptr &&
                              !std::holds_alternative<open::Finish>(computed->operation) &&
                              std::holds_alternative<Compute>(typed_.nodes[*found].body);
    if (is_made_anew) {
      order.erase(found);
      at = place < at ? at - 1 : place;
    } else if (found != order.end()) {
      at = std::max(at, place + 1);
    } else if (id == makers.back()) {
      at = order.size();
    }
    made_there(make);
  };
  const open::ValueId first = makers.back();
  open::Node made = program_.nodes[first];
  const open::WrittenLayout wanted{layout.splits(), {}, synth::ReduceOp::sum};
  auto* compute = std::get_if<open::Compute>(&made.body);
  auto* make = compute != nullptr ? std::get_if<open::Make>(&compute->operation) : nullptr;
  if (auto* as = std::get_if<open::As>(&made.body)) as->layout = wanted;
  if (make != nullptr) make->layout = wanted;
  anew(first, [&] { insert(first, made); });
  for (auto id = makers.rbegin() + 1; id != makers.rend(); ++id) anew(*id, [&] { insert(*id); });
  const MaybeHeld value = held(start);
  if (!value.has_value() || type(*value).layout() == layout) return;
  // A literal is whole; each device keeps its tile.
  const auto there = type(*value).with_layout(layout);
  TESSERA_CHECK(there.ok(), "the layout of a loop's result is not one of its start");
  const Reason why{Reason::Asker::operation, "`loop`", start.span, {}, {}};
  made_there([&] { keep(start.value, redistribute(*value, *there, why)); });
}

// A turn gives a layout for what is carried, or a loop inside of it has found one, which starts with it.
std::vector<std::pair<std::uint32_t, Layout>> Inserter::starts_to_lay(const open::Loop& body,
                                                                      const Loop& made_loop) const {
  std::vector<std::pair<std::uint32_t, Layout>> all;
  for (const std::uint32_t k : body.fresh) {
    const bool is_open = k >= made_loop.body.results.size();
    const auto found =
        is_open ? starts_.at(body.parameters[k]) : std::optional(type(made_loop.body.results[k]).layout());
    const ArrayType own = type(made_loop.parameters.at(k));
    const bool is_here = is_open || type(made_loop.body.results[k]).mesh() == own.mesh();
    if (!is_here || !found.has_value() || !found->pending().empty()) continue;
    const auto wanted = own.with_layout(*found);
    if (wanted.ok() && !synth::same_type(own, *wanted)) all.emplace_back(k, *found);
  }
  return all;
}

// ---- Loops

// What begins with zeros has the type that the body found for it.
std::optional<std::vector<NodeId>> Inserter::carried_nodes(Span span, const open::Loop& body,
                                                           const std::vector<MaybeHeld>& initial, Loop& made_loop) {
  std::vector<NodeId> all;
  made_loop.parameters.clear();
  for (std::size_t k = 0; k < initial.size(); ++k) {
    const std::vector<NodeId>* const own = nodes_of(body.parameters[k]);
    if (own == nullptr) return std::nullopt;
    made_loop.parameters.push_back(own->at(0));
    all.push_back(initial[k].has_value() ? initial[k]->node() : zeros_of(*this, span, type(own->at(0))).node());
  }
  return all;
}

// Closes the body. Without results where something in it is wrong, or where a start has to be laid out anew.
Loop Inserter::closed_turn(const open::Loop& body, const std::vector<MaybeHeld>& initial) {
  Loop made_loop;
  made_loop.known_count = body.known_count;
  made_loop.condition = body.condition;
  made_loop.is_limited = body.is_limited;
  for (std::size_t k = 0; k < initial.size(); ++k) {
    made_loop.parameters.emplace_back();
    body_->values.set(body.parameters[k], {});  // found by the body, this time
    if (!initial[k].has_value()) continue;
    const Span span = program_.nodes[body.parameters[k]].span;
    made_loop.parameters[k] = parameter(span, type(*initial[k]));
    note(body.parameters[k], {type(*initial[k])});
    keep(body.parameters[k], std::vector{made_loop.parameters[k]});
  }
  const auto index_on = [&](open::ValueId index) {
    const NodeId made_index =
        parameter(program_.nodes[index].span, ArrayType::scalar(ElementType::i64, program_.type(index).mesh_ref()));
    note(index, {type(made_index)});
    keep(index, std::vector{made_index});
    return made_index;
  };
  made_loop.index = index_on(body.index);
  for (const open::ValueId index : body.indices_elsewhere) made_loop.indices_elsewhere.push_back(index_on(index));
  const auto results = in_region(made_loop.body, [&] {
    region(body.body);
    return held(body.body.results);
  });
  if (!results.has_value()) return made_loop;
  for (const Held& result : *results) made_loop.body.results.push_back(result.node());
  return made_loop;
}

// The body, closed as often as starts have to be laid out anew; nothing where a start is missing.
std::optional<Loop> Inserter::closed_body(const open::Loop& body) {
  for (const std::uint32_t k : is_given_ ? body.fresh : std::vector<std::uint32_t>{}) {
    const auto given = body_->layouts->nodes.find(body.parameters[k]);
    const MaybeHeld start = held(body.initial[k]);
    if (!start.has_value() || given == body_->layouts->nodes.end()) continue;
    if (!synth::same_type(type(*start), given->second.types.at(0)))
      lay_start(body.initial[k], given->second.types.at(0).layout());
  }
  for (std::size_t left = body.fresh.size();; --left) {
    const auto initial = held_or_open(body.initial);
    if (!initial.has_value()) return std::nullopt;
    if (left == 0) return closed_turn(body, *initial);
    Mark before = mark();
    for (const std::uint32_t k : body.fresh) starts_[body.parameters[k]] = std::nullopt;
    Loop made_loop = closed_turn(body, *initial);
    const auto starts = starts_to_lay(body, made_loop);
    for (const std::uint32_t k : body.fresh) starts_.erase(body.parameters[k]);
    if (starts.empty()) return made_loop;
    forget_since(std::move(before));
    for (const auto& [k, layout] : starts) lay_start(body.initial[k], layout);
  }
}

void Inserter::insert(open::ValueId id, const open::Node& node, const open::Loop& body) {
  const auto count = held(body.count);
  auto closed = closed_body(body);
  const auto initial = held_or_open(body.initial);
  if (!node.is_complete || !count.has_value() || !closed.has_value() || !initial.has_value()) return;
  Loop& made_loop = *closed;
  if (made_loop.body.results.size() != initial->size()) return;
  made_loop.count = count->node();
  auto carried = carried_nodes(node.span, body, *initial, made_loop);
  if (!carried.has_value()) return;
  made_loop.initial = std::move(*carried);
  if (!loop_keeps_types(body, made_loop)) return;
  if (body.pipeline.has_value() && !plan_pipeline(node.span, body, made_loop)) return;
  std::vector<ArrayType> types;
  for (const NodeId value : made_loop.initial) types.push_back(type(value));
  note_types(id, types);
  keep(id, std::vector{emit(node.span, std::move(types), std::move(made_loop))});
}

bool Inserter::loop_keeps_types(const open::Loop& loop, const Loop& made_loop) {
  for (std::size_t k = 0; k < made_loop.initial.size(); ++k) {
    const ArrayType& before = type(made_loop.initial[k]);
    const ArrayType& after = type(made_loop.body.results[k]);
    if (synth::same_type(before, after)) continue;
    TESSERA_CHECK(k < loop.names.size(), "a gradient's loop does not keep its types");
    // A loop around this one may carry the start, and begin in that layout: then its body is closed again.
    const auto around = starts_.find(made_by(program_, loop.initial[k].value).back());
    if (around != starts_.end() && after.layout().pending().empty() && after.mesh() == before.mesh()) {
      around->second = after.layout();
      return false;
    }
    // What is whole becomes any other without a move; the body would move it in each turn.
    const bool is_easier_first = before.layout().is_replicated() && after.layout().pending().empty();
    const std::string first = fmt::format(
        "start with that layout, which moves nothing: `as {}`, or `zeros(like=...)` of an array that lies so",
        text(after));
    const std::string last = fmt::format("end the body with `as {}`, or start with that layout", text(before));
    report(base::make(Kind::loop_carried, loop.names[k].text, text(before), text(after))
               .at(loop.body_span, text(after))
               .also(loop.names[k].span, text(before))
               .suggest(is_easier_first ? first : last));
    return false;
  }
  return true;
}

}  // namespace tessera::typeck
