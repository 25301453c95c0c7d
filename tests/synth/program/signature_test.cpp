// Index signatures and the types of operations say the same, for every operation, on all layouts of small meshes: where
// operands fit, exactly the results that the signature gives are accepted, and where they do not, none is.
//
// The verifier takes three liberties beside these, which program_test.cpp holds: layouts are alike where tiles are
// (`f32[1@x]` on few elements, arrays of none); a scalar of an elementwise operation may come from another mesh; the
// parts of an assembling may lie in any way, so it has no signature.
#include "synth/program/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "synth/moves/collective/requests.hpp"
#include "synth/program/type_rules.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// Which pending operands pass through, said once more and in other words than in the product.
enum class Parts : std::uint8_t { none, any, sum, sums, maxima, minima, one_sum, first_sum, sums_apart };

// An operation as a person writes its rule: a letter is an index, a capital one is whole, `O` has extent 1.
struct Rule {
  Operation operation;
  std::string operands;  // `ij,jk`
  std::string result;    // `ik`
  Parts parts = Parts::none;
  ReduceOp leaves = ReduceOp::sum;         // by an index that is summed
  std::vector<ElementType> elements = {};  // of operands; f32 if there are none
  ElementType element = ElementType::f32;  // of the result
};

constexpr auto kF32 = ElementType::f32;
constexpr auto kI64 = ElementType::i64;
constexpr auto kC64 = ElementType::c64;
constexpr auto kBool = ElementType::boolean;

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> all(1);
  for (const char c : text) {
    if (c == ',') all.emplace_back();
    if (c != ',') all.back() += c;
  }
  return all;
}

Shape shape_of_letters(const std::string& letters) {
  static const std::map<char, std::int64_t> kExtents = {{'i', 4}, {'j', 6}, {'k', 5}, {'r', 7}, {'n', 4},
                                                        {'m', 4}, {'o', 6}, {'I', 4}, {'J', 6}, {'K', 2},
                                                        {'O', 1}, {'N', 4}, {'P', 5}, {'R', 7}};
  Shape shape;
  for (const char letter : letters) shape.push_back(kExtents.at(letter));
  return shape;
}

bool is_whole(char letter) { return letter >= 'A' && letter <= 'Z'; }

std::vector<Layout> every_layout(const Mesh& mesh, std::size_t rank) {
  std::set<Layout> all;
  for (const ReduceOp reduce : {ReduceOp::sum, ReduceOp::max, ReduceOp::min, ReduceOp::product}) {
    for (const Layout& layout : all_pending_layouts(mesh, rank, reduce)) all.insert(layout);
  }
  return {all.begin(), all.end()};
}

// Are all that are pending sums, and is no axis used by two operands of which one is pending over it?
bool are_apart(const std::vector<Layout>& layouts) {
  for (const Layout& sum : layouts) {
    if (sum.reduce() != ReduceOp::sum) return false;
    for (const AxisPart& part : sum.pending()) {
      if (std::ranges::count_if(layouts, [&](const Layout& own) { return own.uses(part); }) != 1) return false;
    }
  }
  return true;
}

bool parts_pass(Parts parts, const std::vector<Layout>& layouts) {
  std::vector<std::size_t> pending;
  bool all_alike = true;
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    if (!layouts[k].pending().empty()) pending.push_back(k);
    all_alike = all_alike && layouts[k].pending() == layouts[0].pending() && layouts[k].reduce() == layouts[0].reduce();
  }
  if (pending.empty()) return true;
  const Layout& first = layouts[pending[0]];
  const bool is_sum = first.reduce() == ReduceOp::sum;
  bool one = pending.size() == 1;
  for (const Layout& other : layouts) {
    for (const AxisPart& part : first.pending()) one = one && (&other == &first || !other.uses(part));
  }
  switch (parts) {
    case Parts::none: return false;
    case Parts::any: return all_alike;
    case Parts::sum: return is_sum && layouts.size() == 1;
    case Parts::sums: return all_alike && is_sum;
    case Parts::maxima: return all_alike && first.reduce() == ReduceOp::max;
    case Parts::minima: return all_alike && first.reduce() == ReduceOp::min;
    case Parts::one_sum:
      return (one && is_sum) || (layouts.size() > 1 && all_alike && first.reduce() == ReduceOp::product);
    case Parts::first_sum: return one && is_sum && pending[0] == 0;
    case Parts::sums_apart: return are_apart(layouts);
  }
  return false;
}

