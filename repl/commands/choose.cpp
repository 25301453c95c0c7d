#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/render/choices.hpp"
#include "tessera/choice.hpp"

namespace tessera::repl {

int perform(const ChooseOptions& options, Console& console) {
  const auto script = read_text(options.file);
  if (!script.value) {
    console.complain(script.why);
    return kExitCommand;
  }
  auto machine = read_machine(options.machine_file, console);
  if (!machine) return kExitCommand;
  Config config = base_config(console);
  config.machine = std::move(*machine);
  config.place = options.place;
  config.defines = options.defines;
  const bool tells = !options.closed;
  const auto chosen = choose_layouts(script.value->text, script.value->name, config,
                                     {options.function, options.effort, options.untied, tells, options.closed});
  if (!chosen) return failed(chosen.diagnostics(), console);
  for (const Diagnostic& note : chosen->notes) console.report(note);
  if (options.closed) {
    console.out(chosen->closed);
    return kExitDone;
  }
  bool is_first = true;
  for (const Choice& one : chosen->choices) {
    if (!options.json && !std::exchange(is_first, false)) console.out("\n");
    console.out(options.json ? choice_json(one) + "\n" : choice_text(one, config.machine));
  }
  return kExitDone;
}

}  // namespace tessera::repl
