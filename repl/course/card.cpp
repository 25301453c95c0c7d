#include "repl/course/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

// Infinite before anything was played. A par of 0 counts as 1, or who also needs nothing would win by any margin.
double strokes(const std::vector<ScoreLine>& scores) {
  if (scores.empty()) return std::numeric_limits<double>::infinity();
  double product = 1;
  for (const ScoreLine& line : scores)
    product *= static_cast<double>(std::max<std::int64_t>(line.own, 1)) /
               static_cast<double>(std::max<std::int64_t>(line.par, 1));
  return product;
}

std::optional<std::int64_t> number_in(const std::string& word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_whole = error == std::errc{} && end == word.data() + word.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace

bool Card::beats(const Card& other) const { return strokes(scores_) < strokes(other.scores_); }

std::string Card::text() const {
  std::string text;
  for (const ScoreLine& line : scores_)
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", line.name, line.own, line.par);
  return text;
}

int Card::under_par() const {
  return static_cast<int>(
      std::count_if(scores_.begin(), scores_.end(), [](const ScoreLine& line) { return line.own < line.par; }));
}

std::string Card::written() const {
  std::string text;
  for (const ScoreLine& line : scores_)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", line.name, line.own, line.par);
  return text;
}

std::optional<Card> Card::read(const std::string& written) {
  std::vector<ScoreLine> scores;
  for (const std::string& part : parts_of(written, ',')) {
    const std::vector<std::string> words = parts_of(std::string(trimmed(part)), ' ');
    if (words.size() != 3) return std::nullopt;
    const auto own = number_in(words[1]);
    const auto par = number_in(words[2]);
    if (!own || !par) return std::nullopt;
    scores.push_back({words[0], *own, *par});
  }
  if (scores.empty()) return std::nullopt;
  return Card(std::move(scores));
}

}  // namespace tessera::repl
