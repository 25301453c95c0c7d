#include "base/registry.hpp"

#include <algorithm>

namespace tessera::base {

const std::vector<KindInfo>& all_kinds() {
  static const std::vector<KindInfo> kinds = {
#define KIND(identifier, slug, severity, blame, message) KindInfo{slug, Severity::severity, Blame::blame, message},
#include "base/diagnostics/all.def"
#undef KIND
  };
  return kinds;
}

std::optional<KindInfo> kind_by_slug(std::string_view slug) {
  const auto& kinds = all_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const KindInfo& kind) { return kind.slug == slug; });
  if (found == kinds.end()) return std::nullopt;
  return *found;
}

}  // namespace tessera::base
