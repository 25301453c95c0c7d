#include "repl/interactive/plan_data.hpp"

#include <fmt/format.h>

namespace tessera::repl {

Result<Array> numbered_source(const Plan& plan, Session session) {
  const std::string mesh = plan.mesh_text().empty() ? "" : fmt::format("mesh m = [{}]\n", plan.mesh_text());
  const char* constructor = plan.from().starts_with("bool") ? "ones" : "iota";
  const auto done = session.run(fmt::format("{}let it = {}({})", mesh, constructor, plan.from()));
  if (!done) return done.diagnostics();
  return session.get("it");
}

}  // namespace tessera::repl
