// `loop` and `pipeline`: what is carried from turn to turn, how many turns there are, and the condition of `while`.
//
// A condition is one more carried value, a bool: it is computed from what the loop starts with, and in each turn from
// what the turn ends with. Example: `loop x = 1 while x < 9 { x * 2 }` is
// `loop x = 1, more = 1 < 9 { let y = x * 2; (y, y < 9) }`, which ends when `more` is false.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/nearest.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/records.hpp"
#include "typeck/elaborate/unrolled.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

bool names_no_axis(const open::WrittenLayout& layout) {
  return layout.pending.empty() &&
         std::ranges::all_of(layout.splits, [](const AxisList& axes) { return axes.empty(); });
}

bool is_made_in_place(const frontend::Expr& expr) {
  return std::holds_alternative<frontend::Call>(expr.node) ||
         std::holds_alternative<frontend::ListLiteral>(expr.node) || std::holds_alternative<frontend::With>(expr.node);
}

// Is it made where it stands, by a constructor or a literal that names no axis, perhaps with parts replaced?
bool lies_freely(Elaborator& elaborator, const open::Use& start) {
  if (start.expr.valid() && !is_made_in_place(elaborator.ast()[start.expr])) return false;
  const open::Node& node = elaborator.program().nodes[start.value];
  if (const auto* as = std::get_if<open::As>(&node.body)) return !as->is_as && names_no_axis(as->layout);
  const auto* compute = std::get_if<open::Compute>(&node.body);
  if (compute == nullptr) return false;
  if (const auto* make = std::get_if<open::Make>(&compute->operation))
    return !make->is_like && names_no_axis(make->layout);
  if (const auto* own = std::get_if<synth::Operation>(&compute->operation))
    return std::holds_alternative<synth::Constant>(*own);
  const bool goes_on = std::holds_alternative<open::Update>(compute->operation) ||
                       std::holds_alternative<open::Finish>(compute->operation);
  return goes_on && lies_freely(elaborator, compute->operands.at(0));
}

// ---- scan

bool has_known_turns(Elaborator& elaborator, const frontend::Loop& loop, const open::Loop& made_loop) {
  if (made_loop.known_count.has_value()) return true;
  elaborator.report(
      base::make(Kind::scan_turns)
          .at(elaborator.ast()[loop.bound].span)
          .suggest("write a number, `size(a, dim=0)` or a top-level name of one; a `loop` whose body ends in "
                   "`kept with [i] = v` takes any number of turns"));
  return false;
}

// What is kept of a turn, taken from behind what is carried; nothing (reported) where there is none.
std::vector<Checked> kept_of_turn(Elaborator& elaborator, const frontend::Loop& loop, Checked& body) {
  std::vector<Checked> all = elaborator.parts(body);
  const std::size_t carried = loop.carried.size();
  if (all.size() <= carried) {
    elaborator.report(
        base::make(Kind::scan_count, carried, all.size())
            .at(body.span)
            .suggest("end the body with the carried values of the next turn, then what is kept of this one, as in "
                     "`(w, sum(w))`; to keep nothing write `loop`"));
    return {};
  }
  const auto first_kept = all.begin() + static_cast<std::ptrdiff_t>(carried);
  const std::vector<Checked> next(all.begin(), first_kept);
  const Span span = body.span;
  body = next.size() == 1 ? next.front() : tuple_of(next);
  body.span = span;
  all.erase(all.begin(), first_kept);
  return all;
}

std::vector<Checked> arrays_of_all(const std::vector<Checked>& values) {
  std::vector<Checked> all;
  for (const Checked& value : values) {
    for (Checked& array : arrays_of(value)) all.push_back(std::move(array));
  }
  return all;
}

// Where a field of a record that is written out was written; not valid for a field of any other record.
ExprId expr_of_field(const Ast& ast, ExprId id, std::string_view field) {
  const auto* const record = std::get_if<frontend::Record>(&ast[id].node);
  if (record == nullptr || record->base.valid()) return {};
  for (const frontend::Field& own : record->fields) {
    if (own.name.text == field)
      return std::holds_alternative<frontend::Record>(ast[own.value].node) ? ExprId{} : own.value;
    if (field.starts_with(own.name.text + "."))
      return expr_of_field(ast, own.value, field.substr(own.name.text.size() + 1));
  }
  return {};
}

