#include "interop/read/read.hpp"

#include "interop/kinds.hpp"
#include "interop/read/parts.hpp"

namespace tessera::interop {

std::string_view name(Format format) {
  switch (format) {
#define CASE(identifier, name, what) \
  case Format::identifier: return name;
    TESSERA_INTEROP_FORMATS(CASE)
#undef CASE
  }
  return "";
}

std::string_view what_of(Format format) {
  switch (format) {
#define CASE(identifier, name, what) \
  case Format::identifier: return what;
    TESSERA_INTEROP_FORMATS(CASE)
#undef CASE
  }
  return "";
}

std::optional<Format> format_by_name(std::string_view word) {
  for (std::size_t i = 0; i < kFormats; ++i) {
    if (name(static_cast<Format>(i)) == word) return static_cast<Format>(i);
  }
  return std::nullopt;
}

namespace {

base::Result<Described> read_form(const Reading& reading) {
  switch (reading.format) {
#define CASE(identifier, name, what) \
  case Format::identifier: return read_##identifier(reading);
    TESSERA_INTEROP_FORMATS(CASE)
#undef CASE
  }
  return Described{};
}

}  // namespace

base::Result<Described> read(const Reading& reading) {
  return base::guarded([&]() -> base::Result<Described> {
    TESSERA_TRY(result, read_form(reading));
    for (Digits& split : result.splits) split = merged(split);
    if (reading.devices && result.devices && *reading.devices != *result.devices)
      return base::make(Kind::interop_devices, "the text has another number of them than is given").at(result.span);
    if (!result.devices) result.devices = reading.devices;
    if (result.devices && (*result.devices < 1 || *result.devices > synth::kDevicesMax))
      return base::make(Kind::interop_devices, "their number is from 1 to 65,536").at(result.span);
    return result;
  });
}

}  // namespace tessera::interop
