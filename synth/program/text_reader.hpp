// The words that programs as text are made of: names, numbers, strings, types, literals, and the operations of device
// programs, which open and typed programs share (typeck).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/layout/cursor.hpp"
#include "synth/program/literal.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

// A literal: `f32[2] 0000803f00000040`.
std::string print(const Literal& literal);
// What an operation works by, without its name: `[0, 1] [1, 2] -> [0, 2]` of a contraction. No collective.
std::string print_details(const Operation& operation);

// A text from its begin on. Blanks and line ends before a word mean nothing.
class TextReader {
 public:
  // `what` the text should be, for messages: `a device program`.
  TextReader(std::string_view text, std::string_view what) : text_(text), cursor_(text), what_(what) {}

  bool at_end();
  bool accept(std::string_view wanted);
  // Not where it only begins a longer name.
  bool accept_name(std::string_view wanted);
  std::string_view name();     // empty where none stands
  std::string_view numeral();  // `-12`, `1.5e-3`, `inf`
  std::string_view digits();
  std::string_view rest_of_line();
  base::Diagnostic wrong(std::string_view why) const;
  base::Status expect(std::string_view wanted);
  base::Result<std::int64_t> number(std::int64_t max);
  base::Result<std::uint32_t> id(std::string_view prefix, std::size_t count);
  base::Result<std::string> quoted();
  base::Result<Literal> literal();
  // A type's text: a name, then perhaps [..], then perhaps {..}, without blanks between them.
  base::Result<std::string_view> type_text();
  base::Result<ArrayType> type_on(const MeshRef& mesh);

 protected:
  void skip();

  std::string_view text_;
  Cursor cursor_;

 private:
  std::string_view what_;

  base::Result<char> escape();
  base::Result<std::vector<std::byte>> hex(std::int64_t count);
};

// How many literals and strings the operations of a text may name.
struct TableSizes {
  std::size_t literals = 0;
  std::size_t strings = 0;
};

// Reads what print_details wrote of the operation of this name; a collective is none.
base::Result<Operation> read_details(std::string_view name, TextReader& text, const TableSizes& tables);

}  // namespace tessera::synth