// What is kept is a row of an array that the loop carries, too, and that begins with zeros.
bool keep_rows(Elaborator& elaborator, const std::vector<Checked>& kept, const Checked& index, open::Loop& made_loop) {
  for (const Checked& row : arrays_of_all(kept)) {
    const open::Type own = elaborator.type(row);
    Shape shape = own.shape();
    if (shape.size() == synth::kRankMax) {
      elaborator.report(
          base::make(Kind::rank_mismatch, "what a scan keeps", fmt::format("rank {} at most", synth::kRankMax - 1),
                     fmt::format("rank {}", shape.size()))
              .at(row.span, elaborator.text(row))
              .suggest("all turns are kept in one array of one rank more: reshape it to fewer dimensions"));
      return false;
    }
    shape.insert(0, made_loop.known_count.value());
    const auto all = elaborator.made(row.span, own.element(), shape, own.mesh_ref());
    const MaybeValue at = elaborator.again_on(index, own.mesh_ref());
    if (!all.has_value() || !at.has_value()) return false;
    const ValueId rows = elaborator.parameter(row.span, *all);
    made_loop.initial.push_back({});
    made_loop.parameters.push_back(rows);
    const Checked put =
        elaborator.compute(row.span, *all, open::PutRow{}, {Checked{{rows}, row.span, {}, {}, {}}, row, *at}, "`scan`");
    made_loop.body.results.push_back(Elaborator::use(put));
  }
  return true;
}

// As many values as are carried, with the fields of records in the order in which the loop starts.
MaybeValue carried_next(Elaborator& elaborator, const frontend::Loop& loop, const std::vector<Checked>& initial,
                        const Checked& body) {
  if (body.count() != loop.carried.size()) {
    elaborator.report(base::make(Kind::loop_count, loop.carried.size(), body.count()).at(body.span));
    return std::nullopt;
  }
  std::vector<Checked> all;
  for (const Checked& value : elaborator.parts(body)) {
    const frontend::Name& name = loop.carried[all.size()].name;
    MaybeValue ordered = in_order(elaborator, value, items_of(initial[all.size()]).front(),
                                  fmt::format("the carried value `{}`", name.text), name.span);
    if (!ordered.has_value()) return std::nullopt;
    all.push_back(std::move(*ordered));
  }
  Checked next = all.size() == 1 ? all.front() : tuple_of(all);
  next.span = body.span;
  return next;
}

}  // namespace

MaybeValue Elaborator::check_loop(ExprId id, const frontend::Loop& loop, const Preference& want) {
  if (loop.is_unrolled) return check_unrolled(*this, id, loop, want);
  const Span span = ast()[id].span;
  const std::size_t outer = frame_->locals.size();
  open::Loop made_loop;
  const auto initial = carried_first(loop, want, made_loop);
  const bool counts = count_turns(loop, made_loop, span);
  if (!initial.has_value() || !counts) return std::nullopt;
  if (loop.condition.valid() && !condition_first(loop, *initial, made_loop)) return std::nullopt;
  const auto type_of = [&](const open::Use& value) { return type(value.value); };
  for (const open::Use& value : made_loop.initial) {
    const Span at = made_loop.names[made_loop.parameters.size()].span;
    made_loop.parameters.push_back(parameter(at, type_of(value)));
  }
  std::vector<Checked> carried = *initial;
  std::size_t arrays = 0;
  for (std::size_t k = 0; k < loop.carried.size(); ++k) {
    Checked own{{}, loop.carried[k].name.span, {}, {}, {}, carried[k].items};
    while (own.nodes.size() < carried[k].nodes.size()) own.nodes.push_back(made_loop.parameters[arrays++]);
    carried[k] = names_.with_affine(std::move(own));
    frame_->locals.push_back({loop.carried[k].name.text, carried[k]});
  }
  // The index lives where the first carried value does, so that it can select from it.
  const Span index_span = loop.index ? loop.index->span : span;
  made_loop.index = parameter(index_span, open::Type(ElementType::i64, {}, type_of(made_loop.initial[0]).mesh_ref()));
  const Checked index = names_.with_affine(Checked{{made_loop.index}, index_span, {}, {}, {}});
  if (loop.index) frame_->locals.push_back({loop.index->text, index});
  const bool is_one = loop.carried.size() == 1 && initial->front().is_array();
  const Preference body_want{is_one ? std::optional(type_of(made_loop.initial[0]).element()) : std::nullopt};
  std::vector<Checked> kept;
  bool good =
      (!loop.is_scan || has_known_turns(*this, loop, made_loop)) && in_loop(made_loop, [&] {
        return in_region(made_loop.body, [&] { return loop_turn(loop, index, body_want, *initial, made_loop, kept); });
      });
  frame_->locals.resize(outer);
  if (good && loop.is_pipeline) good = pipelined(loop, made_loop);
  std::vector<open::Type> types;
  for (const ValueId value : made_loop.parameters) types.push_back(type(value));
  const std::size_t given = loop.is_scan ? types.size() : arrays;
  const ValueId node = emit(span, good ? std::move(types) : std::vector<open::Type>{}, std::move(made_loop));
  program_.nodes[node].is_complete = good;
  if (!good) return std::nullopt;
  carried.insert(carried.end(), kept.begin(), kept.end());
  Checked results = elements_of(node, span);
  results.nodes.resize(given);
  results.items = tuple_of(carried).items;
  return names_.with_affine(std::move(results));
}

