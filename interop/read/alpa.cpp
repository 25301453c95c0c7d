// Alpa's letters: `S01R` splits dimension 0 by both axes of the mesh, the first of them major.
#include <fmt/format.h>

#include "interop/read/parts.hpp"

namespace tessera::interop {

base::Result<Described> read_alpa(const Reading& reading) {
  Scanner scanner(reading.text);
  TESSERA_TRY(axes, axes_for(reading));
  AxisUses uses(axes);
  Described result = uses.begin(scanner);
  const std::string_view text = reading.text.text;
  std::size_t at = 0;
  const auto is_digit = [&] { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  while (at < text.size()) {
    const char letter = text[at];
    const auto begin = static_cast<std::uint32_t>(at);
    scanner.go_back(begin + 1);
    if (letter != 'R' && letter != 'S')
      return scanner.wrong_from(begin, "each dimension is R, or S and the numbers of axes");
    if (result.splits.size() == synth::kRankMax) return scanner.wrong_from(begin, "an array has at most 16 dimensions");
    ++at;
    Digits digits;
    while (letter == 'S' && is_digit()) {
      const auto number = static_cast<std::size_t>(text[at] - '0');
      scanner.go_back(static_cast<std::uint32_t>(at + 1));
      if (number >= axes.size())
        return scanner.wrong_from(static_cast<std::uint32_t>(at), fmt::format("the mesh has no axis {}", number));
      TESSERA_TRY(digit, uses.use(scanner, static_cast<std::uint32_t>(at), axes[number].name));
      digits.push_back(digit);
      ++at;
    }
    if (letter == 'S' && digits.empty()) return scanner.wrong_from(begin, "S is followed by the numbers of axes");
    result.splits.push_back(std::move(digits));
  }
  return result;
}

}  // namespace tessera::interop
