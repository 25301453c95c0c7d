#include "base/diagnostic.hpp"

#include <algorithm>

namespace tessera::base {

Diagnostic Diagnostic::at(Span span, std::string text) && {
  labels.insert(labels.begin(), Label{span, std::move(text), true});
  return std::move(*this);
}

Diagnostic Diagnostic::also(Span span, std::string text) && {
  labels.push_back(Label{span, std::move(text), false});
  return std::move(*this);
}

Diagnostic Diagnostic::suggest(std::string text) && {
  help = std::move(text);
  return std::move(*this);
}

Diagnostic Diagnostic::from_step(std::uint32_t step_origin) && {
  origin = step_origin;
  return std::move(*this);
}

bool has_error(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.kind.severity == Severity::error; });
}

}  // namespace tessera::base
