#include "tests/generator/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tessera::generator {

namespace {

// A field's path, `a` or `inner.c`. In NumPy a record is a dict whose keys are paths.
struct Field {
  std::string path;
  Facts facts;
};

struct Record {
  std::string name;
  std::vector<Field> fields;  // those of `inner` stand together at the end
};

constexpr std::string_view kInner = "inner.";
bool is_inner(const Field& field) { return field.path.starts_with(kInner); }

// `{a: X, inner: {c: Y}}`, with a text for each field; `before` and `before_inner` begin the two, as `..r, ` does.
std::string braces(const std::vector<Field>& fields, const std::vector<std::string>& texts,
                   const std::string& before = "", const std::string& before_inner = "") {
  std::string outer = before;
  std::string inner;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const bool in = is_inner(fields[k]);
    std::string& into = in ? inner : outer;
    if (!into.empty() && !into.ends_with(", ")) into += ", ";
    into += fmt::format("{}: {}", fields[k].path.substr(in ? kInner.size() : 0), texts[k]);
  }
  if (inner.empty()) return "{" + outer + "}";
  if (!outer.empty() && !outer.ends_with(", ")) outer += ", ";
  return fmt::format("{{{}inner: {{{}{}}}}}", outer, before_inner, inner);
}

// `{**r, "a": X, "inner.c": Y}`
std::string dict(const std::vector<Field>& fields, const std::vector<std::string>& texts,
                 const std::string& before = "") {
  std::string items = before;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (!items.empty() && !items.ends_with(", ")) items += ", ";
    items += fmt::format("\"{}\": {}", fields[k].path, texts[k]);
  }
  return "{" + items + "}";
}

// `$0`, `$1`, ...
std::vector<std::string> places(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(fmt::format("${}", k));
  return all;
}

class Records {
 public:
  Records(Maker& maker, const AddStatement& add) : maker_(maker), add_(add) {
    constexpr auto kElements =
        std::to_array<Element>({Element::f32, Element::f32, Element::f64, Element::i32, Element::i64});
    element_ = maker_.random.pick(kElements);
  }

  void write() {
    all_.push_back(made());
    for (std::int64_t k = maker_.random.between(2, 5); k > 0; --k) all_.push_back(another());
  }

 private:
  bool is_inexact() const { return is_float(element_); }

  Record another() {
    const Record& r = maker_.random.pick(all_);
    const Record& q = maker_.random.pick(all_);
    switch (maker_.random.below(is_inexact() ? 7 : 6)) {
      case 0: return updated(r);
      case 1: return mapped(r, q);
      case 2: return two_mapped(r, q);
      case 3: return looped(r, q);
      case 4: return branched(r, q);
      case 5: return called(r);
      default: return gradient(r);
    }
  }

  ExpressionRef item(const Shape& shape) {
    return maker_.make({element_, shape, maker_.random.chance(30)}, static_cast<int>(maker_.random.below(3)));
  }

  std::string type(const Facts& facts) {
    return maker_.type(facts.element, facts.shape, random_layout(maker_.random, facts.shape.size(), Pending::none));
  }
  std::string type(const Record& record) {
    std::vector<std::string> types;
    for (const Field& field : record.fields) types.push_back(type(field.facts));
    return braces(record.fields, types);
  }

  // A new record, by a statement, and a name for each field of it.
  Record bound(std::vector<Field> fields, const std::string& tessera, const std::string& numpy,
               const ExpressionRef& value) {
    Record record{maker_.fresh("r"), std::move(fields)};
    const std::string annotation = maker_.random.chance(20) ? ": " + type(record) : "";
    add_({}, fmt::format("let {}{} = {}", record.name, annotation, tessera), fmt::format("{} = {}", record.name, numpy),
         value);
    take_apart(record);
    return record;
  }

  void take_apart(const Record& record) {
    for (const Field& field : record.fields) {
      const Variable part{maker_.fresh("v"), field.facts};
      add_({part}, fmt::format("let {} = {}.{}", part.name, record.name, field.path),
           fmt::format("{} = {}[\"{}\"]", part.name, record.name, field.path), nullptr);
    }
  }

  // An expression that only holds the operands of a statement.
  static ExpressionRef holding(std::string tessera, std::string numpy, std::vector<ExpressionRef> operands) {
    Facts facts = operands.front()->facts;
    return node(std::move(facts), std::move(tessera), std::move(numpy), std::move(operands));
  }

