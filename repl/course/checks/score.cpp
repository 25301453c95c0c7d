#include "repl/course/checks/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

struct ScoreInfo {
  std::string_view name;
  std::string_view about;
  std::int64_t Score::* value;
};

constexpr std::array kScores = {
#define INFO(identifier, name, about) ScoreInfo{name, about, &Score::identifier},
    TESSERA_SCORES(INFO)
#undef INFO
};

}  // namespace

Score score_of(const Plan& plan) {
  Score score{plan.received_bytes_total(), plan.peak_bytes(), 0};
  for (const Plan::Step& step : plan.steps()) score.launches += step.launches ? 1 : 0;
  return score;
}

Score score_of(const Costs& costs) {
  Score score{costs.received_bytes, 0, costs.launches};
  for (const Redistribution& change : costs.changes) score.peak = std::max(score.peak, change.plan.peak_bytes());
  return score;
}

std::vector<ScoreLine> score_lines(const Score& score, const Score& par) {
  std::vector<ScoreLine> lines;
  for (const ScoreInfo& info : kScores) lines.push_back({std::string(info.name), score.*info.value, par.*info.value});
  return lines;
}

std::string score_text(const Score& score, const Score& par) {
  std::string text;
  for (const ScoreInfo& info : kScores) {
    const std::int64_t own = score.*info.value;
    const std::int64_t planner = par.*info.value;
    const std::string_view rank = own == planner ? "at par" : own < planner ? "under par" : "over par";
    text += fmt::format("  {:<9} {:>8}, par {:>8}  {:<9}  ({})\n", info.name, own, planner, rank, info.about);
  }
  return text;
}

std::string first_over_par(const Score& score, const Score& par, const std::string& names) {
  for (const std::string& name : parts_of(names, ',')) {
    for (const ScoreInfo& info : kScores) {
      if (info.name == name && score.*info.value > par.*info.value) return name;
    }
  }
  return "";
}

int scores_at_par(const Score& score, const Score& par) {
  return static_cast<int>(std::count_if(kScores.begin(), kScores.end(),
                                        [&](const ScoreInfo& info) { return score.*info.value <= par.*info.value; }));
}

std::string unknown_score(const std::string& names) {
  for (const std::string& name : parts_of(names, ',')) {
    const auto known = [&](const ScoreInfo& info) { return info.name == name; };
    if (std::none_of(kScores.begin(), kScores.end(), known)) return name;
  }
  return "";
}

}  // namespace tessera::repl
