#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/page/page.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

int perform(const DrawOptions& options, Console& console) {
  auto read = script_to_check(options.file, options.machine_file, {}, console);
  if (!read) return kExitCommand;
  OutputFile output(options.output, console);
  if (output.failed()) return kExitWorld;
  const std::string modelled = modelled_line(read->config.machine, kMachineHelp);
  Session session(std::move(read->config));
  const auto program = session.check(read->script.text, read->script.name);
  if (!program) return failed(program.diagnostics(), console);
  return output.write(drawn_page(read->script.name, read->script.text, modelled, *program));
}

}  // namespace tessera::repl
