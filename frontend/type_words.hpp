// Pieces of types and lists of names as they are written. Private to print.cpp.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "frontend/ast.hpp"

namespace tessera::frontend {

inline std::string axis_text(const AxisUse& use) {
  return use.cut ? fmt::format("{}.{}", use.axis.text, use.cut->text) : use.axis.text;
}

// `@x`, `@(x,y)`, or nothing.
inline std::string axes_text(const std::vector<AxisUse>& axes) {
  std::string text;
  for (const AxisUse& use : axes) text += (text.empty() ? "" : ",") + axis_text(use);
  return axes.size() > 1 ? "@(" + text + ")" : axes.empty() ? "" : "@" + text;
}

inline std::string join_names(const std::vector<Name>& names) {
  std::string text;
  for (const Name& name : names) text += (text.empty() ? "" : ", ") + name.text;
  return text;
}

// `grad(f, wrt=[w, b])`
inline std::string derivative_text(const Gradient& gradient) {
  const std::string names = gradient.wrt ? join_names(*gradient.wrt) : "";
  const std::string wrt = names.empty() ? "" : gradient.wrt->size() == 1 ? ", wrt=" + names : ", wrt=[" + names + "]";
  return "grad(" + gradient.function.text + wrt + ")";
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
