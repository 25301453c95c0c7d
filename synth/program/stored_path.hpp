// How a step names an array that a file holds beside others: the file, then `::`, then the array, as in
// `model.safetensors::h.0.w`. Files of one array are named by their path alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::synth {

inline constexpr std::string_view kBetweenFileAndArray = "::";

enum class Holder : std::uint8_t { safetensors, safetensors_index, npz };

// By its ending, the form of a file that holds several arrays; nothing of any other file.
inline std::optional<Holder> holder_of(std::string_view file) {
  if (file.ends_with(".safetensors")) return Holder::safetensors;
  if (file.ends_with(".safetensors.index.json")) return Holder::safetensors_index;
  if (file.ends_with(".npz")) return Holder::npz;
  return std::nullopt;
}

struct StoredName {
  std::string file;
  std::string array;
  Holder holder = Holder::safetensors;
};

inline std::string path_of(std::string_view file, std::string_view array) {
  return std::string(file).append(kBetweenFileAndArray).append(array);
}

// Nothing where the path names a file of one array. Names of arrays may contain `::`, too.
inline std::optional<StoredName> stored_name(std::string_view path) {
  for (std::size_t at = path.find(kBetweenFileAndArray); at != std::string_view::npos;
       at = path.find(kBetweenFileAndArray, at + 1)) {
    const std::string_view file = path.substr(0, at);
    if (const auto holder = holder_of(file))
      return StoredName{std::string(file), std::string(path.substr(at + kBetweenFileAndArray.size())), *holder};
  }
  return std::nullopt;
}

}  // namespace tessera::synth
