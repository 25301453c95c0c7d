#include "repl/session/plan_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tessera::repl {

namespace {

// `x:2,y:4 on 8:16 place ..` as a program declares it: only the axes stand in brackets.
std::string declaration(const std::string& mesh) {
  if (mesh.empty()) return "";
  const std::size_t axes = mesh.starts_with("on ") ? 0 : std::min(mesh.find(" on "), mesh.find(" place "));
  return fmt::format("mesh m = [{}]{}\n", mesh.substr(0, axes), axes < mesh.size() ? " " + mesh.substr(axes) : "");
}

}  // namespace

Result<Array> numbered_source(const Plan& plan, Session session) {
  const std::string mesh = declaration(plan.mesh_text());
  const char* constructor = plan.from().starts_with("bool") ? "ones" : "iota";
  const auto done = session.run(fmt::format("{}let it = {}({})", mesh, constructor, plan.from()));
  if (!done) return done.diagnostics();
  return session.get("it");
}

}  // namespace tessera::repl
