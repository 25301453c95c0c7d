#include "typeck/typed/file_name.hpp"

namespace tessera::typeck {

std::optional<std::vector<FileNamePiece>> file_name_pieces(std::string_view written) {
  std::vector<FileNamePiece> pieces = {{}};
  for (std::size_t at = 0; at < written.size(); ++at) {
    const char letter = written[at];
    if (letter != '{' && letter != '}') {
      pieces.back().text += letter;
    } else if (at + 1 < written.size() && written[at + 1] == letter) {
      pieces.back().text += written[++at];
    } else {
      const std::size_t close = written.find('}', at);
      if (letter == '}' || close == std::string_view::npos || close == at + 1) return std::nullopt;
      pieces.push_back({std::string(written.substr(at + 1, close - at - 1)), true});
      pieces.emplace_back();
      at = close;
    }
  }
  return pieces;
}

std::string with_braces_doubled(std::string_view text) {
  std::string doubled;
  for (const char letter : text) doubled.append(letter == '{' || letter == '}' ? 2 : 1, letter);
  return doubled;
}

}  // namespace tessera::typeck
