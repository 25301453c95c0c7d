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

// The plans of the best are those of the program checked under their matrices, unless layouts are others there.
void remember(const synth::PlaceRanking& ranking, synth::PlanCache& plans) {
  const auto all_of = [&](const synth::RankedPlacement& one) {
    for (const auto& plan : one.plans) plans.remember(plan);
  };
  std::ranges::for_each(ranking.best, all_of);
  if (ranking.row_major) all_of(*ranking.row_major);
}

Placements with(Placements others, std::size_t number, const synth::PlaceMatrix& matrix) {
  others.resize(std::max(others.size(), number + 1));
  others[number] = matrix;
  return others;
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
                                          std::size_t wished, synth::PlanCache& plans, const CheckPlaced& check,
                                          base::StopToken stop) {
  ProgramRanking result{checked.placed_by_search.at(number), {}, {}};
  TESSERA_TRY(ranking, synth::rank_placements(plans.machine(), result.mesh.mesh, requests_of(checked), wished, stop));
  remember(ranking, plans);
  for (const synth::PlaceMatrix& matrix : candidates(ranking)) {
    auto typed = check(with(others, number, matrix));
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

namespace {

struct Found {
  synth::PlaceMatrix matrix;
  double seconds = 0;
  bool is_row_major = false;
};

// The matrix under which the program takes least. Those that promise most come first, so that the others are soon seen
// to take longer.
class Search {
 public:
  Search(const synth::PlaceRanking& ranking, const Typed& checked, std::size_t number, synth::PlanCache& plans)
      : ranking_(ranking),
        requests_(requests_of(checked)),
        mesh_(checked.placed_by_search[number].mesh),
        plans_(plans) {}

  // No longer than that.
  template <class Price>
  std::optional<Found> least(double most, const Price& price) {
    std::optional<Found> best;
    const auto consider = [&](const synth::PlaceMatrix& matrix) {
      const std::optional<double> seconds = price(matrix, best.has_value() ? best->seconds : most);
      if (!seconds.has_value() || *seconds > most) return;
      Found own{matrix, *seconds, ranking_.row_major && matrix == ranking_.row_major->matrix};
      if (!best.has_value() || is_better(own, *best)) best = std::move(own);
    };
    for (const synth::RankedPlacement& one : ranking_.best) consider(one.matrix);
    const auto is_usual = [&](const synth::RankedPlacement& one) { return one.matrix == ranking_.row_major->matrix; };
    if (ranking_.row_major && std::ranges::none_of(ranking_.best, is_usual)) consider(ranking_.row_major->matrix);
    return best;
  }

 private:
  // Of equals row-major order wins, then the one that is ranked higher.
  bool is_better(const Found& one, const Found& other) const {
    if (one.seconds != other.seconds) return one.seconds < other.seconds;
    if (one.is_row_major || other.is_row_major) return one.is_row_major;
    const bool is_ranked = ranking_.priced > 0;
    return !is_ranked &&
           std::pair(of_requests(one.matrix), one.matrix) < std::pair(of_requests(other.matrix), other.matrix);
  }

  // By which matrices are ranked.
  double of_requests(const synth::PlaceMatrix& matrix) const {
    const auto placed = synth::Mesh::make_on(mesh_->axes(), mesh_->ranges(), &matrix);
    TESSERA_CHECK(placed.ok(), "an enumerated matrix that is no placement");
    const auto on = [&](const synth::ArrayType& type) {
      return type.mesh() == *mesh_ ? synth::on_mesh(type, *placed) : type;
    };
    double seconds = 0;
    for (const synth::PlaceRequest& request : requests_) {
      const auto plan = plans_.get_price(on(request.from), on(request.to));
      if (plan.ok()) seconds += request.times * (*plan)->seconds;
    }
    return seconds;
  }

  const synth::PlaceRanking& ranking_;
  std::vector<synth::PlaceRequest> requests_;
  synth::MeshRef mesh_;
  synth::PlanCache& plans_;
};

}  // namespace

base::Result<Typed> placed_best(Typed priced, synth::PlanCache& plans, const CheckPlaced& check,
                                const PricePlaced& price, base::StopToken stop) {
  Typed best = std::move(priced);
  double seconds = seconds_of(moved(best));
  Placements placements(best.placed_by_search.size());
  base::Diagnostics notes;
  for (std::size_t number = 0; number < placements.size(); ++number) {
    const AutoPlaced mesh = best.placed_by_search[number];
    auto ranking = synth::rank_placements(plans.machine(), mesh.mesh, requests_of(best), kCheckedAnew, stop,
                                          synth::RankedFor::comparing);
    // A mesh that does not divide into the machine's levels has no matrix, and stays as it is.
    if (!ranking.ok() && ranking.errors().front().kind == synth::Kind::bad_place) {
      notes.push_back(note_of(mesh, "none", seconds, std::nullopt));
      continue;
    }
    if (!ranking.ok()) return std::move(ranking).errors();
    remember(*ranking, plans);
    const auto found = Search(*ranking, best, number, plans).least(seconds, [&](const auto& matrix, double most) {
      const auto own = price(with(placements, number, matrix), most);
      stop.look();
      return own;
    });
    if (!found.has_value()) {
      notes.push_back(note_of(mesh, "none, which is row-major order", seconds, std::nullopt));
      continue;
    }
    placements[number] = found->matrix;
    const std::string usual = found->is_row_major ? ", which is row-major order" : "";
    notes.push_back(note_of(mesh, fmt::format("`{}`{}", print(found->matrix), usual), found->seconds,
                            found->is_row_major ? std::nullopt : std::optional(seconds)));
    TESSERA_TRY(placed, check(placements));
    seconds = found->seconds;
    best = std::move(placed);
  }
  const auto is_placed = [](const auto& matrix) { return matrix.has_value(); };
  if (std::ranges::none_of(placements, is_placed)) {
    TESSERA_TRY(usual, check({}));
    best = std::move(usual);
  }
  best.notes.insert(best.notes.begin(), notes.begin(), notes.end());
  return best;
}

}  // namespace tessera::typeck
