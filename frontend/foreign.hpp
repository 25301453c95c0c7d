// Words and signs of other languages, and what is written here instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/foreign_operations.hpp"
#include "frontend/sentence.hpp"

namespace tessera::frontend {

const ForeignWord* find_foreign(std::string_view word);

// Help for a character that no program holds outside of strings and comments: what to write instead.
std::optional<std::string_view> help_for_character(std::string_view character);

// Help for a function of NumPy that is no operation here: what to write instead.
std::optional<std::string_view> help_for_function(std::string_view name);

// The same for `name(argument)`: where the help shows what to write with `a`, it is the argument, if that is a name.
std::optional<std::string> help_for_call(std::string_view name, std::string_view argument);

// Help for a constant of NumPy or a word of another session: what to write instead.
std::optional<std::string_view> help_for_constant(std::string_view name);

// A name under which other languages know their libraries, as `np`.
bool is_library(std::string_view name);

// `of.name(argument)`
struct Member {
  std::string of;              // `b`, or a path such as `jax.nn`
  std::string name;            // `softmax`
  std::string argument;        // the first word of the first argument, without a library's name; may be absent
  std::string arguments = {};  // integers alone, as `16, 2`; empty if there are others
  std::string part = {};       // `[1:3]` of `x.at[1:3].set(v)`, where `of` is `x`
};
// Help for it: what to write instead, of operations as they are called here.
std::string help_for_member(const Member& member, FunctionNames functions = nullptr);

// The element type that was meant: another library's name for it, or a near spelling.
std::optional<std::string_view> element_meant_by(std::string_view word);

}  // namespace tessera::frontend
