// The words and signs of the language for `:doc`: one example of each and what it does.
#pragma once

#include <span>
#include <string_view>

namespace tessera::repl {

struct WordHelp {
  std::string_view word;
  std::string_view example;  // a statement that runs where the names of kWordSetting are bound
  std::string_view does;
};

// The beginning of every example.
inline constexpr std::string_view kWordSetting =
    "mesh m = [x: 4, y: 2]\nlet a = iota(f32[16@x, 16])\nlet c = true\n"
    "fn f(v: f32[N, K]?, w: f32[N, K]?) = sum(v * w)\n";

std::span<const WordHelp> words();
std::span<const WordHelp> signs();                 // operators
const WordHelp* find_word(std::string_view word);  // nullptr: no word or sign of the language

}  // namespace tessera::repl
