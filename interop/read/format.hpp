// The systems whose texts are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "interop/scanner.hpp"

namespace tessera::interop {

// FOREACH(identifier, "name", "what messages call such a text")
#define TESSERA_INTEROP_FORMATS(FOREACH)              \
  FOREACH(hlo, "hlo", "an HLO sharding")              \
  FOREACH(sdy, "sdy", "a Shardy sharding")            \
  FOREACH(jax, "jax", "a JAX sharding")               \
  FOREACH(dtensor, "dtensor", "a list of placements") \
  FOREACH(alpa, "alpa", "an Alpa sharding spec")

enum class Format : std::uint8_t {
#define MEMBER(identifier, name, what) identifier,
  TESSERA_INTEROP_FORMATS(MEMBER)
#undef MEMBER
};
inline constexpr std::size_t kFormats = std::size_t{1} + static_cast<std::size_t>(Format::alpa);
std::string_view name(Format format);
std::string_view what_of(Format format);
std::optional<Format> format_by_name(std::string_view name);

// A text with what it does not say itself.
struct Reading {
  Format format = Format::hlo;
  Text text;
  std::optional<Text> mesh = {};
  std::optional<std::int64_t> leaf = {};     // which sharding of a tuple
  std::optional<std::int64_t> devices = {};  // how many there are
};

}  // namespace tessera::interop
