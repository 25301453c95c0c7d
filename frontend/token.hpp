// Words of a text as plain data: what the lexer hands out, what the newline rule and the limits work on, and what the
// parser is given.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::frontend {

// FOREACH(identifier, LEXER_NAME, "spelling", role): every kind of token of grammar/Tessera.g4, in its order. The
// spelling is what messages call it; kinds without a fixed text have a description.
#define TESSERA_TOKENS(FOREACH)                               \
  FOREACH(mesh, MESH, "mesh", statement)                      \
  FOREACH(let, LET, "let", statement)                         \
  FOREACH(fn, FN, "fn", statement)                            \
  FOREACH(print, PRINT, "print", statement)                   \
  FOREACH(show, SHOW, "show", statement)                      \
  FOREACH(plan, PLAN, "plan", statement)                      \
  FOREACH(save, SAVE, "save", statement)                      \
  FOREACH(save_shards, SAVE_SHARDS, "save_shards", statement) \
  FOREACH(assert_, ASSERT, "assert", statement)               \
  FOREACH(as, AS, "as", keyword)                              \
  FOREACH(on, ON, "on", keyword)                              \
  FOREACH(local, LOCAL, "local", keyword)                     \
  FOREACH(with, WITH, "with", keyword)                        \
  FOREACH(within, WITHIN, "within", keyword)                  \
  FOREACH(loop, LOOP, "loop", keyword)                        \
  FOREACH(for_, FOR, "for", keyword)                          \
  FOREACH(while_, WHILE, "while", keyword)                    \
  FOREACH(if_, IF, "if", keyword)                             \
  FOREACH(else_, ELSE, "else", keyword)                       \
  FOREACH(true_, TRUE, "true", keyword)                       \
  FOREACH(false_, FALSE, "false", keyword)                    \
  FOREACH(bool_, BOOL, "bool", element)                       \
  FOREACH(i32, I32, "i32", element)                           \
  FOREACH(i64, I64, "i64", element)                           \
  FOREACH(f32, F32, "f32", element)                           \
  FOREACH(f64, F64, "f64", element)                           \
  FOREACH(bf16, BF16, "bf16", element)                        \
  FOREACH(f16, F16, "f16", element)                           \
  FOREACH(i8, I8, "i8", element)                              \
  FOREACH(u8, U8, "u8", element)                              \
  FOREACH(i16, I16, "i16", element)                           \
  FOREACH(u16, U16, "u16", element)                           \
  FOREACH(u32, U32, "u32", element)                           \
  FOREACH(c64, C64, "c64", element)                           \
  FOREACH(c128, C128, "c128", element)                        \
  FOREACH(max, MAX, "max", word)                              \
  FOREACH(min, MIN, "min", word)                              \
  FOREACH(grad, GRAD, "grad", word)                           \
  FOREACH(again, AGAIN, "again", word)                        \
  FOREACH(pipeline, PIPELINE, "pipeline", word)               \
  FOREACH(scan, SCAN, "scan", word)                           \
  FOREACH(by, BY, "by", word)                                 \
  FOREACH(const_, CONST, "const", word)                       \
  FOREACH(auto_, AUTO, "auto", word)                          \
  FOREACH(over, OVER, "over", word)                           \
  FOREACH(use, USE, "use", word)                              \
  FOREACH(left_paren, LEFT_PAREN, "(", open)                  \
  FOREACH(right_paren, RIGHT_PAREN, ")", close)               \
  FOREACH(left_square, LEFT_SQUARE, "[", open)                \
  FOREACH(right_square, RIGHT_SQUARE, "]", close)             \
  FOREACH(left_brace, LEFT_BRACE, "{", open)                  \
  FOREACH(right_brace, RIGHT_BRACE, "}", close)               \
  FOREACH(comma, COMMA, ",", mark)                            \
  FOREACH(colon, COLON, ":", mark)                            \
  FOREACH(question, QUESTION, "?", mark)                      \
  FOREACH(spread, SPREAD, "..", mark)                         \
  FOREACH(dot, DOT, ".", mark)                                \
  FOREACH(arrow, ARROW, "->", mark)                           \
  FOREACH(shift_left, SHIFT_LEFT, "<<", binary)               \
  FOREACH(shift_right, SHIFT_RIGHT, ">>", binary)             \
  FOREACH(equal, EQUAL, "==", comparison)                     \
  FOREACH(not_equal, NOT_EQUAL, "!=", comparison)             \
  FOREACH(less_equal, LESS_EQUAL, "<=", comparison)           \
  FOREACH(greater_equal, GREATER_EQUAL, ">=", comparison)     \
  FOREACH(less, LESS, "<", comparison)                        \
  FOREACH(greater, GREATER, ">", comparison)                  \
  FOREACH(assign, ASSIGN, "=", mark)                          \
  FOREACH(logical_or, LOGICAL_OR, "||", binary)               \
  FOREACH(logical_and, LOGICAL_AND, "&&", binary)             \
  FOREACH(bit_or, BIT_OR, "|", binary)                        \
  FOREACH(bit_and, BIT_AND, "&", binary)                      \
  FOREACH(bit_xor, BIT_XOR, "^", binary)                      \
  FOREACH(bit_not, BIT_NOT, "~", prefix)                      \
  FOREACH(logical_not, NOT, "!", prefix)                      \
  FOREACH(power, POWER, "**", binary)                         \
  FOREACH(star, STAR, "*", binary)                            \
  FOREACH(slash, SLASH, "/", binary)                          \
  FOREACH(percent, PERCENT, "%", binary)                      \
  FOREACH(at, AT, "@", binary)                                \
  FOREACH(plus, PLUS, "+", binary)                            \
  FOREACH(minus, MINUS, "-", binary)                          \
  FOREACH(underscore, UNDERSCORE, "_", word)                  \
  FOREACH(name, NAME, "a name", word)                         \
  FOREACH(integer, INT, "an integer", literal)                \
  FOREACH(real, FLOAT, "a number", literal)                   \
  FOREACH(imaginary, IMAGINARY, "a number", literal)          \
  FOREACH(size, SIZE, "a size", literal)                      \
  FOREACH(string, STRING, "a string", literal)                \
  FOREACH(open_string, OPEN_STRING, "an open string", bad)    \
  FOREACH(comment, COMMENT, "a comment", space)               \
  FOREACH(newline, NEWLINE, "the end of the line", space)     \
  FOREACH(semicolon, SEMICOLON, ";", mark)                    \
  FOREACH(unknown, UNKNOWN, "an unknown character", bad)      \
  FOREACH(end, END, "the end of the statement", space)

