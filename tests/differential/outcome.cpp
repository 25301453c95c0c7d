#include "tests/differential/outcome.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <sstream>

namespace tessera::differential {

namespace {

using generator::Facts;

template <class T>
T element_at(const std::vector<std::byte>& bytes, std::size_t number) {
  T value;
  std::memcpy(&value, bytes.data() + number * sizeof(T), sizeof(T));
  return value;
}

// Programs print `= NAME` before what they print of a name, and `=` before what depends on the devices.
std::map<std::string, std::string> sections(const std::string& output) {
  std::map<std::string, std::string> result;
  std::istringstream lines(output);
  std::string name;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=")) name = line.substr(0, line.find(' ', 2));
    result[name] += line + "\n";
  }
  return result;
}

enum class Closeness : std::uint8_t { bits, zeros_alike, near };

Closeness closeness(const Facts& facts, Yardstick yardstick) {
  if (!generator::is_float(facts.element)) return Closeness::bits;
  if (!facts.same_bits) return Closeness::near;
  if (yardstick == Yardstick::implementation) return facts.portable ? Closeness::zeros_alike : Closeness::near;
  return facts.zero_signs ? Closeness::bits : Closeness::zeros_alike;
}

template <class T>
auto bits_of(T value) {
  return std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
}

template <class T>
bool is_nan(T value) {
  return std::isnan(static_cast<double>(value));
}

template <class T>
bool agree(T a, T b, Closeness closeness, double tolerance) {
  switch (closeness) {
    case Closeness::bits: return bits_of(a) == bits_of(b);
    case Closeness::zeros_alike: return a == b || (is_nan(a) && is_nan(b));
    case Closeness::near: return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= tolerance;
  }
  return false;
}

template <class T>
std::optional<std::string> elements_differ(const Facts& facts, const Value& a, const Value& b, Yardstick yardstick) {
  const Closeness how = closeness(facts, yardstick);
  const double tolerance = generator::tolerance(facts);
  for (std::size_t k = 0; k < a.bytes.size() / sizeof(T); ++k) {
    const T x = element_at<T>(a.bytes, k);
    const T y = element_at<T>(b.bytes, k);
    if (agree(x, y, how, tolerance)) continue;
    const std::string allowed = how == Closeness::near ? fmt::format(", {} allowed", tolerance) : "";
    return fmt::format("element {} is {} and {}{}", k, x, y, allowed);
  }
  return std::nullopt;
}

template <class F>
auto visit_element(Element element, F f) {
  switch (element) {
    case Element::i32: return f(std::int32_t{});
    case Element::i64: return f(std::int64_t{});
    case Element::f32: return f(float{});
    case Element::f64: return f(double{});
    case Element::i8: return f(std::int8_t{});
    case Element::u8: return f(std::uint8_t{});
    case Element::i16: return f(std::int16_t{});
    case Element::u32: return f(std::uint32_t{});
    case Element::u16:
    case Element::f16:
    case Element::bf16: return f(std::uint16_t{});
    case Element::c64:
    case Element::c128:  // no generated program has any
    case Element::boolean: break;
  }
  return f(std::uint8_t{});
}

std::string type_text(Element element, const generator::Shape& shape) {
  return std::string(generator::name(element)) + generator::list_text(shape);
}

}  // namespace

std::string first_failure(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::error) return fmt::format("{}: {}", diagnostic.slug, diagnostic.message);
  }
  return diagnostics.empty() ? "" : "no error: " + diagnostics[0].message;
}

Outcome run(std::string_view text) {
  Outcome outcome;
  std::string output;
  Config config;
  config.output = [&output](std::string_view piece) { output += piece; };
  Session session(std::move(config));
  const auto report = session.run(text, "generated");
  outcome.failure = first_failure(report.diagnostics());
  outcome.printed = sections(output);
  for (const Binding& binding : session.names()) {
    const auto array = session.get(binding.name);
    if (array.ok()) outcome.values[binding.name] = Value{array->element(), array->shape(), array->bytes()};
  }
  return outcome;
}

std::optional<std::string> difference(const Facts& facts, const Value& a, const Value& b, Yardstick yardstick) {
  if (a.element != b.element || a.shape != b.shape) {
    return fmt::format("the types are {} and {}", type_text(a.element, a.shape), type_text(b.element, b.shape));
  }
  if (a.bytes.size() != b.bytes.size()) return fmt::format("there are {} and {} bytes", a.bytes.size(), b.bytes.size());
  return visit_element(a.element, [&](auto zero) { return elements_differ<decltype(zero)>(facts, a, b, yardstick); });
}

std::optional<std::string> contradiction(const Facts& facts, const Value& value) {
  if (value.element != facts.element || value.shape != facts.shape) {
    return fmt::format("the type is {}, not {}", type_text(value.element, value.shape),
                       type_text(facts.element, facts.shape));
  }
  if (facts.element == Element::boolean || !facts.finite) return std::nullopt;  // truth has no magnitude
  return visit_element(value.element, [&](auto zero) -> std::optional<std::string> {
    using T = decltype(zero);
    for (std::size_t k = 0; k < value.bytes.size() / sizeof(T); ++k) {
      const auto own = static_cast<double>(element_at<T>(value.bytes, k));
      if (std::abs(own) <= facts.magnitude * 1.001 + generator::tolerance(facts)) continue;
      return fmt::format("element {} is {}, but no magnitude is above {}", k, own, facts.magnitude);
    }
    return std::nullopt;
  });
}

std::optional<std::string> difference(const generator::Program& program, const Outcome& a, const Outcome& b) {
  if (!a.failure.empty()) return a.failure;
  if (!b.failure.empty()) return b.failure;
  for (const generator::Statement& statement : program.statements) {
    for (std::size_t k = 0; k < statement.names.size(); ++k) {
      const std::string& name = statement.names[k];
      if (!a.values.contains(name) || !b.values.contains(name)) return fmt::format("differs: there is no `{}`", name);
      const Facts& facts = statement.facts[k];
      if (auto found = difference(facts, a.values.at(name), b.values.at(name), Yardstick::devices)) {
        return fmt::format("differs: `{}`: {}", name, *found);
      }
      const std::string section = "= " + name;
      const bool same_text = !a.printed.contains(section) || !b.printed.contains(section) ||
                             a.printed.at(section) == b.printed.at(section);
      if (closeness(facts, Yardstick::devices) == Closeness::bits && !same_text) {
        return fmt::format("differs: `{}` is printed as\n{}and as\n{}", name, a.printed.at(section),
                           b.printed.at(section));
      }
    }
  }
  return std::nullopt;
}

}  // namespace tessera::differential