// The values with which the loop starts.
std::optional<std::vector<Checked>> Elaborator::carried_first(const frontend::Loop& loop, const Preference& want,
                                                              open::Loop& made_loop) {
  std::vector<Checked> all;
  for (const frontend::Carried& carried : loop.carried) {
    const MaybeValue initial =
        check_value(*this, carried.init, Preference{loop.carried.size() == 1 ? want.element : std::nullopt});
    if (!initial.has_value()) continue;
    all.push_back(*initial);
    const std::vector<Checked> arrays = arrays_of(*initial);
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      made_loop.initial.push_back(use(arrays[k]));
      made_loop.names.push_back(carried.name);
      bool is_free = initial->is_array();
      if (initial->is_record()) {
        const std::string& field = initial->items.front()[k];
        made_loop.names.back().text += "." + field;
        made_loop.initial.back().expr = expr_of_field(ast(), carried.init, field);
        is_free = made_loop.initial.back().expr.valid();
      }
      if (is_free && type(arrays[k]).rank() > 0 && lies_freely(*this, made_loop.initial.back()))
        made_loop.fresh.push_back(static_cast<std::uint32_t>(made_loop.initial.size() - 1));
    }
  }
  if (all.size() != loop.carried.size()) return std::nullopt;
  return all;
}

// How many turns there are at most.
bool Elaborator::count_turns(const frontend::Loop& loop, open::Loop& made_loop, Span span) {
  made_loop.is_limited = loop.limit.valid();
  const ExprId written = loop.limit.valid() ? loop.limit : loop.bound;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  MaybeValue count =
      written.valid() ? check_array(written) : MaybeValue(scalar(span, kMost, ElementType::i64, default_mesh()));
  if (written.valid() && count.has_value())
    count = scalar_of(*count, ElementType::i64, loop.limit.valid() ? "the limit of a loop" : "the bound of a loop");
  if (!count.has_value()) return false;
  made_loop.count = use(*count);
  if (!loop.condition.valid()) made_loop.known_count = known_integer(*count);
  return true;
}

// The condition, where the carried names mean these values.
MaybeValue Elaborator::condition_with(const frontend::Loop& loop, const std::vector<Checked>& values,
                                      const Checked& index) {
  const std::size_t outer = frame_->locals.size();
  for (std::size_t k = 0; k < loop.carried.size(); ++k)
    frame_->locals.push_back({loop.carried[k].name.text, names_.with_affine(values[k])});
  if (loop.index) frame_->locals.push_back({loop.index->text, index});
  MaybeValue condition = check_array(loop.condition);
  frame_->locals.resize(outer);
  if (condition.has_value()) condition = scalar_of(*condition, ElementType::boolean, "the condition of `while`");
  if (!condition.has_value()) return std::nullopt;
  return again_on(*condition, type(values.front()).mesh_ref()).value_or(*condition);
}

