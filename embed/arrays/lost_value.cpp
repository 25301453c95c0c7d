#include "embed/arrays/lost_value.hpp"

#include <fmt/format.h>

#include <utility>

#include "runtime/kinds.hpp"

namespace tessera::embed {

bool is_loss(const base::Diagnostics& why) { return why.front().kind == runtime::Kind::gpu_lost; }

base::Diagnostics reading_failed(base::Diagnostics why, const std::string& name, base::Span bound) {
  if (!is_loss(why)) return why;
  base::Diagnostic lost = base::make(runtime::Kind::value_lost, name.empty() ? "a value" : fmt::format("`{}`", name));
  if (bound.known()) lost = std::move(lost).at(bound, "made here");
  return {std::move(lost).suggest("make it again, on host memory after `:set gpu off`, or in a new process")};
}

}  // namespace tessera::embed