  Record made() {
    constexpr auto kPaths = std::to_array<std::string_view>({"a", "b", "inner.c", "inner.d"});
    const std::size_t first = maker_.random.chance(20) ? 1 : 0;
    const std::size_t last = static_cast<std::size_t>(maker_.random.between(2, 4));
    std::vector<Field> fields;
    std::vector<ExpressionRef> items;
    for (std::size_t k = first; k < last; ++k) {
      items.push_back(item(maker_.random_shape()));
      fields.push_back({std::string(kPaths.at(k)), items.back()->facts});
    }
    const std::vector<std::string> texts = places(items.size());
    return bound(fields, "$0", "$0", holding(braces(fields, texts), dict(fields, texts), items));
  }

  Record updated(const Record& r) {
    std::vector<Field> fields = r.fields;
    std::vector<Field> changed;
    std::vector<ExpressionRef> items;
    for (Field& field : fields) {
      const bool is_last = &field == &fields.back() && items.empty();
      if (!is_last && !maker_.random.chance(50)) continue;
      items.push_back(item(field.facts.shape));
      field.facts = items.back()->facts;
      changed.push_back(field);
    }
    const std::vector<std::string> texts = places(items.size());
    const std::string tessera =
        braces(changed, texts, fmt::format("..{}, ", r.name), fmt::format("..{}.inner, ", r.name));
    return bound(fields, "$0", "$0", holding(tessera, dict(changed, texts, fmt::format("**{}, ", r.name)), items));
  }

  // Facts of `a * 0.5 + b`, of integers `a + b`.
  Facts of_half(const Facts& a, const Facts& b) const {
    const Facts base = derived(element_, a.shape, {a, b});
    if (!is_inexact()) return settled(base, 1e300, 0);
    const double magnitude = a.magnitude / 2 + b.magnitude;
    return settled(base, magnitude, a.error / 2 + b.error + 2 * unit(element_) * magnitude);
  }
  std::string half(const std::string& a, const std::string& b, Language language) const {
    if (!is_inexact()) return fmt::format("{} + {}", a, b);
    return fmt::format("{} * {} + {}", a, language == Language::tessera ? "0.5" : numpy_literal(element_, "0.5"), b);
  }

  std::vector<Field> pairwise(const Record& r, const Record& q,
                              Facts (Records::*of)(const Facts&, const Facts&) const) {
    std::vector<Field> fields = r.fields;
    for (std::size_t k = 0; k < fields.size(); ++k) fields[k].facts = (this->*of)(r.fields[k].facts, q.fields[k].facts);
    return fields;
  }

  // A function of two arrays of any shape.
  std::string function_of_any(const std::string& result) {
    const std::string function = maker_.fresh("h");
    const std::string_view element = generator::name(element_);
    add_({}, fmt::format("fn {0}(a: {1}[..]?, b: {1}[..]?) = {2}", function, element, result), "", nullptr);
    return function;
  }

  Record mapped(const Record& r, const Record& q) {
    const std::string function = function_of_any(half("a", "b", Language::tessera));
    const std::string numpy =
        fmt::format("{{k: {} for k in {}}}", half(r.name + "[k]", q.name + "[k]", Language::numpy), r.name);
    return bound(pairwise(r, q, &Records::of_half), fmt::format("each({}, {}, {})", function, r.name, q.name), numpy,
                 nullptr);
  }

  Facts of_both(const Facts& a, const Facts& b) const { return of_sum(derived(element_, a.shape, {a, b}), a, b); }

  // Two records from one `each`, of which the second is a copy.
  Record two_mapped(const Record& r, const Record& q) {
    const std::string function = function_of_any("(a + b, a)");
    Record sums{maker_.fresh("r"), pairwise(r, q, &Records::of_both)};
    const Record copy{maker_.fresh("r"), r.fields};
    add_({}, fmt::format("let ({}, {}) = each({}, {}, {})", sums.name, copy.name, function, r.name, q.name),
         fmt::format("{0} = {{k: {2}[k] + {3}[k] for k in {2}}}; {1} = {2}", sums.name, copy.name, r.name, q.name),
         nullptr);
    take_apart(sums);
    take_apart(copy);
    return sums;
  }

