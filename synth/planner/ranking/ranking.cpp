#include "synth/planner/ranking/ranking.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/stop_scope.hpp"
#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/place/fit.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/unit_bound.hpp"
#include "synth/moves/reduce/levels.hpp"
#include "synth/planner/ranking/sum_estimate.hpp"

namespace tessera::synth {

namespace {

class Ranking {
 public:
  Ranking(const RunMachine& machine, MeshRef mesh, const std::vector<PlaceRequest>& requests, std::size_t wished,
          RankedFor purpose)
      : machine_(machine),
        mesh_(std::move(mesh)),
        requests_(requests),
        wished_(wished),
        purpose_(purpose),
        estimate_(machine, *mesh_) {}

  base::Result<PlaceRanking> found() {
    const PlaceProblem problem = place_problem(*mesh_, machine_);
    result_.count = placements_count(problem);
    const auto usual = row_major_placement(problem);
    if (purpose_ == RankedFor::comparing && result_.count <= static_cast<std::int64_t>(wished_))
      return all_of(problem, usual);
    find_common_bound();
    for_each_placement(problem, [&](const PlaceMatrix& matrix) {
      if (matrix != usual) candidates_.push_back(bounded(matrix));
      return ++result_.examined < kPlacementsMax;
    });
    const auto promises_more = [](const Candidate& a, const Candidate& b) { return a.likely < b.likely; };
    std::stable_sort(candidates_.begin(), candidates_.end(), promises_more);
    if (usual) {
      Candidate candidate = bounded(*usual);
      TESSERA_TRY_STATUS(price(candidate));
      result_.row_major = candidate.placement;
      enter(std::move(candidate.placement));
    }
    TESSERA_TRY_STATUS(price_by_bound());
    if (purpose_ == RankedFor::comparing) return std::move(result_);
    for (RankedPlacement& one : result_.best) TESSERA_TRY_STATUS(verify_plans(one));
    return std::move(result_);
  }

 private:
  // `likely`: about what it will take. The bound, but where only some are priced: there sums are estimated besides.
  struct Candidate {
    RankedPlacement placement;
    double likely = 0;
    std::vector<double> bounds = {};  // of each request, all times that it is made
  };

  PlaceRanking all_of(const PlaceProblem& problem, const std::optional<PlaceMatrix>& usual) {
    const auto add = [&](const PlaceMatrix& matrix) { result_.best.push_back({matrix, placed(matrix), 0, 0, {}}); };
    if (usual) add(*usual);
    if (usual) result_.row_major = result_.best.front();
    for_each_placement(problem, [&](const PlaceMatrix& matrix) {
      if (matrix != usual) add(matrix);
      return true;
    });
    result_.examined = result_.count;
    return std::move(result_);
  }

  MeshRef placed(const PlaceMatrix& matrix) const {
    auto mesh = Mesh::make_on(mesh_->axes(), mesh_->ranges(), &matrix);
    TESSERA_CHECK(mesh.ok(), "an enumerated matrix that is no placement");
    return *mesh;
  }

  // Above kExactDevicesMax devices a bound counts what each device lacks, which does not depend on where the devices
  // lie, and what the first unit of each level lacks, which follows from the matrix alone. So, if both ends are on the
  // mesh that is placed, no mesh is made for a matrix until it is priced.
  void find_common_bound() {
    const auto is_placed = [&](const PlaceRequest& request) {
      return request.from.mesh() == *mesh_ && request.to.mesh() == *mesh_;
    };
    if (mesh_->devices() <= kExactDevicesMax || !std::all_of(requests_.begin(), requests_.end(), is_placed)) return;
    common_bounds_.emplace();
    for (const PlaceRequest& request : requests_)
      common_bounds_->push_back(bound_of_devices(machine_, request.from, request.to).seconds);
  }

  // The parts of a sum lie in all units that its axes are spread over, and cross links of the level once for each unit
  // but one: the seconds of the level that takes longest, by all its links together.
  double least_of_sum(const PlaceMatrix& matrix, const PlaceRequest& request) const {
    const auto axes = without(request.from.layout().pending(), request.to.layout().pending());
    if (!axes) return 0;
    const auto levels = reduce_levels(matrix, *axes);
    if (!levels) return 0;
    const Cluster cluster(machine_);
    double units = 1;
    double longest = 0;
    for (const ReduceLevel& level : *levels) {
      units *= static_cast<double>(level.factor);
      const double bytes = static_cast<double>(array_bytes(request.from)) * (units - 1);
      longest = std::max(longest, bytes / cluster.levels()[level.machine_level].bandwidth_of_all());
    }
    return longest;
  }

  double least_of_units(const PlaceMatrix& matrix, const PlaceRequest& request) const {
    if (!request.to.layout().pending().empty()) return 0;
    return first_units_bound(Cluster(machine_), matrix, request.from, request.to);
  }

