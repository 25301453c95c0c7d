// Private to synth: moves digit by digit. Where every device of a large group sends to every other, it waits for each
// of them. Two launches, each among the devices whose positions differ in some digits only, wait for about k1 + k2
// peers instead of k1 * k2. The array goes twice; on a machine of levels, one of these times over nearer links.
//
// Example: `f32[65536@(x,y,z),1024] -> f32[65536,1024@(z,y,x)]` on eight pods of eight nodes of eight devices can be
// one all_to_all among 512 devices with 511 peers; or three, of z, y and x, with 7 peers each.
#pragma once

#include <optional>

#include "synth/planner/chain.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

// More bytes have to save more than a tenth of the time: the estimate does not know what a launch takes beside its
// peers.
inline constexpr double kWorthDigits = 1.1;

// The slices, all_to_alls, all_gathers, and last perhaps a permute, that lead from one type to the other in the fewest
// seconds, by estimates that are exact for tiles of one size. Nothing where `seconds` is not
// kWorthDigits times that, where one launch is as fast, where an axis is cut by weights, or where no machine file
// describes the links. Pending sets are equal.
std::optional<Chain> move_by_digits(const ArrayType& from, const ArrayType& to, Prices& prices, double seconds);

// The same in prime digits, on any machine and whatever it gains, where there is no exchange to go by instead. Nothing
// where more than six of them move.
std::optional<Chain> move_by_prime_digits(const ArrayType& from, const ArrayType& to, Prices& prices);

}  // namespace tessera::synth
