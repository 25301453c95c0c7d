// Diagnostics and bindings as JSON objects, each in one line.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// {"slug","severity","message","file","line","column","labels","help"}; file, line and column are null where no text is
// to blame. labels: [{"line","column","length","text","primary"}, ...].
std::string to_json(const Diagnostic& diagnostic);
// {"name","type","line","column"}
std::string to_json(const Binding& binding);
// What an operation moves without a plan.
std::string to_json(const PartsMoved& part);
// {"pipeline","microbatches","line","column","stages","schedules","timeline"}: docs/pipelines.md, "As JSON".
std::string to_json(const Pipeline& pipeline);
// {"line","error","message"}: a line of plans that is none, or a wrong one.
std::string wrong_plan_json(std::int64_t line, const std::string& message);

}  // namespace tessera::repl
