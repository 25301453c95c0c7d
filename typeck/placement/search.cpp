#include "typeck/placement/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/units_text.hpp"
#include "synth/kinds.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

constexpr std::size_t kCheckedAnew = 8;

std::vector<synth::PlaceRequest> requests_of(const Typed& typed) {
  std::vector<synth::PlaceRequest> requests;
  for (const Moved& one : moved(typed)) requests.push_back({one.plan->from, one.plan->to, one.times});
  return requests;
}

// In the order of their ranks, the row-major one first.
std::vector<synth::PlaceMatrix> candidates(const synth::PlaceRanking& ranking) {
  std::vector<synth::PlaceMatrix> all;
  if (ranking.row_major) all.push_back(ranking.row_major->matrix);
  for (const synth::RankedPlacement& one : ranking.best) {
    if (!ranking.row_major || one.matrix != ranking.row_major->matrix) all.push_back(one.matrix);
  }
  return all;
}

// `usual`: in row-major order, if the mesh lies otherwise.
base::Diagnostic note_of(const AutoPlaced& mesh, const std::string& lies, double seconds, std::optional<double> usual) {
  const std::string beside = usual ? fmt::format(", in row-major order {}", base::seconds_text(*usual)) : "";
  return base::make(Kind::placed, mesh.name, lies, base::seconds_text(seconds), beside).at(mesh.span);
}

}  // namespace

base::Result<ProgramRanking> rank_program(const Typed& checked, std::size_t number, const Placements& others,
                                          std::size_t wished, const synth::Machine& machine, const CheckPlaced& check,
                                          base::StopToken stop) {
  ProgramRanking result{checked.placed_by_search.at(number), {}, {}};
  TESSERA_TRY(ranking, synth::rank_placements(machine, result.mesh.mesh, requests_of(checked), wished, stop));
  for (const synth::PlaceMatrix& matrix : candidates(ranking)) {
    Placements placements = others;
    placements.resize(std::max(placements.size(), number + 1));
    placements[number] = matrix;
    auto typed = check(placements);
    stop.look();
    if (!typed) continue;
    std::vector<Moved> all = moved(*typed);
    const double seconds = seconds_of(all);
    const bool is_row_major = ranking.row_major && matrix == ranking.row_major->matrix;
    result.checked.push_back({matrix, is_row_major, seconds, std::move(all), std::move(*typed)});
  }
  std::stable_sort(result.checked.begin(), result.checked.end(),
                   [](const CheckedPlacement& a, const CheckedPlacement& b) { return a.seconds < b.seconds; });
  result.ranking = std::move(ranking);
  return result;
}

base::Result<Typed> placed_best(Typed checked, const synth::Machine& machine, const CheckPlaced& check,
                                base::StopToken stop) {
  Typed best = std::move(checked);
  double seconds = seconds_of(moved(best));
  Placements placements(best.placed_by_search.size());
  base::Diagnostics notes;
  for (std::size_t number = 0; number < placements.size(); ++number) {
    auto found_ranking = rank_program(best, number, placements, kCheckedAnew, machine, check, stop);
    // A mesh that does not divide into the machine's levels has no matrix, and stays as it is.
    if (!found_ranking.ok() && found_ranking.errors().front().kind == synth::Kind::bad_place) {
      notes.push_back(note_of(best.placed_by_search[number], "none", seconds, std::nullopt));
      continue;
    }
    if (!found_ranking.ok()) return std::move(found_ranking).errors();
    ProgramRanking& ranked = *found_ranking;
    const bool is_better = !ranked.checked.empty() && ranked.checked.front().seconds <= seconds;
    if (is_better) placements[number] = ranked.checked.front().matrix;
    std::string lies = "none";
    if (is_better) lies = fmt::format("`{}`", print(*placements[number]));
    const bool is_usual = !is_better || ranked.checked.front().is_row_major;
    if (is_better && is_usual) lies += ", which is row-major order";
    const double found = is_better ? ranked.checked.front().seconds : seconds;
    notes.push_back(note_of(ranked.mesh, lies, found, is_usual ? std::nullopt : std::optional(seconds)));
    if (!is_better) continue;
    seconds = ranked.checked.front().seconds;
    best = std::move(ranked.checked.front().typed);
  }
  best.notes.insert(best.notes.begin(), notes.begin(), notes.end());
  return best;
}

}  // namespace tessera::typeck
