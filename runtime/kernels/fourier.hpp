// Discrete Fourier transforms along one dimension (synth::Fourier says what each gives).
//
// Every line is transformed by itself. Its length alone fixes the order of all operations, whichever vectors compute
// several lines at once and however many lines a tile holds, so that the bits are the same on every machine of a kind.
// Lengths whose prime factors are 2, 3, 5 and 7 go in passes of radix 4, 2, 3, 5 and 7 (Stockham: each pass reads one
// array and writes another, in order); every other length by a convolution, whose length has these factors (Bluestein).
// Roots of unity are computed with more digits than they are kept with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// The memory that a transform works in: a place for each of some lines that are worked on at the same time, and the
// roots of unity. Shapes are those of a tile, before and after; the element is that of a part of a number.
std::int64_t fourier_scratch_bytes(const synth::Fourier& how, synth::ElementType part, const synth::Shape& from,
                                   const synth::Shape& to);

void fourier(const synth::Fourier& how, const TileView& operand, const TileOut& out, std::byte* scratch);

}  // namespace tessera::runtime
