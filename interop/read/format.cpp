#include "interop/read/format.hpp"

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

}  // namespace tessera::interop
