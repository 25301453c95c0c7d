// Productions that select elements: indices and slices, take, one_hot, update, with.
#include <fmt/format.h>

#include <algorithm>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

namespace {

Facts selected(const Want& want, const ExpressionRef& a) {
  return of_choice(derived(want.element, want.shape, {a->facts}), {a->facts});
}

// One subscript of a larger array.
struct Subscript {
  std::int64_t extent = 0;  // of the array
  std::string text;
};

// A constant range of the wanted length, written in one of the ways there are.
Subscript range(Random& random, std::int64_t length) {
  const std::int64_t before = random.below(4);
  const std::int64_t after = random.below(4);
  const std::int64_t extent = before + length + after;
  if (before + after == 0) return {extent, ":"};
  const std::string start = before == 0 && random.chance(50) ? "" : std::to_string(before);
  if (after == 0 && random.chance(50)) return {extent, start + ":"};
  const bool negative = after > 0 && random.chance(30);
  return {extent, fmt::format("{}:{}", start, negative ? -after : before + length)};
}

// `stop:start:-step` of so many elements, the last of which is at `first`.
Subscript backward_range(Random& random, std::int64_t length, std::int64_t first, std::int64_t step) {
  const std::int64_t start = first + std::max<std::int64_t>(0, length - 1) * step;
  const std::int64_t extent = std::max<std::int64_t>(1, start + 1 + random.below(4));
  if (length == 0) return {extent, fmt::format("{}:{}:-{}", first, start, step)};
  const std::int64_t stop = first - random.between(1, step);
  const std::string from = start == extent - 1 && random.chance(50) ? "" : std::to_string(start);
  return {extent, fmt::format("{}:{}:-{}", from, stop < 0 ? "" : std::to_string(stop), step)};
}

// Every second element, or every third, ..., backwards too.
Subscript stepped_range(Random& random, std::int64_t length) {
  const std::int64_t step = random.between(2, 4);
  const std::int64_t before = random.below(3);
  if (random.chance(40)) return backward_range(random, length, before, random.between(1, 3));
  const std::int64_t stop = before + (length == 0 ? 0 : (length - 1) * step + random.between(1, step));
  const std::int64_t extent = stop + random.below(4);
  const std::string start = before == 0 && random.chance(50) ? "" : std::to_string(before);
  const bool is_last = stop == extent && random.chance(50);
  return {extent, fmt::format("{}:{}:{}", start, is_last ? "" : std::to_string(stop), step)};
}

Subscript single(Random& random) {
  const std::int64_t extent = random.between(1, 6);
  return {extent, std::to_string(random.between(-extent, extent - 1))};
}

ExpressionRef part(Maker& maker, const Want& want, int depth) {
  Random& random = maker.random;
  Shape from;
  std::vector<std::string> subscripts;
  const auto add = [&](const Subscript& subscript) {
    from.push_back(subscript.extent);
    subscripts.push_back(subscript.text);
  };
  for (const std::int64_t extent : want.shape) {
    if (random.chance(20) && from.size() + 1 < kRankMax) add(single(random));
    if (random.chance(40)) {
      add(Subscript{extent, ":"});
    } else {
      add(random.chance(30) ? stepped_range(random, extent) : range(random, extent));
    }
  }
  if (subscripts.empty() || (random.chance(20) && from.size() < kRankMax)) add(single(random));
  if (count(from) > kElementsMax || from.size() > kRankMax) return nullptr;
  const ExpressionRef a = maker.make({want.element, from, want.certain}, depth);
  const std::string form = fmt::format("$0[{}]", fmt::join(subscripts, ", "));
  return node(selected(want, a), form, form, {a});
}

// `{ let i = ...; a[i:i + 3, j] }`: run-time positions, constant lengths.
ExpressionRef run_time_slice(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty() || want.shape.size() + 1 > kRankMax) return nullptr;
  const std::string start = maker.fresh("p");
  const std::int64_t room = maker.random.between(1, 5);
  const std::int64_t row = maker.random.between(1, 4);
  Shape from = want.shape;
  const std::size_t at = maker.random.index(want.shape);
  from[at] += room - 1;
  const bool drops = maker.random.chance(50);
  if (drops) from.insert(from.begin(), row);
  if (count(from) > kElementsMax) return nullptr;
  const ExpressionRef a = maker.make({want.element, from, want.certain}, depth);
  const ExpressionRef first = maker.position(room, depth);
  const ExpressionRef second = maker.position(row, depth);
  std::string subscripts = drops ? "$2, " : "";
  for (std::size_t d = 0; d < at; ++d) subscripts += ":, ";
  subscripts += fmt::format("{0}:{0} + {1}", start, want.shape[at]);
  const std::string tessera = fmt::format("({{ let {} = $1; $0[{}] }})", start, subscripts);
  const std::string numpy = fmt::format("(lambda {}: $0[{}])($1)", start, subscripts);
  Facts facts = of_choice(derived(want.element, want.shape, {a->facts, first->facts, second->facts}), {a->facts});
  return node(facts, tessera, numpy, {a, first, second});
}

