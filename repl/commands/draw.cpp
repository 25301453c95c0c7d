#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/draw/page.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

int perform(const DrawOptions& options, Console& console) {
  auto machine = read_machine(options.machine_file, console);
  if (!machine) return kExitCommand;
  const auto script = read_text(options.file);
  if (!script.value) {
    console.complain(script.why);
    return kExitCommand;
  }
  OutputFile output(options.output, console);
  if (output.failed()) return kExitWorld;
  const std::string modelled = modelled_line(*machine, kMachineHelp);
  Config config = base_config(console);
  config.machine = std::move(*machine);
  Session session(std::move(config));
  const auto program = session.check(script.value->text, script.value->name);
  if (!program) return failed(program.diagnostics(), console);
  return output.write(drawn_page(script.value->name, script.value->text, modelled, *program));
}

}  // namespace tessera::repl
