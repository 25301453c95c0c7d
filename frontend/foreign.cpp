#include "frontend/foreign.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "frontend/ast.hpp"
#include "frontend/text.hpp"

namespace tessera::frontend {

namespace {

constexpr std::string_view kLoop = "a loop carries a value: `loop w = w0 for i < n { ... }`";
constexpr std::string_view kLet = "a value is named with `let a = ...`";
constexpr std::string_view kFn = "a function is written `fn f(a: f32[8]) = ...`";

constexpr std::array<ForeignWord, 22> kForeign = {
    {{"elif", "write `else if`"},
     {"elseif", "write `else if`"},
     {"then", "write `if c { a } else { b }`"},
     {"while", kLoop},
     {"break", kLoop},
     {"continue", kLoop},
     {"return", "a block is worth its last expression"},
     {"def", kFn},
     {"func", kFn},
     {"function", kFn},
     {"lambda", kFn},
     {"var", kLet},
     {"const", kLet},
     {"mut", "values do not change; a name may be bound again with `let`"},
     {"import", "there is nothing to import: every function is at hand"},
     {"and", "write `&&`"},
     {"or", "write `||`"},
     {"not", "write `!`"},
     {"in", "a loop counts: `for i < n`"},
     {"is", "write `==`"},
     {"True", "write `true`"},
     {"False", "write `false`"}}};

constexpr std::array<ForeignWord, 11> kCharacters = {
    {{"&", "write `&&`"},
     {"|", "write `||`"},
     {"^", "a power is written `**`"},
     {"~", "write `!`"},
     {"'", "strings stand between double quotes"},
     {"`", "strings stand between double quotes"},
     {"\xE2\x80\x9C", "strings stand between straight double quotes"},
     {"\xE2\x80\x9D", "strings stand between straight double quotes"},
     {"\\", "a line goes on by itself after an operator and inside ( ) and [ ]"},
     {".", "a number has a digit beside its point"},
     {"\xC2\xA0", "this is a no-break space; type a blank"}}};

constexpr std::array<ForeignWord, 12> kElements = {{{"float32", "f32"},
                                                    {"float64", "f64"},
                                                    {"float", "f32"},
                                                    {"double", "f64"},
                                                    {"int", "i64"},
                                                    {"int32", "i32"},
                                                    {"int64", "i64"},
                                                    {"half", "f16"},
                                                    {"float16", "f16"},
                                                    {"bfloat16", "bf16"},
                                                    {"boolean", "bool"},
                                                    {"i1", "bool"}}};

template <std::size_t N>
const ForeignWord* find(const std::array<ForeignWord, N>& words, std::string_view word) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const ForeignWord& w) { return w.word == word; });
  return found == words.end() ? nullptr : &*found;
}

bool is_combining_mark(std::uint32_t code_point) { return code_point >= 0x300U && code_point <= 0x36FU; }

constexpr std::array<ForeignWord, 13> kFunctions = {
    {{"arange", "write `iota(i64[n])`: 0, 1, ..., n - 1"},
     {"range", "write `iota(i64[n])`: 0, 1, ..., n - 1"},
     {"array", "write the elements: `[[1, 2], [3, 4]]`"},
     {"empty", "write `zeros(f32[n])`"},
     {"eye", "write `one_hot(iota(i64[n]), n)`"},
     {"dot", "write `a @ b`"},
     {"matmul", "write `a @ b`"},
     {"maximum", "write `max(a, b)`"},
     {"minimum", "write `min(a, b)`"},
     {"power", "write `a ** b`"},
     {"concatenate", "write `concat([a, b], 0)`"},
     {"len", "write `size(a, 0)`"},
     {"shape", "write `size(a, dim)`, an extent at a time; `:type a` in a session says it all"}}};

}  // namespace

const ForeignWord* find_foreign(std::string_view word) { return find(kForeign, word); }

std::optional<std::string_view> help_for_character(std::string_view character) {
  if (const auto* known = find(kCharacters, character)) return known->help;
  if (base::valid_sequence_length(character) != character.size() || !is_combining_mark(decode(character))) {
    return std::nullopt;
  }
  return "this mark is a character of its own; type the letter and its mark as one";
}

std::optional<std::string_view> help_for_function(std::string_view name) {
  const ForeignWord* known = find(kFunctions, name);
  return known == nullptr ? std::nullopt : std::optional(known->help);
}

std::optional<std::string_view> element_meant_by(std::string_view word) {
  if (const auto* known = find(kElements, word)) return known->help;
  std::vector<std::string> candidates;
  for (const auto element :
       {ElementKeyword::bool_, ElementKeyword::i32, ElementKeyword::i64, ElementKeyword::f32, ElementKeyword::f64}) {
    candidates.emplace_back(spelling(element));
  }
  const auto near = base::nearest(word, candidates);
  const auto meant = near ? element_keyword(*near) : std::nullopt;
  if (!meant) return std::nullopt;
  return spelling(*meant);
}

}  // namespace tessera::frontend
