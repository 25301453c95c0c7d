// Several arrays that change their layouts at the same time, as one relay: for example weights on their way from one
// mesh to another.
//
// The load of a link is dealt over all arrays together: one array by itself may be far from its bound although all of
// them together reach theirs. A device sends another the parts of all arrays in one message.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/moves/plan/plan.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

struct LayoutChange {
  ArrayType from;
  ArrayType to;
  friend bool operator==(const LayoutChange&, const LayoutChange&) = default;
};

struct CompanyPlan {
  // The plan of every array, verified by itself, with figures as if it went alone. All relays among the steps, at most
  // one in each plan, have as many stretches and go on at once.
  std::vector<std::shared_ptr<const Plan>> plans;
  std::int64_t hops = 0;
  std::int64_t stretches = 0;
  std::int64_t received_bytes_total = 0;
  std::int64_t lower_bound_bytes_total = 0;
  std::int64_t peak_bytes = 0;  // of a device: what it holds of all sources and targets
  double seconds = 0;
  double lower_bound_seconds = 0;
};

// Nothing is pending at either end. Fails as `plan` does.
base::Result<CompanyPlan> plan_company(const std::vector<LayoutChange>& changes, const Machine& machine,
                                       base::StopToken stop = {});

}  // namespace tessera::synth