ExpressionRef take(Maker& maker, const Want& want, int depth) {
  const auto of_ids = static_cast<std::ptrdiff_t>(maker.random.below(static_cast<std::int64_t>(want.shape.size()) + 1));
  const std::int64_t rows = maker.random.between(1, 7);
  const Shape ids_shape(want.shape.begin(), want.shape.begin() + of_ids);
  Shape table_shape(want.shape.begin() + of_ids, want.shape.end());
  table_shape.insert(table_shape.begin(), rows);
  if (count(table_shape) > kElementsMax) return nullptr;
  const Element id = maker.random.chance(50) ? Element::i64 : Element::i32;
  const ExpressionRef table = maker.make({want.element, table_shape, want.certain}, depth);
  const ExpressionRef ids = maker.make({id, ids_shape, true}, depth);
  const ExpressionRef bounded = node(settled(ids->facts, static_cast<double>(rows), 0), fmt::format("($0 % {})", rows),
                                     fmt::format("($0 % {}({}))", numpy_name(id), rows), {ids});
  std::string table_letters = "a";
  std::string ids_letters;
  for (std::size_t d = 0; d < want.shape.size(); ++d)
    (static_cast<std::ptrdiff_t>(d) < of_ids ? ids_letters : table_letters) += static_cast<char>('b' + d);
  const auto all = agreeing(maker, {table, bounded}, {table_letters, ids_letters});
  Facts facts = of_choice(derived(want.element, want.shape, facts_of(all)), {table->facts});
  facts.zero_signs = facts.zero_signs && !is_float(want.element);
  return node(facts, "take($0, $1)", "np.take($0, $1, axis=0)", all);
}

ExpressionRef one_hot(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::f32 || want.shape.empty() || want.shape.back() == 0) return nullptr;
  const std::int64_t n = want.shape.back();
  const Shape shape(want.shape.begin(), want.shape.end() - 1);
  const ExpressionRef ids = maker.make({Element::i64, shape, true}, depth);
  const Facts facts = settled(derived(want.element, want.shape, {ids->facts}), 1, 0);
  return node(facts, fmt::format("one_hot($0 % {0}, {0})", n), fmt::format("one_hot($0 % {0}, {0})", n), {ids});
}

std::string letters_from(char first, std::size_t rank) {
  std::string letters;
  for (std::size_t d = 0; d < rank; ++d) letters += static_cast<char>(first + static_cast<char>(d));
  return letters;
}

