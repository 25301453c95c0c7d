// Sends that a plan lists one by one, taken on ranks: hop by hop, by what relays are taken by.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/ranks/team.hpp"
#include "runtime/values/value.hpp"
#include "synth/plan/plan.hpp"

namespace tessera::ranks {

// The array after the sends, and how long this rank had part in them. Between meshes that share no device; of all
// ranks.
struct Sent {
  runtime::Value array;
  double seconds = 0;
};
base::Result<Sent> take_listed_sends(const std::shared_ptr<runtime::Team>& team, const runtime::Value& array,
                                     const synth::ArrayType& to, const synth::ListedSends& listed);

}  // namespace tessera::ranks
