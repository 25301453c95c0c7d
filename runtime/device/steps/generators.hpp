// Constructors on GPUs: every element is a function of its number in the whole array.
#pragma once

#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/kernels/generate.hpp"

namespace tessera::device {

base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Constant& operation);
base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Fill& operation);
base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Iota& operation);
base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Random& operation);
base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Normal& operation);

// What the elements of tiles are.
enum class Generated : std::uint8_t { filled, counted, uniform, normal, copied };
struct GeneratedPart {
  runtime::TileOut out;
  runtime::TilePlace place;
  Address value = 0;       // of what is filled in, of the seed, or of a literal of the whole array's shape
  std::uint64_t bits = 0;  // what is filled in where no address is given
};
// Tiles of one element type.
base::Status generate(Launcher& launcher, Generated what, const std::vector<GeneratedPart>& parts);

// What changes nothing in the reduction, as the bits of an element.
std::uint64_t identity_bits(synth::ReduceOp op, synth::ElementType element);

}  // namespace tessera::device
