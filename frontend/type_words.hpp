// Pieces of types as they are written. Private to print.cpp.
#pragma once

#include <fmt/format.h>

#include <string>

#include "frontend/ast.hpp"

namespace tessera::frontend {

inline std::string axis_text(const AxisUse& use) {
  return use.cut ? fmt::format("{}.{}", use.axis.text, use.cut->text) : use.axis.text;
}

inline std::string pending_text(const Pending& p) {
  std::string text = "{";
  switch (p.kind) {
    case PendingKind::sum: text += "+"; break;
    case PendingKind::max: text += "max "; break;
    case PendingKind::min: text += "min "; break;
    case PendingKind::product: text += "*"; break;
  }
  for (std::size_t i = 0; i < p.axes.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", p.axes[i].text);
  return text + "}";
}

}  // namespace tessera::frontend
