// Loops that are unrolled when they are checked: what they carry may have another shape, layout or element type in each
// turn, and a number that they carry is known.
#include "tests/generator/unrolled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tests/generator/layouts.hpp"

namespace tessera::generator {

namespace {

struct Names {
  std::string carried;
  std::string index;
};

// What a turn makes of the carried value, and what the first one begins with.
struct Turn {
  Want start;
  std::string tessera = {};
  std::string numpy = {};
  std::vector<std::string> extents = {};       // of what the turn gives, where they are written
  std::vector<std::int64_t> added_up = {};     // how many elements become one in each turn; none: they move
  std::string number = {}, first_number = {};  // that is carried, too, and is halved in each turn
  std::string condition = {};                  // of its turns
  ExpressionRef part = nullptr;                // stands at `$1`
};

std::string at(std::size_t dimension, std::string_view range) {
  std::string text;
  for (std::size_t d = 0; d < dimension; ++d) text += ":, ";
  return fmt::format("[{}{}]", text, range);
}

bool is_too_large(const Shape& shape) { return count(shape) > kElementsMax; }

std::string word_of_sum(Element element, Language language) {
  if (element != Element::boolean) return "+";
  return language == Language::tessera ? "||" : "|";
}

std::string halved_text(Element element, std::string text, Language language) {
  if (!is_float(element)) return text;
  return fmt::format("{} * {}", text, language == Language::tessera ? "0.5" : numpy_literal(element, "0.5"));
}

// The halves of a dimension, added; where they meet is a number of the index, of the extent, or one that is carried.
std::optional<Turn> halves(Maker& maker, const Want& want, const Names& names, std::int64_t turns) {
  if (want.shape.empty()) return std::nullopt;
  const std::size_t d = maker.random.index(want.shape);
  Turn turn{want};
  std::int64_t& extent = turn.start.shape[d];
  extent <<= turns;
  if (is_too_large(turn.start.shape)) return std::nullopt;
  std::string half = fmt::format("size({}, {}) / 2", names.carried, d);
  const std::int64_t way = maker.random.below(3);
  if (way == 0) half = fmt::format("{} / 2 ** ({} + 1)", maker.extent(extent), names.index);
  if (way == 1) {
    turn.number = maker.fresh("n");
    turn.first_number = maker.extent(extent);
    half = turn.number + " / 2";
    if (want.shape[d] > 0) turn.condition = fmt::format("{} > {}", turn.number, want.shape[d]);
  }
  const auto text = [&](std::string_view middle, Language language) {
    return halved_text(want.element,
                       fmt::format("({0}{1} {3} {0}{2})", names.carried, at(d, fmt::format(":{}", middle)),
                                   at(d, fmt::format("{}:", middle)), word_of_sum(want.element, language)),
                       language);
  };
  turn.tessera = text(half, Language::tessera);
  turn.numpy = text(fmt::format("np.shape({})[{}] // 2", names.carried, d), Language::numpy);
  for (const std::int64_t own : want.shape) turn.extents.push_back(maker.extent(own));
  turn.extents[d] = fmt::format("({})", half);
  return turn;
}

// Every second element, or every one whose distance grows with the index.
std::optional<Turn> strides(Maker& maker, const Want& want, const Names& names, std::int64_t turns) {
  if (want.shape.empty()) return std::nullopt;
  const std::size_t d = maker.random.index(want.shape);
  Turn turn{want};
  const bool grows = maker.random.chance(50);
  std::int64_t& extent = turn.start.shape[d];
  for (std::int64_t k = turns; k > 0 && extent > 0; --k) {
    const std::int64_t step = grows ? k : 2;
    extent = extent * step - maker.random.below(step);
  }
  if (is_too_large(turn.start.shape)) return std::nullopt;
  turn.numpy = names.carried + at(d, grows ? fmt::format("::{} + 1", names.index) : "::2");
  turn.tessera = turn.numpy;
  return turn;
}

// Without elements at one of its ends.
std::optional<Turn> ends_cut(Maker& maker, const Want& want, const Names& names, std::int64_t turns) {
  if (want.shape.empty()) return std::nullopt;
  const std::size_t d = maker.random.index(want.shape);
  Turn turn{want};
  const bool grows = maker.random.chance(50);
  turn.start.shape[d] += grows ? turns * (turns - 1) / 2 : turns;
  if (is_too_large(turn.start.shape)) return std::nullopt;
  const std::string range = grows ? names.index + ":" : maker.random.chance(50) ? "1:" : ":-1";
  turn.numpy = turn.tessera = names.carried + at(d, range);
  return turn;
}

// As many equal elements behind the others as the index says.
Turn grown_by_index(Maker& maker, Turn turn, std::size_t dimension, const Names& names) {
  std::vector<std::string> extents;
  for (const std::int64_t own : turn.start.shape) extents.push_back(std::to_string(own));
  extents[dimension] = names.index;
  const std::string shape = fmt::format("[{}]", fmt::join(extents, ", "));
  turn.part = literal(maker.random, turn.start.element);
  turn.tessera =
      fmt::format("concat([{}, full({}{}, $1)], {})", names.carried, name(turn.start.element), shape, dimension);
  turn.numpy = fmt::format("np.concatenate([{}, np.full({}, $1)], axis={})", names.carried, shape, dimension);
  return turn;
}

// Grown by itself, by its first elements, or by as many others as the index says.
std::optional<Turn> grown(Maker& maker, const Want& want, const Names& names, std::int64_t turns) {
  if (want.shape.empty()) return std::nullopt;
  const std::size_t d = maker.random.index(want.shape);
  Turn turn{want};
  std::int64_t& extent = turn.start.shape[d];
  const std::string& w = names.carried;
  std::string more = w;
  const std::int64_t way = maker.random.below(3);
  if (way == 0) {
    if (extent % (std::int64_t{1} << turns) != 0) return std::nullopt;
    extent >>= turns;
  } else if (way == 1) {
    if (extent <= turns) return std::nullopt;
    extent -= turns;
    more = w + at(d, ":1");
  } else {
    extent -= turns * (turns - 1) / 2;
    if (extent < 0) return std::nullopt;
    return grown_by_index(maker, std::move(turn), d, names);
  }
  turn.tessera = fmt::format("concat([{}, {}], {})", more, w, d);
  turn.numpy = fmt::format("np.concatenate([{}, {}], axis={})", more, w, d);
  return turn;
}

// A dimension less in each turn: added up, or one position of it.
std::optional<Turn> dimension_less(Maker& maker, const Want& want, const Names& names, std::int64_t turns) {
  Turn turn{want};
  if (want.shape.size() + static_cast<std::size_t>(turns) > kRankMax) return std::nullopt;
  for (std::int64_t k = 0; k < turns; ++k)
    turn.start.shape.insert(turn.start.shape.begin(), maker.random.between(turns, turns + 2));
  if (is_too_large(turn.start.shape)) return std::nullopt;
  const std::string& w = names.carried;
  const bool adds = !(want.certain && is_float(want.element)) && maker.random.chance(60);
  if (!adds) {
    turn.tessera = turn.numpy = fmt::format("{}[{}]", w, names.index);
  } else if (want.element == Element::boolean) {
    turn.tessera = fmt::format("any({}, dim=0)", w);
    turn.numpy = fmt::format("np.any({}, axis=0)", w);
  } else {
    turn.tessera = fmt::format("sum({}, dim=0)", w);
    turn.numpy = fmt::format("np.sum({}, axis=0, dtype={})", w, numpy_name(want.element));
    turn.added_up.assign(turn.start.shape.begin(), turn.start.shape.begin() + turns);
  }
  return turn;
}

// A dimension after the other is turned, or all change places.
std::optional<Turn> turned(Maker& maker, const Want& want, const Names& names, std::int64_t turns) {
  Turn turn{want};
  const std::string& w = names.carried;
  const std::int64_t way = maker.random.below(3);
  if (way < 2 && turns > static_cast<std::int64_t>(want.shape.size())) return std::nullopt;
  if (way == 0) {
    const std::int64_t by = maker.random.between(-4, 4);
    turn.tessera = fmt::format("roll({}, {}, {})", w, by, names.index);
    turn.numpy = fmt::format("np.roll({}, {}, axis={})", w, by, names.index);
  } else if (way == 1) {
    turn.tessera = fmt::format("reverse({}, {})", w, names.index);
    turn.numpy = fmt::format("np.flip({}, {})", w, names.index);
  } else {
    if (want.shape.size() < 2) return std::nullopt;
    if (turns % 2 == 1) turn.start.shape = {want.shape.rbegin(), want.shape.rend()};
    turn.tessera = fmt::format("transpose({})", w);
    turn.numpy = fmt::format("np.transpose({})", w);
  }
  return turn;
}

// Another element type from the first turn on.
std::optional<Turn> cast(Maker& maker, const Want& want, const Names& names, std::int64_t turns) {
  constexpr std::array kToFloats = {Element::boolean, Element::i32, Element::f32, Element::f64};
  constexpr std::array kToIntegers = {Element::boolean, Element::i32, Element::i64};
  const Element from = is_float(want.element) ? maker.random.pick(kToFloats) : maker.random.pick(kToIntegers);
  if (turns == 0 || from == want.element) return std::nullopt;
  Turn turn{{from, want.shape, want.certain || !is_float(want.element)}};
  turn.tessera = fmt::format("{}({})", name(want.element), names.carried);
  turn.numpy = fmt::format("cast({}, {})", names.carried, numpy_name(want.element));
  return turn;
}

// The same type throughout; anything of the carried value and the index, which is a number.
std::optional<Turn> same_type(Maker& maker, const Want& want, const Names& names, std::int64_t) {
  Turn turn{want};
  for (const std::int64_t own : want.shape) turn.extents.push_back(maker.extent(own));
  std::vector<Variable> scope = {{names.index, settled(derived(Element::i64, {}, {}), 4, 0)}};
  if (is_float(want.element)) {
    turn.tessera = fmt::format("({} * 0.5 + $1)", names.carried);
    turn.numpy = fmt::format("({} * {} + $1)", names.carried, numpy_literal(want.element, "0.5"));
  } else {
    scope.push_back({names.carried, settled(derived(want.element, want.shape, {}), 1e300, 0)});
    turn.tessera = turn.numpy = "$1";
  }
  turn.part = maker.make_with(scope, want, 2);
  return turn;
}

// What a turn gives adds up at most this: elements, the part that it adds or places, and a scalar.
Facts after(const Turn& turn, const Want& want, std::int64_t turns, const std::vector<ExpressionRef>& all) {
  Facts facts = derived(want.element, want.shape, facts_of(all));
  if (!is_float(want.element)) return settled(facts, 1e300, 0);
  if (!turn.added_up.empty()) facts.same_bits = facts.portable = false;
  double magnitude = all[0]->facts.magnitude;
  double error = all[0]->facts.error;
  for (std::size_t k = 0; k < static_cast<std::size_t>(turns); ++k) {
    const double terms = turn.added_up.empty() ? 1 : static_cast<double>(turn.added_up[k]);
    magnitude *= terms;
    error *= terms;
    for (std::size_t j = 1; j < all.size(); ++j) {
      magnitude += all[j]->facts.magnitude;
      error += all[j]->facts.error;
    }
    error += (terms + 8) * unit(want.element) * magnitude;
  }
  return settled(facts, magnitude, error);
}

using Form = std::optional<Turn> (*)(Maker& maker, const Want& want, const Names& names, std::int64_t turns);
constexpr auto kForms =
    std::to_array<Form>({halves, halves, strides, ends_cut, grown, dimension_less, turned, cast, same_type});

// The body takes the mean with a scalar that may depend on the index, or adds it.
void add_scalar(Maker& maker, const Want& want, const Names& names, Turn& turn, std::vector<ExpressionRef>& all) {
  const Variable index{names.index, settled(derived(Element::i64, {}, {}), 4, 0)};
  all.push_back(maker.make_with({index}, {want.element, {}, want.certain}, 2));
  const auto text = [&](const std::string& made, Language language) {
    return fmt::format("{} {} ${}", halved_text(want.element, made, language), word_of_sum(want.element, language),
                       all.size() - 1);
  };
  turn.tessera = text(turn.tessera, Language::tessera);
  turn.numpy = text(turn.numpy, Language::numpy);
}

// The loop, of which a condition says now and then how many turns there are.
std::string loop_text(Maker& maker, const Turn& turn, const Names& names, std::int64_t turns) {
  const std::string count = maker.extent(turns);
  std::string head = fmt::format("for const {} < {}", names.index, count);
  const std::int64_t more = turns + maker.random.below(3);
  if (!turn.condition.empty())
    head = fmt::format("for const {} < 9 while {}", names.index, turn.condition);
  else if (maker.random.chance(20))
    head = fmt::format("for const {0} < {1} while {0} < {2}", names.index, more, count);
  if (turn.number.empty()) return fmt::format("(loop {} = $0 {} {{ {} }})", names.carried, head, turn.tessera);
  return fmt::format("({{ let ({0}, {1}) = loop {0} = $0, {1} = {2} {3} {{ ({4}, {1} / 2) }}; {0} }})", names.carried,
                     turn.number, turn.first_number, head, turn.tessera);
}

// Floats are made of integers that they hold.
ExpressionRef held(const ExpressionRef& start, Element element) {
  if (!is_integer(start->facts.element) || !is_float(element)) return start;
  return node(settled(start->facts, 1000, 0), "($0 % 1000)",
              fmt::format("($0 % {}(1000))", numpy_name(start->facts.element)), {start});
}

}  // namespace

ExpressionRef unrolled(Maker& maker, const Want& want, int depth) {
  const std::int64_t turns = maker.random.below(4);
  const Names names{maker.fresh("w"), maker.fresh("k")};
  auto turn = maker.random.pick(kForms)(maker, want, names, turns);
  if (!turn.has_value()) return nullptr;
  std::vector<ExpressionRef> all = {held(maker.make(turn->start, depth), want.element)};
  if (turn->part != nullptr) all.push_back(turn->part);
  if (maker.random.chance(50)) add_scalar(maker, want, names, *turn, all);
  if (!turn->extents.empty() && maker.random.chance(40))
    turn->tessera +=
        fmt::format(" as {}{}", name(want.element),
                    layout_text(turn->extents, random_layout(maker.random, want.shape.size(), Pending::none)));
  const std::string numpy =
      fmt::format("loop(lambda {}, {}: {}, {}, $0)", names.index, names.carried, turn->numpy, turns);
  return node(after(*turn, want, turns, all), loop_text(maker, *turn, names, turns), numpy, all);
}

std::string unrolled_statement(Maker& maker) {
  std::vector<Variable> fitting;
  for (const Variable& one : maker.scope) {
    if (!one.facts.shape.empty()) fitting.push_back(one);
  }
  if (fitting.empty()) return "";
  const Variable& start = maker.random.pick(fitting);
  const std::size_t d = maker.random.index(start.facts.shape);
  const std::int64_t extent = start.facts.shape[d];
  const std::int64_t turns = maker.random.below(std::min<std::int64_t>(extent, 3) + 1);
  return fmt::format("loop w = {0} for const k < {1} {{ assert size(w, {2}) == {3} - k; print \"=\"; w{4} }}",
                     start.name, maker.extent(turns), d, extent, at(d, "1:"));
}

}  // namespace tessera::generator
