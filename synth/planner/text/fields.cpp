#include "synth/planner/text/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"

namespace tessera::synth::json {

base::Diagnostic bad(std::string_view why) { return base::make(Kind::bad_plan_text, why); }

base::Result<const Object*> object_with(const Value& value, std::span<const std::string_view> keys,
                                        std::initializer_list<std::string_view> optional) {
  const auto* object = std::get_if<Object>(&value.content);
  if (object == nullptr) return bad("an object is missing");
  for (const std::string_view key : keys) {
    if (member(*object, key) == nullptr) return bad(fmt::format("`{}` is missing", key));
  }
  const auto more = std::count_if(optional.begin(), optional.end(),
                                  [&](std::string_view key) { return member(*object, key) != nullptr; });
  if (object->size() != keys.size() + static_cast<std::size_t>(more))
    return bad("an object has members it should not have");
  return object;
}

base::Result<std::string> text_of(const Object& object, std::string_view key) {
  const auto* text = std::get_if<std::string>(&member(object, key)->content);
  if (text == nullptr) return bad(fmt::format("`{}` is not a string", key));
  return *text;
}

base::Status read_integer(const Object& object, std::string_view key, std::int64_t& out) {
  const auto value = as_integer(*member(object, key));
  if (!value || *value < 0) return bad(fmt::format("`{}` is not a whole number from 0", key));
  out = *value;
  return base::Done{};
}

base::Status read_seconds(const Object& object, std::string_view key, double& out) {
  const auto value = as_double(*member(object, key));
  if (!value) return bad(fmt::format("`{}` is not a number", key));
  out = *value;
  return base::Done{};
}

}  // namespace tessera::synth::json
