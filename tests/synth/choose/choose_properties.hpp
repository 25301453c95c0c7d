// Properties of choosing, on as many random programs as the caller has time for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::synth::test {

// The choice takes what trying everything finds, its proof is complete, and its verifier agrees.
void expect_equal_to_enumeration(std::size_t programs, std::uint64_t seed);
// The ascent with what closes it, elimination alone and the walk alone find programs of equal seconds.
void expect_agreement(std::size_t programs, std::uint64_t seed);
// Data parallelism, sharded parameters and choosing greedily are no better, on random perceptrons with gradients.
void expect_no_better_rival(std::size_t programs, std::uint64_t seed);

// Rounds over three axes find no more than the best program and prove no more than its seconds; of so many perceptrons
// with gradients they find the best one.
void expect_rounds_near_the_best(std::size_t programs, std::uint64_t seed);

}  // namespace tessera::synth::test
