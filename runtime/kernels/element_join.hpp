// A reduction of a sequence to one element while the sequence is made, so that it need not be kept.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// Gives the bits that reduce() gives. Elements come dense and in order, whole blocks of 128 but for the last ones.
class ElementJoin {
 public:
  ElementJoin(synth::ReduceKind kind, synth::ElementType element);
  ~ElementJoin();
  void add(const TileView& elements);
  // The products of the elements of two arrays, which are floats; the reduction is a sum.
  void add_products(const TileView& a, const TileView& b);
  // Writes the one element that they give, and begins anew.
  void finish(std::byte* out);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tessera::runtime
