#include <unistd.h>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/render/manual.hpp"
#include "repl/terminal.hpp"

namespace tessera::repl {

int perform(const ExplainOptions& options, Console& console) {
  const auto section = explain(options.slug);
  if (!section) return failed(section.diagnostics(), console);
  console.out(manual_text(*section, terminal_columns(), takes_colour(STDOUT_FILENO) ? Colour::yes : Colour::no));
  return kExitDone;
}

}  // namespace tessera::repl
