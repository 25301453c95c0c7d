// Private to synth: prices of memory. A byte that a device holds in a moment costs seconds, so that the search keeps
// what is large for a shorter time, or in smaller tiles.
//
// With any prices, what the search bounds, less what the limits would cost if all of them were used up, is a bound of
// every program that keeps within the limits: such a program pays no more than that for memory.
//
// Example: x is there in moments 0 to 8 and y in 3 to 5, and a byte costs 1 in moment 4 and 1 in moment 8. Then each
// byte of a tile of x costs 2, and one of y costs 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "synth/choose/model.hpp"

namespace tessera::synth {

struct MemoryPrice {
  std::size_t moment = 0;
  std::size_t device = 0;  // of the mesh
  double seconds_per_byte = 0;
};

class MemoryPrices {
 public:
  // Of a problem with lives, which outlives this, as the model has it.
  MemoryPrices(const ChoiceProblem& problem, const Model& model);
  // A copy of the model that prices memory, and seconds times `time`.
  Model priced(const Model& model, const std::vector<MemoryPrice>& prices, double time) const;

 private:
  struct ReaderStay {
    std::size_t reader = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  using StarLife = std::vector<ReaderStay>;  // of one life of its value
  void find_readers(const Model& model);
  void price_made(Model& model, std::size_t star, const std::vector<MemoryPrice>& prices) const;
  void price_copies(Model& model, std::size_t star, const std::vector<MemoryPrice>& prices) const;

  std::vector<std::vector<const ChoiceLife*>> lives_;  // of every given value
  std::vector<std::vector<StarLife>> stars_;           // of every star
};

}  // namespace tessera::synth
