// Blocks, branches, loops, functions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "tests/generator/productions.hpp"
#include "tests/generator/unrolled.hpp"

namespace tessera::generator {

namespace {

std::string random_type(Maker& maker, const Facts& facts, Pending pending) {
  return maker.type(facts.element, facts.shape, random_layout(maker.random, facts.shape.size(), pending));
}

ExpressionRef block(Maker& maker, const Want& want, int depth) {
  const Element element = maker.random_element();
  const ExpressionRef first = maker.make({element, maker.random_shape(), want.certain}, depth);
  const Variable bound{maker.fresh("t"), first->facts};
  const ExpressionRef result = maker.make_with({bound}, want, depth);
  const std::string annotation = maker.random.chance(30) ? ": " + random_type(maker, first->facts, Pending::none) : "";
  const std::string tessera = fmt::format("({{ let {}{} = $0; $1 }})", bound.name, annotation);
  return node(result->facts, tessera, fmt::format("(lambda {}: $1)($0)", bound.name), {first, result});
}

ExpressionRef branch(Maker& maker, const Want& want, int depth) {
  const ExpressionRef condition = maker.make({Element::boolean, {}, true}, depth);
  const ExpressionRef a = maker.make(want, depth);
  const ExpressionRef b = maker.make(want, depth);
  const Facts facts = of_choice(derived(want.element, want.shape, facts_of({a, b})), {a->facts, b->facts});
  return node(facts, "(if $0 { $1 } else { $2 })", "($1 if $0 else $2)", {condition, a, b});
}

ExpressionRef again(Maker& maker, const Want& want, int depth) {
  const ExpressionRef result = maker.make(want, depth);
  return node(result->facts, "(again { $0 })", "$0", {result});
}

ExpressionRef loop_count(Maker& maker, int depth) {
  if (maker.random.chance(60)) {
    const std::string digits = std::to_string(maker.random.below(4));
    return node(settled(derived(Element::i64, {}, {}), 4, 0), digits, digits);
  }
  return maker.position(4, depth);
}

// Loops of floats are `w * 0.5 + s`, which stays bounded; of others anything made of w and the index.
ExpressionRef loop(Maker& maker, const Want& want, int depth) {
  const ExpressionRef start = maker.make(want, depth);
  const ExpressionRef times = loop_count(maker, depth);
  const Variable index{maker.fresh("k"), settled(derived(Element::i64, {}, {}), 4, 0)};
  const Variable carried{maker.fresh("w"), settled(derived(want.element, want.shape, {}), 1e300, 0)};
  const bool contracts = is_float(want.element);
  const ExpressionRef body =
      contracts ? maker.make_with({index}, want, depth) : maker.make_with({index, carried}, want, depth);
  const std::string type = random_type(maker, start->facts, Pending::none);
  const std::string half = numpy_literal(want.element, "0.5");
  std::vector<ExpressionRef> all = {start, times, body};
  const bool ends = maker.random.chance(30);
  if (ends) all.push_back(maker.position(4, depth));
  const std::string until = ends ? fmt::format(" while {} < $3", index.name) : "";
  const std::string tessera = fmt::format("(loop {0} = $0 as {2} for {1} < $1{4} {{ {3} as {2} }})", carried.name,
                                          index.name, type, contracts ? carried.name + " * 0.5 + $2" : "$2", until);
  const std::string more = ends ? fmt::format(", lambda {0}, {1}: {0} < $3", index.name, carried.name) : "";
  const std::string numpy = fmt::format("{3}(lambda {0}, {1}: {2}{4}, $1, $0)", index.name, carried.name,
                                        contracts ? fmt::format("{} * {} + $2", carried.name, half) : "$2",
                                        ends ? "loop_while" : "loop", more);
  Facts facts = derived(want.element, want.shape, facts_of(all));
  const double magnitude = start->facts.magnitude + 2 * body->facts.magnitude;
  facts = settled(facts, contracts ? magnitude : 1e300,
                  start->facts.error + 2 * body->facts.error + 4 * unit(want.element) * magnitude);
  return node(facts, tessera, numpy, all);
}

// A loop that begins with zeros whose type names no axis: they take the layout that the body gives.
ExpressionRef accumulated(Maker& maker, const Want& want, int depth) {
  const ExpressionRef times = loop_count(maker, depth);
  const Variable index{maker.fresh("k"), settled(derived(Element::i64, {}, {}), 4, 0)};
  const ExpressionRef added = maker.make_with({index}, want, depth);
  const std::string sum = maker.fresh("w");
  const std::string plain = maker.type(want.element, want.shape, {std::vector<Axes>(want.shape.size()), {}});
  const std::string type = random_type(maker, added->facts, Pending::none);
  const bool is_bool = want.element == Element::boolean;
  const bool halves = is_float(want.element);
  const std::string before = halves ? " * 0.5" : "";
  const std::string tessera = fmt::format("(loop {0} = zeros({1}) for {2} < $0 {{ {0}{3} {4} $1 as {5} }})", sum, plain,
                                          index.name, before, is_bool ? "||" : "+", type);
  const std::string halved = halves ? " * " + numpy_literal(want.element, "0.5") : "";
  const std::string numpy =
      fmt::format("loop(lambda {0}, {1}: {1}{2} {3} $1, $0, np.zeros({4}, dtype={5}))", index.name, sum, halved,
                  is_bool ? "|" : "+", list_text(want.shape), numpy_name(want.element));
  const double magnitude = halves ? 2 * added->facts.magnitude : 1e300;
  const Facts facts = derived(want.element, want.shape, facts_of({times, added}));
  return node(settled(facts, magnitude, 2 * added->facts.error + 4 * unit(want.element) * magnitude), tessera, numpy,
              {times, added});
}

// What a scan keeps: the carried value at the beginning of each turn.
ExpressionRef scanned(Maker& maker, const Want& want, int depth) {
  if (want.shape.empty() || want.shape[0] == 0) return nullptr;
  const Want row{want.element, {want.shape.begin() + 1, want.shape.end()}, want.certain};
  const ExpressionRef start = maker.make(row, depth);
  const Variable index{maker.fresh("k"), settled(derived(Element::i64, {}, {}), 4, 0)};
  const Variable carried{maker.fresh("w"), settled(derived(row.element, row.shape, {}), 1e300, 0)};
  const bool halves = is_float(want.element);
  const ExpressionRef body =
      halves ? maker.make_with({index}, row, depth) : maker.make_with({index, carried}, row, depth);
  const std::string type = random_type(maker, start->facts, Pending::none);
  const std::string next = halves ? carried.name + " * 0.5 + $1" : "$1";
  const std::string tessera = fmt::format(
      "({{ let ({3}, {4}) = scan {0} = $0 as {1} for {2} < {5} {{ ({6} as {1}, {0}) }}; {4} }})", carried.name, type,
      index.name, maker.fresh("l"), maker.fresh("s"), maker.extent(want.shape[0]), next);
  const std::string numpy_next =
      halves ? fmt::format("{} * {} + $1", carried.name, numpy_literal(want.element, "0.5")) : "$1";
  const std::string numpy =
      fmt::format("scan(lambda {}, {}: {}, {}, $0)", index.name, carried.name, numpy_next, want.shape[0]);
  const double magnitude = halves ? start->facts.magnitude + 2 * body->facts.magnitude : 1e300;
  const Facts facts = derived(want.element, want.shape, facts_of({start, body}));
  const double error = start->facts.error + 2 * body->facts.error + 4 * unit(want.element) * magnitude;
  return node(settled(facts, magnitude, error), tessera, numpy, {start, body});
}

// ---- Functions
// -------------------------------------------------------------------------------------------------------

// A parameter's type: with a layout, with any, with none; some extents named.
std::string parameter_type(Maker& maker, const Facts& facts, std::map<std::int64_t, std::string>& names) {
  std::vector<std::string> extents;
  for (const std::int64_t value : facts.shape) {
    const bool named = maker.random.chance(35);
    if (named && !names.contains(value)) names[value] = maker.fresh("N");
    extents.push_back(named ? names[value] : std::to_string(value));
  }
  const std::int64_t which = maker.random.below(3);
  Layout layout;
  layout.splits.resize(facts.shape.size());
  if (which == 0) layout = random_layout(maker.random, facts.shape.size(), maker.pending_of(facts.element));
  return fmt::format("{}{}{}", name(facts.element), layout_text(extents, layout), which == 1 ? "?" : "");
}

// The facts that hold of an argument inside the function, for any that is given: floats are clipped at the call.
Facts assumed(const Facts& facts) {
  Facts own = settled(derived(facts.element, facts.shape, {}), is_float(facts.element) ? 16 : 1e300, 0);
  own.zero_signs = false;
  return own;
}

std::string result_type(Maker& maker, const Facts& facts) {
  const std::int64_t which = maker.random.below(3);
  if (which == 0) return "";
  if (which == 1)
    return fmt::format(" -> {}{}?", name(facts.element),
                       layout_text(
                           [&] {
                             std::vector<std::string> extents;
                             for (const std::int64_t value : facts.shape) extents.push_back(std::to_string(value));
                             return extents;
                           }(),
                           Layout{std::vector<Axes>(facts.shape.size()), {}, "+"}));
  return " -> " + random_type(maker, facts, maker.pending_of(facts.element));
}

void define(Maker& maker, const Function& function, const std::vector<std::string>& types,
            const std::map<std::int64_t, std::string>& names, const ExpressionRef& body) {
  std::vector<std::string> parameters;
  std::vector<std::string> words;
  for (std::size_t k = 0; k < types.size(); ++k) {
    parameters.push_back(fmt::format("{}: {}", function.parameters[k].name, types[k]));
    words.push_back(function.parameters[k].name);
  }
  const std::string result = result_type(maker, body->facts);
  const std::string form = maker.random.chance(50) ? "fn {}({}){} = $0" : "fn {}({}){} {{ $0 }}";
  std::string numpy = fmt::format("def {}({}):\n", function.name, fmt::join(words, ", "));
  for (const auto& [value, own] : names) numpy += fmt::format("    {} = np.int64({})\n", own, value);
  maker.program.statements.push_back(
      {{},
       {},
       fmt::format(fmt::runtime(form), function.name, fmt::join(parameters, ", "), result),
       numpy + "    return $0",
       body});
}

Function new_function(Maker& maker, const Want& want, int depth) {
  Function function{maker.fresh("g"), {}, {}};
  std::vector<std::string> types;
  std::map<std::int64_t, std::string> names;
  for (std::int64_t k = maker.random.between(1, 3); k > 0; --k) {
    const Element element = k == 1 ? want.element : maker.random_element();
    const Shape shape = k == 1 ? want.shape : maker.random_shape();
    function.parameters.push_back({maker.fresh("a"), assumed(settled(derived(element, shape, {}), 0, 0))});
    types.push_back(parameter_type(maker, function.parameters.back().facts, names));
  }
  std::vector<Variable> outer = function.parameters;
  std::swap(outer, maker.scope);
  for (const auto& [value, own] : names)
    maker.scope.push_back({own, settled(derived(Element::i64, {}, {}), static_cast<double>(value), 0)});
  const ExpressionRef body = maker.make(want, depth);
  std::swap(outer, maker.scope);
  function.result = body->facts;
  define(maker, function, types, names, body);
  return function;
}

bool serves(const Function& function, const Want& want) {
  return function.result.element == want.element && function.result.shape == want.shape &&
         (!want.certain || function.result.certain());
}

// Arguments for a function, floats no larger than it assumes; `places` becomes `$0, $1`.
std::vector<ExpressionRef> arguments_for(Maker& maker, const std::vector<Variable>& parameters, int depth,
                                         std::string& places) {
  std::vector<ExpressionRef> arguments;
  for (const Variable& parameter : parameters) {
    ExpressionRef argument = maker.make({parameter.facts.element, parameter.facts.shape, true}, depth);
    if (argument->facts.magnitude > parameter.facts.magnitude) argument = clipped(argument, 16);
    places += fmt::format("{}${}", arguments.empty() ? "" : ", ", arguments.size());
    arguments.push_back(argument);
  }
  return arguments;
}

// A function there is, if one fits, else a new one, defined before the statement that is being made.
ExpressionRef call(Maker& maker, const Want& want, int depth) {
  const auto found = std::find_if(maker.functions.begin(), maker.functions.end(),
                                  [&](const Function& function) { return serves(function, want); });
  const bool known = found != maker.functions.end();
  const Function function = known ? *found : new_function(maker, want, depth);
  if (!known) maker.functions.push_back(function);
  std::string places;
  const std::vector<ExpressionRef> arguments = arguments_for(maker, function.parameters, depth, places);
  const std::string form = fmt::format("{}({})", function.name, places);
  Facts facts = function.result;
  for (const ExpressionRef& argument : arguments) facts.zero_signs = facts.zero_signs && argument->facts.zero_signs;
  return node(facts, form, form, arguments);
}

// ---- Gradients
// -------------------------------------------------------------------------------------------------------

// A loss whose gradient by the first parameter is that factor which the other parameters make, and what is added to it.
struct Loss {
  std::string_view form;  // of the parameter and the factor
  int added;
  std::size_t rank = 0;  // of the parameter, at least
};
// Of unrolled loops; {1} is the parameter's rank.
constexpr auto kUnrolledLosses =
    std::to_array<Loss>({{"sum(loop s = {0} * $0 for const i < 3 {{ s + {0} }})", 3},
                         {"sum(loop s = {0} * $0 for const i < {1} {{ sum(s, dim=0) }})", 0, 1},
                         {"sum(loop s = {0} * $0 for const i < {1} {{ reverse(s, i) }})", 0, 1},
                         {"sum(loop s = {0} * $0 for const i < 2 {{ concat([s[i:], s[:i]], 0) }})", 0, 1},
                         {"sum(loop s = {0} * $0 for const i < 3 while i < 1 {{ s + {0} }})", 1}});
constexpr auto kLosses = std::to_array<Loss>({{"sum({0} * $0)", 0},
                                              {"sum(again {{ {0} * $0 }})", 0},
                                              {"sum(re(complex({0}, {0}) * complex($0, $0 * 0.0)))", 0},
                                              {"sum(loop s = {0} * $0 for i < 3 {{ s + {0} }})", 3},
                                              {"sum(if sum({0}) > 0.0 {{ {0} * $0 }} else {{ $0 * {0} }})", 0}});

// A gradient, which NumPy gets written out.
ExpressionRef gradient_of(Maker& maker, const Want& want, int depth, std::span<const Loss> losses) {
  if (!is_float(want.element)) return nullptr;
  const Shape shape = maker.random_shape();
  const Element element = maker.random_element();
  const auto parameter = [&](Element own, const Shape& its) {
    return Variable{maker.fresh("a"), assumed(settled(derived(own, its, {}), 0, 0))};
  };
  const std::vector<Variable> parameters = {parameter(want.element, want.shape), parameter(element, shape)};
  std::map<std::int64_t, std::string> names;
  const std::string first = parameter_type(maker, parameters[0].facts, names);
  const std::string second = parameter_type(maker, parameters[1].facts, names);
  std::vector<Variable> outer = {parameters[1]};
  std::swap(outer, maker.scope);
  const ExpressionRef factor = maker.make(want, depth);
  std::swap(outer, maker.scope);
  const Loss& loss = maker.random.pick(losses);
  if (want.shape.size() < loss.rank) return nullptr;
  const std::string function = maker.fresh("g");
  const std::string& by = parameters[0].name;
  const std::string& other = parameters[1].name;
  const std::string body = fmt::format(fmt::runtime(loss.form), by, want.shape.size());
  const std::string added = fmt::format("$0 + {}", numpy_literal(want.element, std::to_string(loss.added)));
  maker.program.statements.push_back(
      {{},
       {},
       fmt::format("fn {}({}: {}, {}: {}) = {}", function, by, first, other, second, body),
       fmt::format("def {}({}, {}):\n    return {}", function, by, other, loss.added == 0 ? "$0" : added),
       factor});
  Facts facts = settled(factor->facts, factor->facts.magnitude + loss.added,
                        factor->facts.error + unit(want.element) * (factor->facts.magnitude + loss.added));
  facts.zero_signs = false;
  std::string places;
  const std::vector<ExpressionRef> arguments = arguments_for(maker, parameters, depth, places);
  const std::string tessera = fmt::format("({{ let (l, d) = grad({}, wrt={})({}); d }})", function, by, places);
  return node(facts, tessera, fmt::format("{}({})", function, places), arguments);
}

ExpressionRef gradient(Maker& maker, const Want& want, int depth) { return gradient_of(maker, want, depth, kLosses); }

ExpressionRef unrolled_gradient(Maker& maker, const Want& want, int depth) {
  return gradient_of(maker, want, depth, kUnrolledLosses);
}

}  // namespace

std::vector<Production> control_productions() {
  return {{"block", 3, block},
          {"branch", 3, branch},
          {"loop", 4, loop},
          {"accumulated", 2, accumulated},
          {"scanned", 2, scanned},
          {"again", 1, again},
          {"call", 5, call},
          {"gradient", 2, gradient},
          {"unrolled", 50, unrolled, 2},
          {"unrolled gradient", 8, unrolled_gradient, 2}};
}

}  // namespace tessera::generator
