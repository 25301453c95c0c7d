#include "tests/cases/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "frontend/parse.hpp"

namespace tessera::cases {

namespace {

// A part of the text and what takes its place.
struct Edit {
  base::Span span;
  std::string text;
};

std::string edited(std::string_view text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    result += text.substr(at, edit.span.begin - at);
    result += edit.text;
    at = edit.span.end;
  }
  result += text.substr(at);
  return result;
}

Size plain_number(const frontend::Ast& ast, frontend::ExprId expr) {
  const auto* literal = std::get_if<frontend::IntLiteral>(&ast[expr].node);
  if (literal == nullptr) return std::nullopt;
  return literal->value;
}

// A cut of that name with other weights, as many as there are positions: 1, 2, 3, 1, 2, ...
std::string resized(const frontend::NamedCut& cut, std::int64_t positions) {
  constexpr std::int64_t kLargest = 3;
  std::string weights;
  for (std::int64_t i = 0; i < positions; ++i) {
    weights += fmt::format("{}{}", weights.empty() ? "" : ",", i % kLargest + 1);
  }
  return fmt::format("{}({})", cut.name.text, weights);
}

bool shows_devices(const frontend::Statement& statement) {
  const auto* save = std::get_if<frontend::Save>(&statement.node);
  return std::holds_alternative<frontend::Show>(statement.node) ||
         std::holds_alternative<frontend::PlanStatement>(statement.node) || (save != nullptr && save->shards);
}

// Numbers and words of a printed text; brackets and blanks only set them off, and depend on how long the numbers are.
std::vector<std::string> tokens(std::string_view text) {
  std::vector<std::string> found(1);
  for (char c : text) {
    const bool separates = std::strchr(" \n[],", c) != nullptr;
    if (!separates)
      found.back() += c;
    else if (!found.back().empty())
      found.emplace_back();
  }
  if (found.back().empty()) found.pop_back();
  return found;
}

bool near(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

bool tokens_agree(const std::string& a, const std::string& b, double tolerance) {
  if (a == b) return true;
  char* end_a = nullptr;
  char* end_b = nullptr;
  const double number_a = std::strtod(a.c_str(), &end_a);
  const double number_b = std::strtod(b.c_str(), &end_b);
  return *end_a == '\0' && *end_b == '\0' && near(number_a, number_b, tolerance);
}

bool texts_agree(std::string_view a, std::string_view b, std::optional<double> tolerance) {
  if (!tolerance.has_value()) return a == b;
  const auto tokens_a = tokens(a);
  const auto tokens_b = tokens(b);
  return std::equal(tokens_a.begin(), tokens_a.end(), tokens_b.begin(), tokens_b.end(),
                    [&](const std::string& x, const std::string& y) { return tokens_agree(x, y, *tolerance); });
}

template <class T>
bool floats_agree(const std::vector<std::byte>& a, const std::vector<std::byte>& b, double tolerance) {
  for (std::size_t at = 0; at + sizeof(T) <= a.size(); at += sizeof(T)) {
    T x = 0;
    T y = 0;
    std::memcpy(&x, a.data() + at, sizeof(T));
    std::memcpy(&y, b.data() + at, sizeof(T));
    if (!near(static_cast<double>(x), static_cast<double>(y), tolerance)) return false;
  }
  return true;
}

bool arrays_agree(const BoundArray& a, const BoundArray& b, std::optional<double> tolerance) {
  if (a.element != b.element || a.shape != b.shape || a.bytes.size() != b.bytes.size()) return false;
  if (a.bytes == b.bytes) return true;
  if (!tolerance.has_value()) return false;
  switch (a.element) {
    case Element::f32: return floats_agree<float>(a.bytes, b.bytes, *tolerance);
    case Element::f64: return floats_agree<double>(a.bytes, b.bytes, *tolerance);
    case Element::c64: return floats_agree<float>(a.bytes, b.bytes, *tolerance);  // part by part
    case Element::c128: return floats_agree<double>(a.bytes, b.bytes, *tolerance);
    case Element::boolean:
    case Element::i32:
    case Element::i64:
    case Element::f16:
    case Element::bf16:
    case Element::i8:
    case Element::u8:
    case Element::i16:
    case Element::u16:
    case Element::u32: return false;
  }
  return false;
}

std::vector<std::string> slugs(const Diagnostics& diagnostics) {
  std::vector<std::string> found;
  for (const Diagnostic& diagnostic : diagnostics) found.push_back(diagnostic.slug);
  return found;
}

// `error[slug] message` of the first diagnostic, for a fault's text.
std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "it succeeds" : fmt::format("[{}] {}", diagnostics[0].slug, diagnostics[0].message);
}

}  // namespace

Size same_size(Size) { return std::nullopt; }

Size one_device(Size) { return 1; }

Size other_size(Size size) {
  if (size == 1) return 2;
  return size == 3 ? 2 : 3;
}

std::optional<std::string> on_other_devices(std::string_view text, const Resize& resize) {
  base::SourceMap sources;
  const auto ast = frontend::parse(sources, sources.add("variant", std::string(text)));
  std::vector<Edit> edits;
  bool has_mesh = false;
  for (const frontend::StatementId id : ast->program) {
    const frontend::Statement& statement = (*ast)[id];
    if (const auto* mesh = std::get_if<frontend::MeshStatement>(&statement.node)) {
      has_mesh = true;
      for (const frontend::MeshAxis& axis : mesh->axes) {
        const Size size = resize(plain_number(*ast, axis.size));
        if (!size.has_value()) continue;
        edits.push_back({(*ast)[axis.size].span, std::to_string(*size)});
        for (const frontend::NamedCut& cut : axis.cuts) edits.push_back({cut.span, resized(cut, *size)});
      }
      if (mesh->on) edits.push_back({mesh->on->span, ""});
      if (mesh->place) edits.push_back({mesh->place->span, ""});
    } else if (shows_devices(statement)) {
      edits.push_back({statement.span, "print \"\""});
    }
  }
  if (!has_mesh) return std::nullopt;
  return edited(text, std::move(edits));
}

Faults differences(const RunRecord& expected, const RunRecord& actual, std::optional<double> tolerance) {
  Faults faults;
  if (slugs(expected.diagnostics) != slugs(actual.diagnostics)) {
    return {fmt::format("{}; there: {}", first_message(expected.diagnostics), first_message(actual.diagnostics))};
  }
  if (!texts_agree(expected.output, actual.output, tolerance)) {
    faults.push_back(fmt::format("prints\n{}there:\n{}", expected.output, actual.output));
  }
  for (const auto& [name, array] : expected.values) {
    const auto found = actual.values.find(name);
    if (found == actual.values.end())
      faults.push_back(fmt::format("`{}` is not bound there", name));
    else if (!arrays_agree(array, found->second, tolerance))
      faults.push_back(fmt::format("`{}` differs there", name));
  }
  return faults;
}

}  // namespace tessera::cases
