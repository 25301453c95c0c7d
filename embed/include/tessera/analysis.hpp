// What an editor asks about a text, also one that is half typed: words, names, types, and what moves. Nothing runs.
//
//     tessera::Analyst analyst;
//     auto analysis = analyst.analyse("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as f32[8]\n", "demo.tess");
//     for (const auto& move : analysis->moves) std::cout << move.redistribution.plan.received_bytes_total();  // 96
//
// Ranges are bytes [begin, end) of the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

struct TextRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend auto operator<=>(const TextRange&, const TextRange&) = default;
};

// A word or sign of the text; white space is none. `word` is a name, or a word that is a keyword in some places only.
struct TextToken {
  enum class Kind : std::uint8_t { keyword, element, word, number, string, comment, sign, bad };
  Kind kind = Kind::sign;
  TextRange range;
};

// A place where a name stands: where it is bound, and every place that means it.
struct TextName {
  enum class Role : std::uint8_t { variable, parameter, extent, function, operation, mesh, axis, cut };
  Role role = Role::variable;
  TextRange range;
  std::string name;
  // The number, among the names, of the one that binds it: its own where it binds itself. Nothing of operations, and
  // where nothing of that name can be meant.
  std::optional<std::size_t> definition;
  // Only of a name that binds.
  TextRange statement = {};                 // the statement or the parameter that binds it
  TextRange visible = {};                   // where it can be meant
  bool is_constant = false;                 // a scalar that is known when the program is checked
  std::vector<std::string> types = {};      // of a variable; in a function one for each way in which it is called
  std::optional<Placement> placement = {};  // where there is one type
  std::string mesh = {};                    // of a mesh: `x:4,y:2 on 0:8`
  std::int64_t size = 0;                    // of an axis; of a mesh its devices
};

// The value of an expression. In a function there may be several types, one for each way in which it is called.
struct TypedRange {
  TextRange range;
  std::vector<std::string> types;
  Placement placement;  // of the first type
};

struct TextMove {
  TextRange range;  // the expression that asked
  Redistribution redistribution;
};
struct TextPartsMoved {
  TextRange range;
  PartsMoved parts;
};

// An operand that is redistributed although the text does not say so; `as` would say it with this type.
struct UnwrittenMove {
  TextRange range;
  std::string type;
};
// A `let` of one name that writes no type.
struct UntypedLet {
  TextRange name;
  std::string type;
};

struct TextStatement {
  TextRange range;
  std::optional<std::size_t> name = {};  // the first that it binds, as a number among the names
  bool is_function = false;
  bool is_mesh = false;
  std::uint32_t number = 0;  // Redistribution::statement
};

struct Analysis {
  Diagnostics diagnostics;  // as Session::check gives them: why it fails, or notes and warnings
  bool failed = false;
  std::vector<TextToken> tokens;          // in the order of the text
  std::vector<TextName> names;            // a name's number stands for it elsewhere
  std::vector<TextStatement> statements;  // those of the top level that can be read
  std::vector<TextRange> parts;           // every statement, block, expression and type; each after what holds it
  std::vector<TypedRange> types;          // ascending in where they begin
  std::vector<TextMove> moves;            // those of functions once for each way in which they are called
  std::vector<TextPartsMoved> parts_moved;
  std::vector<UnwrittenMove> unwritten_moves;
  std::vector<UntypedLet> untyped_lets;
};

// Analyses texts one after the other and remembers their plans, so that a text that has changed a little is done soon.
// An object is used by one thread at a time.
class TESSERA_API Analyst {
 public:
  // Of the configuration count the machine, the files, the placement, the defines and the policy.
  explicit Analyst(Config config = {});
  Analyst(Analyst&&) noexcept;
  Analyst& operator=(Analyst&&) noexcept;
  ~Analyst();

  // Fails only if it is stopped, with `interrupted`, or by a bug of ours: mistakes of the text are in the analysis.
  Result<Analysis> analyse(std::string_view text, std::string_view name = "input",
                           const std::optional<StopToken>& stop = {});

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// What to write instead of another system's word, as the help of an error says it: "write `iota(i64[n])`: 0, 1, ..., n
// - 1" for `arange`. Nothing of a word that no message knows.
TESSERA_API std::optional<std::string> written_here(std::string_view word);

// The texts of the library that is written in the language: `std/nn`, as `use "std/nn"` names it, and so on.
TESSERA_API std::vector<std::string> library_names();
// A function of one of them.
struct LibraryFunction {
  std::string name;
  std::string text;       // `std/nn`
  std::string signature;  // `squared_error(a: f32[N, D]?, b: f32[N, D]?)`
  std::string does;       // what stands over it
};
TESSERA_API const std::vector<LibraryFunction>& library_functions();
// None where the library has no such text.
TESSERA_API std::optional<std::string> library_text(std::string_view name);

}  // namespace tessera
