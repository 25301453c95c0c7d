// The library that is written in the language itself, `use "std/nn"`: texts of embed/library/, which are read like any
// other.
#pragma once

#include <optional>
#include <string_view>

namespace tessera::embed {

// The text of that name; none where it is no text of the library.
std::optional<std::string_view> find_library_text(std::string_view name);

// The name of the text that declares a function; empty where none does.
std::string_view library_text_of(std::string_view function);

// One for each file, made by the build.
std::string_view library_linalg();
std::string_view library_nn();

}  // namespace tessera::embed
