// The stages on a program's way, each of which leaves a program that prints as text: one table, from which enum, names
// and the words of `tessera check --after` come. The last of them, lowering, is no part of a check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::typeck {

// FOREACH(identifier, "name"), in order.
#define TESSERA_STAGES(FOREACH)   \
  FOREACH(elaborate, "elaborate") \
  FOREACH(assign, "assign")       \
  FOREACH(insert, "insert")       \
  FOREACH(lower, "lower")

enum class Stage : std::uint8_t {
#define MEMBER(identifier, name) identifier,
  TESSERA_STAGES(MEMBER)
#undef MEMBER
};

inline std::vector<std::string> stage_names() {
  return {
#define MEMBER(identifier, name) name,
      TESSERA_STAGES(MEMBER)
#undef MEMBER
  };
}

inline std::optional<Stage> stage_by_name(std::string_view word) {
#define MEMBER(identifier, name) \
  if (word == (name)) return Stage::identifier;
  TESSERA_STAGES(MEMBER)
#undef MEMBER
  return std::nullopt;
}

}  // namespace tessera::typeck