// Only certain values are looked up: others may fall on either side of an edge.
ExpressionRef searched(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::i64) return nullptr;
  const Element element = maker.random.chance(50) ? Element::f32 : Element::i32;
  const std::int64_t edges = maker.random.below(9);
  const ExpressionRef vector = maker.make({element, {edges}, true}, depth);
  const ExpressionRef a = maker.make({element, want.shape, true}, depth);
  const auto all = agreeing(maker, {vector, a}, {"a", letters_from('b', want.shape.size())});
  const Facts facts = settled(derived(want.element, want.shape, facts_of(all)), static_cast<double>(edges), 0);
  const bool right = maker.random.chance(50);
  return node(facts, fmt::format("searchsorted(sort($0, 0), $1{})", right ? ", right=true" : ""),
              fmt::format("np.searchsorted(np.sort($0), $1, side='{}')", right ? "right" : "left"), all);
}

// How often ids stand there, or the sum of their weights, which NumPy adds up in f64.
ExpressionRef counted(Maker& maker, const Want& want, int depth) {
  const bool weighs = is_float(want.element) && !want.certain;
  if (want.shape.size() != 1 || want.shape[0] == 0 || (want.element != Element::i64 && !weighs)) return nullptr;
  const std::int64_t n = want.shape[0];
  const Shape shape = maker.random_shape();
  if (count(shape) > kElementsMax) return nullptr;
  std::vector<ExpressionRef> all = {maker.make({Element::i64, shape, true}, depth)};
  if (!weighs) {
    const Facts facts = settled(derived(want.element, want.shape, facts_of(all)), static_cast<double>(count(shape)), 0);
    return node(facts, fmt::format("bincount($0 % {0}, {0})", n),
                fmt::format("np.bincount(np.ravel($0 % {0}), minlength={0})", n), all);
  }
  all.push_back(maker.make({want.element, shape, false}, depth));
  const Facts facts = of_total(derived(want.element, want.shape, facts_of(all)), all[1]->facts, count(shape));
  return node(
      facts, fmt::format("bincount($0 % {0}, {0}, weights=$1)", n),
      fmt::format("np.bincount(np.ravel($0 % {0}), np.ravel($1), {0}).astype({1})", n, numpy_name(want.element)), all);
}

ExpressionRef histogram(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::i64 || want.shape.size() != 1 || want.shape[0] == 0) return nullptr;
  const Element element = maker.random.chance(50) ? Element::f32 : Element::i32;
  const ExpressionRef edges = maker.make({element, {want.shape[0] + 1}, true}, depth);
  const Shape shape = maker.random_shape();
  if (count(shape) > kElementsMax) return nullptr;
  const ExpressionRef a = maker.make({element, shape, true}, depth);
  const auto all = agreeing(maker, {edges, a}, {"a", letters_from('b', shape.size())});
  const Facts facts = settled(derived(want.element, want.shape, facts_of(all)), static_cast<double>(count(shape)), 0);
  return node(facts, "histogram($1, sort($0, 0))", "counts_between($1, np.sort($0))", all);
}

// The new elements begin at positions of the first dimensions; of one alone it is written without a list.
ExpressionRef update(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  const auto more = maker.random.below(static_cast<std::int64_t>(want.shape.size()));
  const std::size_t placed = maker.random.chance(50) ? 1 : static_cast<std::size_t>(1 + more);
  Shape own = want.shape;
  std::vector<ExpressionRef> all = {maker.make(want, depth)};
  std::vector<std::string> at;
  for (std::size_t d = 0; d < placed; ++d) {
    own[d] = maker.random.below(want.shape[d] + 1);
    all.push_back(maker.position(want.shape[d] - own[d] + 1, depth));
    at.push_back(fmt::format("${}", d + 1));
  }
  all.push_back(maker.make({want.element, own, want.certain}, depth));
  const Facts facts =
      of_choice(derived(want.element, want.shape, facts_of(all)), {all.front()->facts, all.back()->facts});
  const std::string list = fmt::format("[{}]", fmt::join(at, ", "));
  const bool is_alone = placed == 1 && maker.random.chance(70);
  return node(facts, fmt::format("update($0, {}, ${})", is_alone ? "$1" : list, placed + 1),
              fmt::format("update($0, {}, ${})", list, placed + 1), all);
}

