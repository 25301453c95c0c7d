// Facts that hold for the plan of every change of layout, whatever the ends.
#pragma once

#include <cstddef>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth::test {

// The plan is verified, within its bounds, of few launches or faster than one of few, and moves the data.
void expect_sound(const ArrayType& from, const ArrayType& to);

std::vector<ArrayType> types_of(const MeshRef& on, const Shape& shape, const std::vector<Layout>& layouts);

// The same for every so many-th of all ordered pairs.
void expect_all_pairs_sound(const std::vector<ArrayType>& types, std::size_t every);

}  // namespace tessera::synth::test