// How each index is split; nothing where operands do not fit together.
std::optional<std::map<char, AxisList>> splits_of_letters(const std::vector<std::string>& operands,
                                                          const std::vector<Layout>& layouts) {
  std::map<char, AxisList> splits;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    for (std::size_t d = 0; d < operands[k].size(); ++d) {
      const char letter = operands[k][d];
      const AxisList& own = layouts[k].split(d);
      if (is_whole(letter) && !own.empty()) return std::nullopt;
      if (!splits.emplace(letter, own).second && splits.at(letter) != own) return std::nullopt;
    }
  }
  return splits;
}

// The results that belong to these operands.
std::set<Layout> results_by_hand(const Rule& rule, const Mesh& mesh, const std::vector<Layout>& layouts) {
  const auto splits = splits_of_letters(split_at_commas(rule.operands), layouts);
  if (!splits.has_value() || !parts_pass(rule.parts, layouts)) return {};
  AxisList pending;
  ReduceOp reduce = rule.leaves;
  for (const Layout& layout : layouts) {
    if (layout.pending().empty()) continue;
    if (rule.parts != Parts::sums_apart) pending.clear();
    pending.insert(pending.end(), layout.pending().begin(), layout.pending().end());
    reduce = layout.reduce();
  }
  for (const auto& [letter, axes] : *splits) {
    if (rule.result.find(letter) == std::string::npos) pending.insert(pending.end(), axes.begin(), axes.end());
  }
  std::set<Layout> results;
  for (const Layout& free : all_layouts(mesh, rule.result.size())) {
    std::vector<AxisList> of_result;
    for (std::size_t d = 0; d < rule.result.size(); ++d) {
      const auto found = splits->find(rule.result[d]);
      of_result.push_back(found != splits->end() ? found->second : free.split(d));
      if (is_whole(rule.result[d])) of_result.back().clear();
    }
    const auto layout = Layout::make(mesh, of_result, pending, reduce);
    if (layout.ok()) results.insert(*layout);
  }
  return results;
}

// The results, beside those of the signature, that devices make by fetching the rows that ids name, wherever those lie:
// nothing is pending then.
std::set<Layout> fetched_by_hand(const Rule& rule, const Mesh& mesh, const std::vector<Layout>& layouts) {
  if (!std::holds_alternative<Take>(rule.operation) || layouts[0].split(0).empty()) return {};
  std::vector<std::string> operands = split_at_commas(rule.operands);
  if (goes_along_lines(operands[0].size(), operands[1].size(), rule.result.size())) return {};
  std::vector<Layout> own = layouts;
  operands[0].front() = '*';  // no index of the result
  if (std::ranges::any_of(own, [](const Layout& one) { return !one.pending().empty(); })) return {};
  const auto splits = splits_of_letters(operands, own);
  if (!splits.has_value()) return {};
  std::vector<AxisList> of_result;
  for (const char letter : rule.result) of_result.push_back(splits->at(letter));
  const auto layout = Layout::make(mesh, of_result);
  return layout.ok() ? std::set<Layout>{*layout} : std::set<Layout>{};
}

// Likewise those of rows that are delivered, where only the first dimension of the ids is split: the rows of the result
// may be split over any axes. Along lines any layouts go together, if values lie as their ids do.
std::set<Layout> delivered_by_hand(const Rule& rule, const Mesh& mesh, const std::vector<Layout>& layouts) {
  if (!std::holds_alternative<ScatterAdd>(rule.operation) || layouts[1].rank() == 0) return {};
  if (std::ranges::any_of(layouts, [](const Layout& one) { return !one.pending().empty(); })) return {};
  if (goes_along_lines(layouts[0].rank(), layouts[1].rank(), rule.result.size())) {
    const std::vector<Layout> all = all_layouts(mesh, layouts[0].rank());
    return layouts[0] == layouts[1] ? std::set<Layout>(all.begin(), all.end()) : std::set<Layout>{};
  }
  const auto is_split = [](const AxisList& axes) { return !axes.empty(); };
  const std::vector<AxisList> of_ids = layouts[1].splits();
  if (!is_split(of_ids[0]) || std::any_of(of_ids.begin() + 1, of_ids.end(), is_split)) return {};
  const auto splits = splits_of_letters(split_at_commas(rule.operands), layouts);
  if (!splits.has_value()) return {};
  std::set<Layout> results;
  for (const Layout& free : all_layouts(mesh, 1)) {
    std::vector<AxisList> of_result = {free.split(0)};
    for (std::size_t d = 1; d < rule.result.size(); ++d) of_result.push_back(splits->at(rule.result[d]));
    const auto layout = Layout::make(mesh, of_result);
    if (layout.ok()) results.insert(*layout);
  }
  return results;
}

