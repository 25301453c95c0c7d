// Private to synth: the members of objects in a plan's text, read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "synth/planner/text/json.hpp"

namespace tessera::synth::json {

// A plan's text that cannot be read.
base::Diagnostic bad(std::string_view why);
// An object that has exactly these keys, and the optional ones or not.
base::Result<const Object*> object_with(const Value& value, std::span<const std::string_view> keys,
                                        std::initializer_list<std::string_view> optional = {});
// Members of such an object.
base::Result<std::string> text_of(const Object& object, std::string_view key);
base::Status read_integer(const Object& object, std::string_view key, std::int64_t& out);
base::Status read_seconds(const Object& object, std::string_view key, double& out);

}  // namespace tessera::synth::json
