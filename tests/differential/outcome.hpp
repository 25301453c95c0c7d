// The outcome of a program on some devices, and the differences between two such runs or between a run and another
// implementation.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/tessera.hpp>

#include "tests/generator/program.hpp"

namespace tessera::differential {

struct Value {
  Element element = Element::f32;
  generator::Shape shape;
  std::vector<std::byte> bytes;
};

struct Outcome {
  std::string failure;                         // `index-out-of-range: ...`; empty if all went well
  std::map<std::string, Value> values;         // by name
  std::map<std::string, std::string> printed;  // what was printed of each name
};

// Runs a program's text in a session of its own.
Outcome run(std::string_view text);
std::string first_failure(const Diagnostics& diagnostics);

// How closely two values are compared.
enum class Yardstick : bool {
  devices,         // the same program on other devices: bits where Facts::same_bits
  implementation,  // another implementation: bits where Facts::portable
};

// The difference of two values, for people; nothing if they agree as their facts promise.
std::optional<std::string> difference(const generator::Facts& facts, const Value& a, const Value& b,
                                      Yardstick yardstick);
// Is a value as its facts say: its type, no NaN, nothing beyond the magnitude?
std::optional<std::string> contradiction(const generator::Facts& facts, const Value& value);

// The first difference of two runs of one program, or a failure of one of them.
std::optional<std::string> difference(const generator::Program& program, const Outcome& a, const Outcome& b);

}  // namespace tessera::differential