  // Three turns of `each`; now and then a scan's, or ended before.
  Record looped(const Record& r, const Record& q) {
    const std::string function = function_of_any(half("a", "b", Language::tessera));
    std::vector<Field> fields = r.fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const Facts& a = r.fields[k].facts;
      const Facts& b = q.fields[k].facts;
      fields[k].facts = derived(element_, a.shape, {a, b});
      const double magnitude = a.magnitude + 2 * b.magnitude;
      fields[k].facts =
          is_inexact() ? settled(fields[k].facts, magnitude, a.error + 2 * b.error + 4 * unit(element_) * magnitude)
                       : settled(fields[k].facts, 1e300, 0);
    }
    const std::string own = type(r);
    const bool ends = maker_.random.chance(30);
    const std::string tessera = fmt::format("loop w = {0} as {1} for i < 3{2} {{ each({3}, w, {4}) as {1} }}", r.name,
                                            own, ends ? " while i < 2" : "", function, q.name);
    const std::string numpy = fmt::format("loop(lambda i, w: {{k: {} for k in w}}, {}, {})",
                                          half("w[k]", q.name + "[k]", Language::numpy), ends ? 2 : 3, r.name);
    return bound(std::move(fields), tessera, numpy, nullptr);
  }

  Facts of_either(const Facts& a, const Facts& b) const {
    return of_choice(derived(element_, a.shape, {a, b}), {a, b});
  }

  Record branched(const Record& r, const Record& q) {
    const ExpressionRef condition = maker_.make({Element::boolean, {}, true}, 2);
    return bound(pairwise(r, q, &Records::of_either), fmt::format("if $0 {{ {} }} else {{ {} }}", r.name, q.name),
                 fmt::format("({} if $0 else {})", r.name, q.name), condition);
  }

  // A function whose parameter and result are records with layouts of their own.
  Record called(const Record& r) {
    const std::string function = maker_.fresh("h");
    std::vector<Field> fields = r.fields;
    const std::size_t at = maker_.random.index(fields);
    Field& changed = fields[at];
    changed.facts = of_both(changed.facts, changed.facts);
    const std::string in = "p." + changed.path;
    add_({},
         fmt::format("fn {}(p: {}) -> {} = {}", function, type(r), type(r),
                     braces({changed}, {fmt::format("{0} + {0}", in)}, "..p, ", "..p.inner, ")),
         "", nullptr);
    return bound(fields, fmt::format("{}({})", function, r.name),
                 fmt::format("{{**{0}, \"{1}\": {0}[\"{1}\"] + {0}[\"{1}\"]}}", r.name, changed.path), nullptr);
  }

  // The gradient of a sum of squares of some fields and of halves of the others.
  Record gradient(const Record& r) {
    const std::string function = maker_.fresh("h");
    const std::string as_half = numpy_literal(element_, "0.5");
    std::string loss;
    std::vector<Field> fields = r.fields;
    std::vector<std::string> slopes;
    for (Field& field : fields) {
      const bool squares = maker_.random.chance(50);
      loss += fmt::format(fmt::runtime(squares ? "{}sum(p.{} * p.{})" : "{}sum(p.{} * 0.5)"), loss.empty() ? "" : " + ",
                          field.path, field.path);
      const std::string own = fmt::format("{}[\"{}\"]", r.name, field.path);
      slopes.push_back(squares ? fmt::format("{0} + {0}", own)
                               : fmt::format("np.full(np.shape({}), {}, {})", own, as_half, numpy_name(element_)));
      Facts facts = derived(element_, field.facts.shape, {field.facts});
      facts.same_bits = facts.portable = facts.zero_signs = false;
      const double magnitude = squares ? 2 * field.facts.magnitude : 0.5;
      const double error = squares ? 2 * field.facts.error : 0;
      field.facts = settled(facts, magnitude, error + 4 * unit(element_) * magnitude);
    }
    add_({}, fmt::format("fn {}(p: {}) = {}", function, type(r), loss), "", nullptr);
    Record slope{maker_.fresh("r"), std::move(fields)};
    add_({}, fmt::format("let ({}, {}) = grad({}, wrt=p)({})", maker_.fresh("l"), slope.name, function, r.name),
         fmt::format("{} = {}", slope.name, dict(slope.fields, slopes)), nullptr);
    take_apart(slope);
    return slope;
  }

  Maker& maker_;
  const AddStatement& add_;
  Element element_ = Element::f32;
  std::vector<Record> all_;
};

}  // namespace

void add_records(Maker& maker, const AddStatement& add) { Records(maker, add).write(); }

}  // namespace tessera::generator