// The subscripts of one part of an array of this shape, and the shape that it has.
struct PartOf {
  std::string subscripts;
  Shape shape;
};

// A range of a dimension, by a step or not, that may be empty.
std::string range_in(Random& random, std::int64_t extent, Shape& shape) {
  const std::int64_t start = random.below(extent + 1);
  const std::int64_t stop = random.between(start, extent);
  const std::int64_t step = random.chance(30) ? random.between(2, 3) : 1;
  shape.push_back((stop - start + step - 1) / step);
  const bool negative = stop > start && stop < extent && random.chance(30);
  const std::string range = fmt::format("{}:{}", start, negative ? stop - extent : stop);
  return step == 1 ? range : fmt::format("{}:{}", range, step);
}

// Positions that are known only at run time are appended to `operands`.
PartOf part_in(Maker& maker, const Shape& whole, int depth, std::vector<ExpressionRef>& operands) {
  PartOf part;
  for (const std::int64_t extent : whole) {
    std::string one = ":";
    if (extent > 0 && maker.random.chance(25)) {
      one = std::to_string(maker.random.between(-extent, extent - 1));
    } else if (extent > 0 && maker.random.chance(20)) {
      one = fmt::format("${}", operands.size());
      operands.push_back(maker.position(extent, depth));
    } else if (maker.random.chance(60)) {
      one = range_in(maker.random, extent, part.shape);
    } else {
      part.shape.push_back(extent);
    }
    part.subscripts += (part.subscripts.empty() ? "" : ", ") + one;
  }
  return part;
}

// A shape that repeats to the given one.
Shape repeating_to(Random& random, const Shape& shape) {
  Shape own;
  const std::size_t dropped = random.chance(50) ? 0 : random.index(shape.empty() ? Shape{0} : shape);
  for (std::size_t d = std::min(dropped, shape.size()); d < shape.size(); ++d)
    own.push_back(random.chance(25) ? 1 : shape[d]);
  return random.chance(20) ? Shape{} : own;
}

// One part or two are replaced, by arrays of their shapes or by what repeats to them.
ExpressionRef with(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty()) return nullptr;
  std::vector<ExpressionRef> all = {maker.make(want, depth)};
  std::vector<Facts> chosen = {all.front()->facts};
  std::string tessera = "($0 with ";
  std::string numpy = "replaced($0";
  for (int k = maker.random.chance(30) ? 2 : 1; k > 0; --k) {
    const PartOf part = part_in(maker, want.shape, depth, all);
    const std::string v = fmt::format("${}", all.size());
    all.push_back(maker.make({want.element, repeating_to(maker.random, part.shape), want.certain}, depth));
    chosen.push_back(all.back()->facts);
    tessera += fmt::format("[{}] = ({}){}", part.subscripts, v, k > 1 ? ", " : ")");
    numpy += fmt::format(", (np.s_[{}], {})", part.subscripts, v);
  }
  return node(of_choice(derived(want.element, want.shape, facts_of(all)), chosen), tessera, numpy + ")", all);
}

ExpressionRef allclose(Maker& maker, const Want& want, int depth) {
  if (want.element != Element::boolean || !want.shape.empty()) return nullptr;
  const Element element = maker.random.chance(50) ? Element::f32 : Element::f64;
  const ExpressionRef a = maker.make({element, maker.random_shape(), true}, depth);
  const Facts facts = settled(derived(Element::boolean, {}, {a->facts}), 1, 0);
  return node(facts, "allclose($0, $0, rtol=0.0, atol=0.625)", "np.bool_(True)", {a});
}

}  // namespace

std::vector<Production> selection_productions() {
  return {{"slice", 7, part},        {"run-time slice", 4, run_time_slice},
          {"take", 4, take},         {"one-hot", 3, one_hot},
          {"update", 4, update},     {"with", 6, with},
          {"allclose", 2, allclose}, {"searched", 2, searched},
          {"counted", 2, counted},   {"histogram", 1, histogram}};
}

}  // namespace tessera::generator
