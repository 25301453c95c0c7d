// Colours of diagnostics and devices, as a terminal wants them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/tessera.hpp"

namespace tessera::repl {

enum class Colour : std::uint8_t { no, yes };

enum class Ink : std::uint8_t {
  plain,
  bold,
  error,
  warning,
  note,
  secondary,
  gutter,
  help,
  // Words of the language, as they are typed.
  keyword,
  axis,
  string,
  comment,
  // Twelve that are told apart, for devices.
  device_0,
  device_1,
  device_2,
  device_3,
  device_4,
  device_5,
  device_6,
  device_7,
  device_8,
  device_9,
  device_10,
  device_11,
};

// The text in a colour; as it is without colours or without text.
std::string painted(std::string_view text, Ink ink, Colour colour);
Ink ink_of(Severity severity);
// The colours of devices come round again.
Ink ink_of_device(std::size_t device);

}  // namespace tessera::repl
