// Private to synth: a small, strict reader of JSON, and quoting for the writer. Depth and size are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera::synth::json {

struct Value;
struct Member;
struct Null {};
using Array = std::vector<Value>;
using Object = std::vector<Member>;  // in the order of the text; no name twice

// A number keeps its text: whether it is an integer is for its reader to say.
struct Number {
  std::string text;
};

struct Value {
  std::variant<Null, bool, Number, std::string, Array, Object> content;
};

struct Member {
  std::string name;
  Value value;
};

// A value that was read, or the reason why there is none.
struct Parsed {
  std::optional<Value> value;
  std::string error;
};
Parsed parse(std::string_view text);

// A member of an object; null where there is none.
const Value* member(const Object& object, std::string_view name);
std::optional<std::int64_t> as_integer(const Value& value);
std::optional<double> as_double(const Value& value);

}  // namespace tessera::synth::json