  Candidate bounded(const PlaceMatrix& matrix) {
    base::look_for_stop();
    if (common_bounds_) {
      Candidate candidate{{matrix, mesh_, 0, 0, {}}, 0};
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        const double bound =
            std::max({(*common_bounds_)[i], least_of_sum(matrix, requests_[i]), least_of_units(matrix, requests_[i])});
        candidate.bounds.push_back(requests_[i].times * bound);
        candidate.placement.bound_seconds += candidate.bounds.back();
        candidate.likely +=
            requests_[i].times * std::max(bound, estimate_.of(matrix, requests_[i].from, requests_[i].to));
      }
      return candidate;
    }
    Candidate candidate{{matrix, placed(matrix), 0, 0, {}}, 0};
    for (const PlaceRequest& request : requests_) {
      const auto [from, to] = ends(request, candidate.placement.mesh);
      candidate.bounds.push_back(request.times * lower_bound(machine_, from, to).seconds);
      candidate.placement.bound_seconds += candidate.bounds.back();
    }
    candidate.likely = candidate.placement.bound_seconds;
    return candidate;
  }

  std::pair<ArrayType, ArrayType> ends(const PlaceRequest& request, const MeshRef& placed) const {
    const auto moved = [&](const ArrayType& type) { return type.mesh() == *mesh_ ? on_mesh(type, placed) : type; };
    return {moved(request.from), moved(request.to)};
  }

  // False where, with what the requests still to be planned take at least, it is too slow to be among the best.
  base::Result<bool> price(Candidate& candidate) {
    ++result_.priced;
    RankedPlacement& placement = candidate.placement;
    if (common_bounds_) placement.mesh = placed(placement.matrix);
    double left = placement.bound_seconds;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const auto [from, to] = ends(requests_[i], placement.mesh);
      TESSERA_TRY(made, plan_unverified(from, to, machine_, {}, &known_sums_));
      placement.seconds += requests_[i].times * made.seconds;
      placement.plans.push_back(std::make_shared<const Plan>(std::move(made)));
      left -= candidate.bounds[i];
      if (i + 1 < requests_.size() && is_too_slow(placement.seconds + left)) return false;
    }
    return true;
  }

  bool is_too_slow(double seconds) const {
    constexpr double kRounding = 1 + 1e-9;
    return result_.best.size() == wished_ && seconds > result_.best.back().seconds * kRounding;
  }

  // Only of those that are shown, whose bounds are then those of their plans where that is more.
  base::Status verify_plans(RankedPlacement& placement) {
    double bound_seconds = 0;
    for (std::size_t i = 0; i < placement.plans.size(); ++i) {
      Plan verified = *placement.plans[i];
      TESSERA_TRY_STATUS(with_bounds(verified, machine_));
      bound_seconds += requests_[i].times * verified.lower_bound_seconds;
      placement.plans[i] = std::make_shared<const Plan>(std::move(verified));
    }
    placement.bound_seconds = std::max(placement.bound_seconds, bound_seconds);
    return base::Done{};
  }

  base::Status price_by_bound() {
    for (Candidate& candidate : candidates_) {
      const bool is_full = result_.best.size() == wished_;
      if (is_full && candidate.placement.bound_seconds >= result_.best.back().seconds) continue;
      if (mesh_->devices() > kExactDevicesMax && result_.priced >= kLargePlacementsMax) break;
      TESSERA_TRY(is_whole, price(candidate));
      if (is_whole) enter(std::move(candidate.placement));
    }
    return base::Done{};
  }

  bool is_row_major(const RankedPlacement& one) const {
    return result_.row_major && result_.row_major->matrix == one.matrix;
  }

  void enter(RankedPlacement candidate) {
    const auto slower = [&](const RankedPlacement& other) {
      if (other.seconds != candidate.seconds) return other.seconds > candidate.seconds;
      return !is_row_major(other) && candidate.matrix < other.matrix;
    };
    auto& best = result_.best;
    best.insert(std::find_if(best.begin(), best.end(), slower), std::move(candidate));
    if (best.size() > wished_) best.pop_back();
  }

  const RunMachine& machine_;
  MeshRef mesh_;
  const std::vector<PlaceRequest>& requests_;
  std::size_t wished_;
  RankedFor purpose_;
  std::optional<std::vector<double>> common_bounds_;  // of the requests
  SumEstimate estimate_;
  KnownSums known_sums_;
  std::vector<Candidate> candidates_;
  PlaceRanking result_;
};

}  // namespace

base::Result<PlaceRanking> rank_placements(const Machine& machine, const MeshRef& mesh,
                                           const std::vector<PlaceRequest>& requests, std::size_t wished,
                                           base::StopToken stop, RankedFor purpose) {
  return base::guarded_until_stopped([&]() -> base::Result<PlaceRanking> {
    const base::StopScope scope(stop);
    TESSERA_TRY(checked, machine_for(machine, mesh->devices_end()));
    const PlaceProblem problem = place_problem(*mesh, checked);
    if (placements_count(problem) == 0) {
      return bad_place("auto", fmt::format("finds no matrix: a mesh of {} devices does not divide into levels of {}",
                                           mesh->devices(), fmt::join(problem.counts, ", ")))
          .suggest("leave it out: the devices are then numbered in row-major order");
    }
    return Ranking(checked, mesh, requests, std::max<std::size_t>(wished, 1), purpose).found();
  });
}

ArrayType on_mesh(const ArrayType& type, const MeshRef& mesh) {
  return *ArrayType::make(type.element(), type.shape(), mesh, type.layout());
}

}  // namespace tessera::synth
