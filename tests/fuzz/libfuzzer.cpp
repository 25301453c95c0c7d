// libFuzzer's entrance to a target. Half of its mutations are its own.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "tests/fuzz/structure.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  tessera::fuzz::one_input({reinterpret_cast<const char*>(bytes), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::mt19937_64 random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(bytes, size, max_size);
  std::string text(reinterpret_cast<const char*>(bytes), size);
  tessera::fuzz::change_structure(text, [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); });
  if (text.size() > max_size) return LLVMFuzzerMutate(bytes, size, max_size);
  std::memcpy(bytes, text.data(), text.size());
  return text.size();
}
