// The verifier (verify.hpp) with the senders of our routing, which carries out copies: all else here may not know it.
#include <fmt/format.h>

#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/routing.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/verify/verify.hpp"

namespace tessera::synth {

base::Result<std::optional<std::string>> fault_of(const Plan& plan, const Machine& machine) {
  return base::guarded([&]() -> base::Result<std::optional<std::string>> {
    TESSERA_TRY(checked, machine_for(machine, run_devices(plan.from, plan.to)));
    const verifier::Senders senders = [&](const ArrayType& before, const ArrayType& after,
                                          const verifier::ClaimBox& claim) {
      const Routing routing(before, after, nullptr, sender_rule(Cluster(checked)));
      routing.walk(
          [&](std::int32_t source, std::int32_t target, const Box& box, std::int64_t) { claim(source, target, box); });
    };
    return verifier::run(plan, checked, senders);
  });
}

base::Status verify(const Plan& plan, const Machine& machine) {
  TESSERA_TRY(fault, fault_of(plan, machine));
  if (!fault) return base::Done{};
  return base::make(base::Kind::internal, fmt::format("a plan does not verify: {}", *fault));
}

}  // namespace tessera::synth
