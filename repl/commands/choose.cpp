#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/render/choices.hpp"
#include "tessera/choice.hpp"

namespace tessera::repl {

int perform(const ChooseOptions& options, Console& console) {
  auto read = script_to_check(options.file, options.machine_file, options.place, console);
  if (!read) return kExitCommand;
  Config& config = read->config;
  config.defines = options.defines;
  const bool tells = !options.closed;
  const auto chosen = choose_layouts(read->script.text, read->script.name, config,
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
