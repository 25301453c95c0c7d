#include "synth/layout/element.hpp"

namespace tessera::synth {

std::optional<ElementType> element_by_name(std::string_view name) {
#define ROW(identifier, text, cpp_type, bytes) \
  if (name == (text)) return ElementType::identifier;
  TESSERA_ELEMENT_TYPES(ROW)
#undef ROW
  return std::nullopt;
}

}  // namespace tessera::synth