struct Arrays {
  std::vector<ArrayType> types;
  std::vector<Shape> shapes;
  std::vector<Layout> layouts;

  Operands operands() const {
    Operands all;
    for (const ArrayType& type : types) all.push_back(&type);
    return all;
  }
};

// Nothing where there are no such arrays: pending sums of storage types.
std::optional<Arrays> arrays_of(const Rule& rule, const MeshRef& mesh, const std::vector<Layout>& layouts) {
  Arrays arrays;
  arrays.layouts = layouts;
  const auto operands = split_at_commas(rule.operands);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const ElementType element = rule.elements.empty() ? kF32 : rule.elements[k];
    arrays.shapes.push_back(shape_of_letters(operands[k]));
    const auto type = ArrayType::make(element, arrays.shapes.back(), mesh, layouts[k]);
    if (!type.ok()) return std::nullopt;
    arrays.types.push_back(*type);
  }
  return arrays;
}

std::string layouts_text(const Rule& rule, const Arrays& arrays) {
  std::string text = fmt::format("{} {} -> {}:", describe(rule.operation), rule.operands, rule.result);
  for (const ArrayType& type : arrays.types) text += " " + print(type);
  return text;
}

// How many results are right for these operands.
std::size_t expect_just_the_right_results(const Rule& rule, const MeshRef& mesh, const std::vector<Layout>& layouts) {
  static const Program kNoTables;
  const auto arrays = arrays_of(rule, mesh, layouts);
  if (!arrays.has_value()) return 0;
  const Shape shape = shape_of_letters(rule.result);
  const std::set<Layout> of_signature = results_by_hand(rule, *mesh, layouts);
  std::set<Layout> right = of_signature;
  right.merge(fetched_by_hand(rule, *mesh, layouts));
  right.merge(delivered_by_hand(rule, *mesh, layouts));
  std::set<Layout> accepted;
  for (const Layout& layout : every_layout(*mesh, rule.result.size())) {
    const auto result = ArrayType::make(rule.element, shape, mesh, layout);
    if (!result.ok()) continue;
    if (!type_error(kNoTables, rule.operation, arrays->operands(), &*result)) accepted.insert(layout);
  }
  EXPECT_EQ(accepted, right) << layouts_text(rule, *arrays);
  if (of_signature.empty()) return right.size();
  const IndexSignature signature = index_signature(rule.operation, arrays->shapes, rule.element, shape);
  const auto given = result_layout(signature, *mesh, arrays->layouts);
  EXPECT_TRUE(given.has_value() && right.contains(*given)) << layouts_text(rule, *arrays);
  return right.size();
}

// All operands in all layouts.
void expect_types_follow(const Rule& rule) {
  for (const char* text : {"x:2", "x:3", "x:2,y:2"}) {
    const MeshRef on = mesh(text);
    std::vector<std::vector<Layout>> chosen(1);
    for (const std::string& operand : split_at_commas(rule.operands)) {
      std::vector<std::vector<Layout>> longer;
      for (const auto& before : chosen) {
        for (const Layout& layout : every_layout(*on, operand.size())) {
          longer.push_back(before);
          longer.back().push_back(layout);
        }
      }
      chosen = std::move(longer);
    }
    std::size_t right = 0;
    for (const auto& layouts : chosen) right += expect_just_the_right_results(rule, on, layouts);
    EXPECT_GT(right, 0U) << describe(rule.operation) << " on " << text;
    if (::testing::Test::HasFailure()) return;  // one example is enough
  }
}

