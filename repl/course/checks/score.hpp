// Scores: the costs of an answer's changes of layout, beside those of the planner's own plan.
#pragma once

#include <string>
#include <vector>

#include "repl/course/trial.hpp"

namespace tessera::repl {

// FOREACH(identifier, "name in a lesson's file", "what it counts")
#define TESSERA_SCORES(FOREACH)                            \
  FOREACH(bytes, "bytes", "bytes received by all devices") \
  FOREACH(peak, "peak", "most bytes alive on a device")    \
  FOREACH(launches, "launches", "collectives started")

struct Score {
#define MEMBER(identifier, name, about) std::int64_t identifier = 0;
  TESSERA_SCORES(MEMBER)
#undef MEMBER
};

Score score_of(const Costs& costs);
Score score_of(const Plan& plan);

std::vector<ScoreLine> score_lines(const Score& score, const Score& par);
// A line for each score, against par.
std::string score_text(const Score& score, const Score& par);
// Which of the scores named, in a list such as `bytes, peak`, is worse than par; empty if none is.
std::string first_over_par(const Score& score, const Score& par, const std::string& names);
// How many scores are no worse than par.
int scores_at_par(const Score& score, const Score& par);
// The first of a list of names that is no score's; empty if all are.
std::string unknown_score(const std::string& names);

}  // namespace tessera::repl
