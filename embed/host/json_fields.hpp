// JSON objects of plain values and, in lists of objects, of lists of numbers, with the place of every key: what machine
// files and requests for plans are written in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/source.hpp"
#include "tessera/tessera.hpp"

namespace tessera::embed {

struct JsonField {
  std::string key;
  std::variant<std::monostate, std::string, std::int64_t, double, std::vector<double>>
      value;        // monostate: anything else
  base::Span span;  // of the key
};
struct JsonObject {
  std::vector<JsonField> fields;
  base::Span span;        // of its opening brace
  std::string list = {};  // the key of the array that it stands in, if that has one
};

// `lists`: an array of objects, or an object whose keys name arrays of objects.
enum class JsonForm : std::uint8_t { object, lists };

// Reads a text of `sources` that must have the form given; mistakes are reported under `kind`, whose message takes one
// argument. A key may stand only once in an object. `lists`, if somebody wants them: the keys of an object of lists.
base::Result<std::vector<JsonObject>> read_json_objects(const base::SourceMap& sources, base::SourceId source,
                                                        JsonForm form, const base::KindInfo& kind,
                                                        std::vector<JsonField>* lists = nullptr);

// The complete fields of a text's first object, up to the first mistake in the text.
std::vector<JsonField> readable_fields(std::string_view text);

// {"mesh","from","to","planner","error","message"}: the failure of a request that names no two types.
std::string unread_request_json(const PlanRequest& request, const Diagnostic& why);

// A text as JSON, in quotes.
std::string quoted_json(std::string_view text);

}  // namespace tessera::embed
