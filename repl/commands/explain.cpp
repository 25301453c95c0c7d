#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"

namespace tessera::repl {

int perform(const ExplainOptions& options, Console& console) {
  const auto section = explain(options.slug);
  if (!section) return failed(section.diagnostics(), console);
  console.out(*section);
  return kExitDone;
}

}  // namespace tessera::repl