std::vector<Rule> rules() {
  const std::vector<std::vector<std::uint8_t>> product = {{0, 1}, {1, 2}};
  return {
      {Map{MapOp::copy}, "j", "ij"},
      {Map{MapOp::copy}, "Oj", "ij"},
      {Map{MapOp::exp}, "ij", "ij"},
      {Map{MapOp::add}, "ij,ij", "ij", Parts::sums},
      {Map{MapOp::add}, "ij,Oj", "ij", Parts::sums},
      {Map{MapOp::multiply}, "ij,j", "ij", Parts::one_sum},
      {Map{MapOp::divide}, "i,i", "i", Parts::none, ReduceOp::sum, {kI64, kI64}, kI64},
      {Reduce{ReduceKind::sum, {0}}, "ij", "j", Parts::sum},
      {Reduce{ReduceKind::sum, {0, 1}}, "ij", "", Parts::sum},
      {Reduce{ReduceKind::max, {1}}, "ij", "i", Parts::none, ReduceOp::max},
      {Reduce{ReduceKind::min, {1}}, "ij", "i", Parts::none, ReduceOp::min, {kBool}, kBool},
      {Reduce{ReduceKind::product, {1}}, "ij", "i", Parts::none, ReduceOp::product},
      {ArgReduce{true, {0}}, "Ij", "j", Parts::none, ReduceOp::sum, {}, kI64},
      {Find{true, {0}}, "ij,j", "j", Parts::none, ReduceOp::min, {}, kI64},
      {Find{false, {0, 1}}, "ij,", "", Parts::none, ReduceOp::min, {}, kI64},
      {Contract{product, {0, 2}}, "ij,jk", "ik", Parts::sums_apart},
      // Letters of one extent are one index of the operation: the second dimension of a diagonal has its own split.
      {Contract{{{0, 0}}, {0}}, "in", "i", Parts::sums_apart},
      {Contract{{{0, 0}}, {}}, "in", "", Parts::sums_apart},
      {Contract{{{1, 0, 0, 0}}, {0}}, "jinm", "i", Parts::sums_apart},
      {Contract{{{0, 0}, {0, 1}}, {1}}, "in,ij", "j", Parts::sums_apart},
      {Contract{{{0, 1}, {1, 1}}, {1, 0}}, "ij,jo", "ji", Parts::sums_apart},
      {Contract{{{0}, {0}}, {0}}, "i,i", "i", Parts::sums_apart},
      {Contract{{{0}, {1}, {1}}, {0}}, "i,j,j", "i", Parts::sums_apart},
      {Scan{1, true}, "ij", "ij"},
      {Scan{0, false}, "ij", "ij"},
      {Recur{0, false}, "ij,ij", "ij"},
      {Sort{false}, "ij", "ij"},
      {Sort{true}, "ij", "ij", Parts::none, ReduceOp::sum, {}, kI64},
      {Greatest{2, false}, "iJ", "iK"},
      {Greatest{2, true}, "iJ", "iK", Parts::none, ReduceOp::sum, {}, kI64},
      {Greatest{2, true}, "iJ,iJ", "iK", Parts::none, ReduceOp::sum, {kF32, kI64}, kI64},
      {Transpose{{1, 0}}, "ij", "ji", Parts::any},
      {Take{}, "rj,i", "ij", Parts::none, ReduceOp::sum, {kF32, kI64}},
      {Take{}, "rj,", "j", Parts::none, ReduceOp::sum, {kF32, kI64}},
      {Take{}, "Ij,k", "kj", Parts::none, ReduceOp::sum, {kBool, kI64}, kBool},
      {Take{}, "Ij,k", "kj", Parts::none, ReduceOp::sum, {ElementType::bf16, kI64}, ElementType::bf16},
      {Take{}, "jr,ji", "ji", Parts::none, ReduceOp::sum, {kF32, kI64}},
      {ScatterAdd{}, "ji,ji", "jr", Parts::none, ReduceOp::sum, {kF32, kI64}},
      {ScatterAdd{}, "ij,i", "rj", Parts::none, ReduceOp::sum, {kF32, kI64}},
      {Search{}, "r,ij", "ij", Parts::none, ReduceOp::sum, {}, kI64},
      {Search{true}, "r,", "", Parts::none, ReduceOp::sum, {kI64, kI64}, kI64},
      {OneHot{}, "i", "iK", Parts::none, ReduceOp::sum, {kI64}},
      {Lay{{{0, 1, 1}, {0, 2, 2}}}, "ij,ij", "ij"},
      {Fourier{FourierKind::forward, 1}, "iJ", "iJ", Parts::none, ReduceOp::sum, {kC64}, kC64},
      {Fourier{FourierKind::inverse, 0}, "Jik", "Jik", Parts::none, ReduceOp::sum, {kC64}, kC64},
      {MatrixFunction{MatrixOp::cholesky}, "jIN", "jIN"},
      {MatrixFunction{MatrixOp::solve}, "IN,Ik", "Nk"},
      {MatrixFunction{MatrixOp::solve}, "jIN,jIk", "jNk"},
      {MatrixFunction{MatrixOp::solve_lower}, "jIN,jIk", "jNk"},
      {MatrixFunction{MatrixOp::determinant}, "jIN", "j"},
      {MatrixFunction{MatrixOp::factor_qr}, "jIK", "jJK"},
      {MatrixFunction{MatrixOp::eigen}, "jIN", "jPN"},
      {MatrixFunction{MatrixOp::singular}, "jIK", "jRK"},
  };
}

