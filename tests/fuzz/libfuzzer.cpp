// libFuzzer's entrance to a target.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  tessera::fuzz::one_input({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
