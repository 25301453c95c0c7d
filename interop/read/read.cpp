#include "interop/read/read.hpp"

#include "interop/kinds.hpp"
#include "interop/read/parts.hpp"

namespace tessera::interop {

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