bool Elaborator::condition_first(const frontend::Loop& loop, const std::vector<Checked>& initial,
                                 open::Loop& made_loop) {
  const Span at = ast()[loop.condition].span;
  const Checked zero = scalar(at, std::int64_t{0}, ElementType::i64, type(initial.front()).mesh_ref());
  const MaybeValue condition = condition_with(loop, initial, zero);
  if (!condition.has_value()) return false;
  made_loop.condition = static_cast<std::uint32_t>(made_loop.initial.size());
  made_loop.initial.push_back(use(*condition));
  made_loop.names.push_back({"the condition", at});
  return true;
}

// The body, and behind it the condition of the next turn.
bool Elaborator::loop_turn(const frontend::Loop& loop, const Checked& index, const Preference& want,
                           const std::vector<Checked>& initial, open::Loop& made_loop, std::vector<Checked>& kept) {
  MaybeValue body = check_block(loop.body, want, true);
  if (!body.has_value()) return false;
  made_loop.body_span = body->span;
  if (loop.is_scan) kept = kept_of_turn(*this, loop, *body);
  if (loop.is_scan && kept.empty()) return false;
  body = carried_next(*this, loop, initial, *body);
  if (!body.has_value() || !loop_keeps_shapes(made_loop, *body)) return false;
  made_loop.body.results = results_of(*body);
  if (loop.is_scan) return keep_rows(*this, kept, index, made_loop);
  if (!loop.condition.valid()) return true;
  const Span at = ast()[loop.condition].span;
  const Checked one = scalar(at, std::int64_t{1}, ElementType::i64, type(index).mesh_ref());
  MaybeValue next = index;
  if (loop.index) next = index_wise_.map(at, synth::MapOp::add, {index, one}, ElementType::i64, "`+`", false);
  const MaybeValue condition = next.has_value() ? condition_with(loop, parts(*body), *next) : std::nullopt;
  if (!condition.has_value()) return false;
  made_loop.body.results.push_back(use(*condition));
  return true;
}

bool Elaborator::pipelined(const frontend::Loop& loop, open::Loop& made_loop) {
  made_loop.pipeline = written_schedule(loop);
  if (!made_loop.known_count.has_value()) {
    report(base::make(Kind::pipeline_count)
               .at(ast()[loop.bound].span)
               .suggest("write a number, `size(a, dim=0)` or a top-level name of one; or `loop`"));
  }
  return made_loop.pipeline.has_value() && made_loop.known_count.has_value();
}

std::optional<synth::Schedule> Elaborator::written_schedule(const frontend::Loop& loop) {
  if (!loop.schedule.has_value()) return synth::Schedule::automatic;
  const auto schedule = synth::schedule_by_name(loop.schedule->text);
  if (schedule.has_value()) return schedule;
  const std::vector<std::string> names = synth::schedule_names();
  const auto near = base::nearest(loop.schedule->text, names);
  const std::string help =
      near.has_value() ? fmt::format("did you mean `{}`?", *near) : fmt::format("there are {}", fmt::join(names, ", "));
  report(base::make(Kind::pipeline_schedule, loop.schedule->text).at(loop.schedule->span).suggest(help));
  return std::nullopt;
}

// A value may come in another layout, of which insertion says whether it is one.
bool Elaborator::loop_keeps_shapes(const open::Loop& made_loop, const Checked& body) {
  for (std::size_t k = 0; k < body.nodes.size(); ++k) {
    const open::Type& before = type(made_loop.initial[k].value);
    const open::Type& after = type(body.nodes[k]);
    const bool is_kept = before.element() == after.element() && before.shape() == after.shape();
    if (is_kept) continue;
    std::string help;
    if (before.element() != after.element() && before.shape() == after.shape())
      help = fmt::format("end the body with a cast, `{}(...)`", synth::name(before.element()));
    report(
        base::make(Kind::loop_carried, made_loop.names[k].text, text(made_loop.initial[k].value), text(body.nodes[k]))
            .at(body.span, text(body.nodes[k]))
            .also(made_loop.names[k].span, text(made_loop.initial[k].value))
            .suggest(help));
    return false;
  }
  return true;
}

}  // namespace tessera::typeck