// Types of a step, the result's last, that lie whole on every device.
struct WholeTypes {
  std::vector<Shape> shapes;
  std::vector<ElementType> elements;
};

WholeTypes whole_types(const Rule& rule) {
  WholeTypes types;
  for (const std::string& operand : split_at_commas(rule.operands)) types.shapes.push_back(shape_of_letters(operand));
  types.elements = rule.elements;
  types.elements.resize(types.shapes.size(), kF32);
  types.shapes.push_back(shape_of_letters(rule.result));
  types.elements.push_back(rule.element);
  return types;
}

// The rule of shapes says what the rule of types says of whole arrays.
bool expect_same_verdict(const Operation& operation, const WholeTypes& types) {
  const MeshRef on = mesh("x:2");
  std::vector<ArrayType> whole;
  std::vector<Shaped> shaped;
  for (std::size_t k = 0; k < types.shapes.size(); ++k) {
    whole.push_back(*ArrayType::replicated(types.elements[k], types.shapes[k], on));
    shaped.push_back({types.elements[k], &types.shapes[k]});
  }
  Operands operands;
  for (std::size_t k = 0; k + 1 < whole.size(); ++k) operands.push_back(&whole[k]);
  const Shaped result = shaped.back();
  shaped.pop_back();
  const bool fits = !shape_error(operation, shaped, result).has_value();
  EXPECT_EQ(fits, !type_error({}, operation, operands, &whole.back()).has_value()) << describe(operation);
  return fits;
}

// Every type with one extent changed, a dimension more or less, or other elements.
std::vector<WholeTypes> changed_types(const WholeTypes& types) {
  std::vector<WholeTypes> all;
  for (std::size_t k = 0; k < types.shapes.size(); ++k) {
    for (std::size_t d = 0; d < types.shapes[k].size(); ++d) {
      for (const std::int64_t extent : {0, 1, 2, 4, 5, 6, 7}) {
        all.push_back(types);
        all.back().shapes[k][d] = extent;
      }
    }
    all.push_back(types);
    all.back().shapes[k].push_back(4);
    if (!types.shapes[k].empty()) {
      all.push_back(types);
      all.back().shapes[k].pop_back();
    }
    for (const ElementType element : {kF32, kI64, kBool, ElementType::f16}) {
      all.push_back(types);
      all.back().elements[k] = element;
    }
  }
  return all;
}

class EveryOperation : public ::testing::TestWithParam<Rule> {};

TEST_P(EveryOperation, HasJustTheTypesOfItsSignature) { expect_types_follow(GetParam()); }

