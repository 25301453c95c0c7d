#include "interop/write/emit.hpp"

namespace tessera::interop {

std::optional<Target> target_by_name(std::string_view word) {
#define MATCH(identifier, name, what) \
  if (word == (name)) return Target::identifier;
  TESSERA_EMIT_TARGETS(MATCH)
#undef MATCH
  return std::nullopt;
}

base::Result<std::string> emit(const synth::Plan& plan, const synth::Machine& machine, Target target,
                               const std::string& head) {
  return base::guarded([&]() -> base::Result<std::string> {
    switch (target) {
#define CASE(identifier, name, what) \
  case Target::identifier: return emit_##identifier(plan, machine, head);
      TESSERA_EMIT_TARGETS(CASE)
#undef CASE
    }
    return std::string();
  });
}

}  // namespace tessera::interop
