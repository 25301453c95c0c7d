// The layouts that were chosen for an `auto fn` (docs/automatic.md), and how far from the best possible they are.
//
//     const char* text = "mesh m = [d: 8]\nauto fn f(x: f32[64@d, 8], w: f32[8, 8] auto) = x @ w\n"
//                        "let y = f(ones(f32[64@d, 8]), ones(f32[8, 8]))\n";
//     auto chosen = tessera::choose_layouts(text, "step.tess", {});
//     for (const tessera::Choice& one : chosen->choices) std::cout << one.function << ": " << one.seconds << " s\n";
//
// Of a text that a session has run, or of a function that it compiled, Session::choices() says the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// A function for one list of its arguments' types. Seconds are those of the machine model.
struct Choice {
  enum class Role : std::uint8_t { parameter, let, result };
  struct Value {
    Role role = Role::let;
    std::string name;  // of a result empty
    std::string type;
    Place place;
    bool is_chosen = false;  // of a parameter `T auto`
    std::string lies_as;     // of a result `T as w`: w
  };
  // A change of layout, made so many times in one call of the function; arrivals are of arguments, before it.
  struct Conversion {
    std::string value;  // its name, or the expression
    std::string from;
    std::string to;
    double seconds = 0;  // of one
    double executions = 1;
    std::int64_t received_bytes_total = 0;
    std::string because;  // the expression that asked for it
    Place place;          // of that
  };
  // The same function in other layouts.
  struct Rival {
    std::string name;
    std::optional<double> seconds;  // nothing: there is no such program
    std::vector<std::int64_t> peak_bytes;
    bool fits = true;
  };
  // Weights of a mesh axis that were chosen, too: `work(auto)`.
  struct CutWeights {
    std::string axis;
    std::string name;  // of the cut
    std::vector<std::int64_t> weights;
    std::string proof;  // `exact`: no others are better, but for rounding; `best of 3`: of so many that were tried
  };
  std::string function;
  std::string mesh;               // `d:8`
  std::vector<std::string> over;  // the axes that were chosen over
  Place place;                    // of the first call with these arguments
  std::optional<CutWeights> weights;
  double seconds = 0;        // local steps and conversions
  double bound_seconds = 0;  // no program of these operations takes less
  double gap = 0;            // (seconds - bound_seconds) / seconds
  // `ascent`, `elimination`, `walk`, `branching`, or `limit`: none of them closed the gap. `memory`: no layouts were
  // found that fit, these need the least, and the gap is to the bound of programs that need not fit.
  std::string proof;
  std::int64_t operations = 0;
  std::int64_t choices = 0;  // layouts of all operations
  std::int64_t plans = 0;    // conversions that were priced
  std::vector<Value> values;
  std::vector<Conversion> conversions;  // those that take time
  std::vector<Conversion> arrivals;
  double local_seconds = 0;
  std::vector<std::int64_t> peak_bytes;    // of every device: the most bytes alive at once, arguments included
  std::vector<std::int64_t> memory_bytes;  // of every device what it holds; 0: not known
  bool fits = true;                        // no device needs more than it holds
  std::vector<Rival> rivals;               // where they were asked for
  bool verified = false;                   // found right without planner or search
};

struct ChooseRequest {
  std::string function = {};  // of these calls alone; empty: of all
  std::int64_t effort = 60;   // sweeps of the search for a bound
  bool untied = false;        // calls of one function are laid out one by one
  bool rivals = true;
  bool closed = false;  // the closed text is wanted
  // Calls inside of a gradient are laid out alike, too, in functions of more operations than this over one axis, a
  // quarter of it over two, a ninth over three.
  int tied_above = 1000;
};

struct ChosenProgram {
  std::vector<Choice> choices;  // in the order of the calls
  std::string closed;           // the text with every layout written out
  Diagnostics notes;
};

// Checks a program; nothing of it runs. Fails with `nothing-chosen` where no such function is called.
TESSERA_API Result<ChosenProgram> choose_layouts(std::string_view program, std::string_view name, const Config& config,
                                                 const ChooseRequest& request = {});

// A layout that a value could have, were it annotated with this type, and what the best program with it takes.
struct LayoutPrice {
  std::string type;
  double seconds = 0;
  double bound_seconds = 0;  // no program with this layout takes less
  bool is_chosen = false;
};

// Who reads a value, in which layout: as the value lies, a part of that, or a copy, which takes time.
struct ValueReader {
  std::string type;
  double seconds = 0;  // of the copy's way there
  std::string reader;  // the expression
  Place place;
  bool is_backward = false;  // the gradient of that expression reads it
};

// A value of a function whose layouts were chosen.
struct ExplainedValue {
  std::string name;
  std::string type;  // as it is made
  Place place;
  std::vector<ValueReader> readers;
  std::vector<LayoutPrice> layouts;  // the cheapest first
};

// What was chosen for a program that was checked; Session::choices() is that of the last one that ran.
TESSERA_API Result<std::vector<Choice>> choices_of(const Program& program);
// One line of JSON, as `tessera choose --json` prints it: docs/automatic.md says what the keys are.
TESSERA_API std::string choice_json(const Choice& choice);
// Of a name that a function for which layouts were chosen binds, a parameter's or a `let`'s, at its first call: who
// reads it how, and, by a search for each layout that it could have, what others take.
TESSERA_API Result<ExplainedValue> explain_value(const Program& program, std::string_view function,
                                                 std::string_view name, const std::optional<StopToken>& stop = {});

}  // namespace tessera
