// The name of a file as a program writes it: texts, and between them names in braces. `"out/step{i}.npy"` has the
// pieces `out/step`, the name `i`, and `.npy`. A brace that belongs to the file's name is written twice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::typeck {

struct FileNamePiece {
  std::string text;
  bool is_name = false;
};

// Nothing where a brace stands alone.
std::optional<std::vector<FileNamePiece>> file_name_pieces(std::string_view written);

// The text with each brace doubled: how it is written in a name that has other pieces.
std::string with_braces_doubled(std::string_view text);

}  // namespace tessera::typeck
