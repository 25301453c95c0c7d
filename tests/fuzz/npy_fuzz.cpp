// Any bytes as the head of a .npy file of any size.
#include "runtime/io/files.hpp"
#include "tests/fuzz/target.hpp"

void tessera::fuzz::one_input(std::string_view text) {
  for (const std::int64_t more : {std::int64_t{0}, std::int64_t{64}, std::int64_t{1} << 40U}) {
    expect_no_bug(runtime::parse_npy_header(text, static_cast<std::int64_t>(text.size()) + more, "fuzz.npy"));
  }
}