TEST_P(EveryOperation, HasTheShapesThatItsTypesHave) {
  const WholeTypes types = whole_types(GetParam());
  EXPECT_TRUE(expect_same_verdict(GetParam().operation, types));
  for (const WholeTypes& once : changed_types(types)) {
    expect_same_verdict(GetParam().operation, once);
    for (const WholeTypes& twice : changed_types(once)) expect_same_verdict(GetParam().operation, twice);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, EveryOperation, ::testing::ValuesIn(rules()),
                         [](const auto& of) { return fmt::format("{}_{}", of.index, name(of.param.operation)); });

template <std::size_t... kAlternatives>
std::set<std::size_t> with_signature(std::index_sequence<kAlternatives...>) {
  std::set<std::size_t> all;
  const auto note = [&](const Operation& operation) {
    if (has_signature(operation)) all.insert(operation.index());
  };
  (note(std::variant_alternative_t<kAlternatives, Operation>{}), ...);
  return all;
}

TEST(Signatures, OfAllOperationsAreAmongTheRules) {
  std::set<std::size_t> tried;
  for (const Rule& rule : rules()) tried.insert(rule.operation.index());
  EXPECT_EQ(tried, with_signature(std::make_index_sequence<std::variant_size_v<Operation>>{}));
}

TEST(ExampleOf, Signature) {
  const MeshRef on = mesh("x:4,y:2");
  const ArrayType a = type("f32[8@y, 6@x]", on);
  const ArrayType b = type("f32[6@x, 4]", on);
  const Operation product = Contract{{{0, 1}, {1, 2}}, {0, 2}};
  const std::vector<Shape> shapes = {a.shape(), b.shape()};
  const std::vector<Layout> layouts = {a.layout(), b.layout()};
  const IndexSignature signature = index_signature(product, shapes, kF32, Shape{8, 4});
  EXPECT_EQ(signature.kinds[1], IndexKind::summed);
  const ArrayType result = type("f32[8@y, 4]{+x}", on);
  EXPECT_EQ(result_layout(signature, *on, layouts), result.layout());
  EXPECT_EQ(type_error({}, product, {&a, &b}, &result), std::nullopt);
}

// ---- Elementwise operations: the columns of their table ----

std::vector<MapOp> all_map_ops() {
#define ROW(identifier, text, count, elements, pending) MapOp::identifier,
  return {TESSERA_MAP_OPS(ROW)};
#undef ROW
}

Parts parts_by_hand(MapOp op) {
  static const std::map<MapOp, Parts> kPassing = {{MapOp::add, Parts::sums},         {MapOp::subtract, Parts::sums},
                                                  {MapOp::negate, Parts::sum},       {MapOp::multiply, Parts::one_sum},
                                                  {MapOp::divide, Parts::first_sum}, {MapOp::maximum, Parts::maxima},
                                                  {MapOp::minimum, Parts::minima}};
  const auto found = kPassing.find(op);
  return found == kPassing.end() ? Parts::none : found->second;
}

TEST(Signatures, OfEveryMapHoldItsPendingRule) {
  for (const MapOp op : all_map_ops()) {
    Rule rule{Map{op}, "i", "i", parts_by_hand(op)};
    for (std::size_t k = 1; k < arity(op); ++k) rule.operands += ",i";
    rule.elements.assign(arity(op), element_rule(op) == ElementRule::logic      ? kBool
                                    : element_rule(op) == ElementRule::integers ? kI64
                                                                                : kF32);
    if (element_rule(op) == ElementRule::choose) rule.elements[0] = kBool;
    const ElementRule elements = element_rule(op);
    const bool gives_bool =
        elements == ElementRule::logic || elements == ElementRule::compare || elements == ElementRule::equality;
    rule.element = gives_bool ? kBool : elements == ElementRule::integers ? kI64 : kF32;
    if (element_rule(op) == ElementRule::join) rule.element = kC64;
    if (element_rule(op) == ElementRule::part) rule.elements = {kC64};
    expect_types_follow(rule);
  }
}

// The element types of operands and result that are accepted, for every elementwise operation.
TEST(Signatures, OfEveryMapTakeWhatItsElementRuleSays) {
  const std::vector<ElementType> all = {kBool, ElementType::i32, kI64, kF32, ElementType::f64, ElementType::f16,
                                        kC64,  ElementType::c128};
  const auto casts = [&](ElementType own) -> std::size_t {
    if (is_storage(own)) return 1;  // to what it is computed as
    if (is_complex(own)) return 2;  // there is no way back
    return own == kF32 ? all.size() : all.size() - 1;
  };
  const MeshRef on = mesh("x:2");
  for (const MapOp op : all_map_ops()) {
    for (const ElementType own : all) {
      std::size_t accepted = 0;
      for (const ElementType to : all) {
        std::vector<ArrayType> types(arity(op), ArrayType::scalar(own, on));
        if (op == MapOp::select) types[0] = ArrayType::scalar(kBool, on);
        Operands operands;
        for (const ArrayType& type : types) operands.push_back(&type);
        const ArrayType result = ArrayType::scalar(to, on);
        accepted += type_error({}, Map{op}, operands, &result) ? 0 : 1;
      }
      const std::size_t right = op == MapOp::cast ? casts(own) : 1U;
      EXPECT_EQ(accepted, takes(element_rule(op), own) ? right : 0U) << name(op) << " of " << name(own);
    }
  }
}

}  // namespace
}  // namespace tessera::synth::test
