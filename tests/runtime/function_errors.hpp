// How far the smooth functions are from the truth, in units in the last place.
#pragma once

#include <cstdint>
#include <span>

#include "synth/program/operation.hpp"

namespace tessera::runtime::test {

// A function with the worst errors that docs/language.md states, for all f32 and for samples of f64.
struct StatedError {
  synth::MapOp op;
  double f32;
  double f64;
};
std::span<const StatedError> stated_errors();

// The true value, in more digits than f64 has.
long double true_value(synth::MapOp op, long double x);

// The distance of `got` from the truth in units in the last place of T; infinite if one of them is NaN or infinite and
// the other is not the same, or if a zero has the wrong sign.
template <class T>
double error_in_units(T got, long double truth);

// The worst error over every `step`-th f32, where the truth is what the function gives for f64; at least 0.5.
double worst_error_of_floats(synth::MapOp op, std::uint64_t step);

}  // namespace tessera::runtime::test
