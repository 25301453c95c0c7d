// Recipes as text.
#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <utility>

#include "synth/layout/cursor.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

namespace {

using Parts = std::vector<RelayPart>;

// By how much the sources of one task lie above those of another, where that is all they differ in.
std::optional<std::int32_t> shift_between(const Parts& a, const Parts& b) {
  if (a.size() != b.size() || a.empty() || a[0].sources.empty() || b[0].sources.empty()) return std::nullopt;
  const std::int32_t shift = b[0].sources[0] - a[0].sources[0];
  if (shift < 0) return std::nullopt;
  for (std::size_t p = 0; p < a.size(); ++p) {
    if (a[p].weight != b[p].weight || a[p].sources.size() != b[p].sources.size()) return std::nullopt;
    for (std::size_t i = 0; i < a[p].sources.size(); ++i) {
      if (b[p].sources[i] - a[p].sources[i] != shift) return std::nullopt;
    }
  }
  return shift;
}

Parts shifted(Parts parts, std::int32_t by) {
  for (RelayPart& part : parts) {
    for (std::int32_t& source : part.sources) source += by;
  }
  return parts;
}

void print_parts(std::string& text, const Parts& parts) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (p > 0) text += ',';
    if (parts[p].weight != 1) text += fmt::format(" {}*", parts[p].weight);
    for (const std::int32_t source : parts[p].sources) text += fmt::format(" {}", source);
  }
}

std::optional<std::int32_t> number(Cursor& cursor) {
  const auto value = integer_value(cursor.digits());
  if (!value || *value > std::numeric_limits<std::int32_t>::max() / 2) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

bool digit_next(Cursor& cursor) {
  cursor.skip_blanks();
  return is_digit(cursor.peek());
}

std::optional<RelayPart> read_part(Cursor& cursor) {
  RelayPart part;
  auto first = number(cursor);
  if (!first) return std::nullopt;
  if (cursor.accept('*')) {
    part.weight = *first;
    first = number(cursor);
    if (!first) return std::nullopt;
  }
  part.sources.push_back(*first);
  while (digit_next(cursor)) {
    const auto next = number(cursor);
    if (!next) return std::nullopt;
    part.sources.push_back(*next);
  }
  return part;
}

std::optional<Parts> read_task(Cursor& cursor, const Parts* before) {
  if (cursor.accept('+')) {
    const auto by = number(cursor);
    if (!by || before == nullptr) return std::nullopt;
    return shifted(*before, *by);
  }
  Parts parts;
  do {
    auto part = read_part(cursor);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  } while (cursor.accept(','));
  return parts;
}

}  // namespace

std::string print(const RelayRecipe& recipe) {
  std::string text = fmt::format("{}/{}:", recipe.stretches, recipe.hops);
  for (std::size_t t = 0; t < recipe.tasks.size(); ++t) {
    if (t > 0) text += ';';
    const auto shift = t == 0 ? std::nullopt : shift_between(recipe.tasks[t - 1], recipe.tasks[t]);
    if (shift)
      text += fmt::format(" +{}", *shift);
    else
      print_parts(text, recipe.tasks[t]);
  }
  return text;
}

std::optional<RelayRecipe> parse_relay_recipe(std::string_view text) {
  Cursor cursor(text);
  RelayRecipe recipe;
  const auto stretches = number(cursor);
  if (!stretches || *stretches < 1 || !cursor.accept('/')) return std::nullopt;
  const auto hops = number(cursor);
  if (!hops || *hops < 1 || !cursor.accept(':')) return std::nullopt;
  recipe.stretches = *stretches;
  recipe.hops = *hops;
  do {
    auto parts = read_task(cursor, recipe.tasks.empty() ? nullptr : &recipe.tasks.back());
    if (!parts) return std::nullopt;
    recipe.tasks.push_back(std::move(*parts));
  } while (cursor.accept(';'));
  cursor.skip_blanks();
  return cursor.at_end() ? std::optional(std::move(recipe)) : std::nullopt;
}

}  // namespace tessera::synth