enum class TokenKind : std::uint8_t {
#define MEMBER(identifier, lexer_name, spelling, role) identifier,
  TESSERA_TOKENS(MEMBER)
#undef MEMBER
};
#define COUNT(identifier, lexer_name, spelling, role) +1
inline constexpr std::size_t kTokenKinds = TESSERA_TOKENS(COUNT);
#undef COUNT
using TokenKinds = std::bitset<kTokenKinds>;

enum class TokenRole : std::uint8_t {
  statement,  // a keyword that begins a statement
  keyword,    // any other keyword
  element,    // an element type
  word,       // a name
  open,
  close,
  mark,
  comparison,  // binary operators that do not chain
  binary,      // the other binary operators, `-` among them
  prefix,
  literal,
  space,
  bad,  // no program holds it
};

std::string_view spelling(TokenKind kind);
TokenRole role(TokenKind kind);

inline bool is_keyword(TokenKind kind) {
  return role(kind) == TokenRole::statement || role(kind) == TokenRole::keyword || role(kind) == TokenRole::element;
}
inline bool is_binary(TokenKind kind) { return role(kind) == TokenRole::comparison || role(kind) == TokenRole::binary; }
// Is a newline after this token nothing but white space?
bool continues_line(TokenKind kind);

// The bracket that closes one of role `open`.
TokenKind closer_of(TokenKind open);

// Is the text one word that may be used as a name? Letters beyond ASCII are taken on trust.
bool is_name(std::string_view text);
// Is it spelled like a number with a fraction or an exponent?
bool is_real_literal(std::string_view text);
// The same, or digits alone.
bool is_number(std::string_view text);

// Byte offsets [begin, end) into the text.
struct Token {
  TokenKind kind;
  std::uint32_t begin;
  std::uint32_t end;
};
using Tokens = std::span<const Token>;

// The names of all operations, which hints tell apart from others; null: none is known.
using FunctionNames = std::vector<std::string> (*)();

}  // namespace tessera::frontend
