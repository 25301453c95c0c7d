#include <fmt/format.h>

#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/render/json.hpp"

namespace tessera::repl {

namespace {

void tell(const Diagnostic& diagnostic, bool json, Console& console) {
  if (json) {
    console.out(to_json(diagnostic));
  } else {
    console.report(diagnostic);
  }
}

void tell(const Binding& binding, bool json, Console& console) {
  console.out(json ? to_json(binding) : fmt::format("{} : {}\n", binding.name, binding.type));
}

// The program as a stage left it; notes and warnings are told as they come.
int tell_stage(const CheckOptions& options, Session session, const Text& script, Console& console) {
  const auto text = session.text_after(options.after, script.text, script.name);
  if (!text) return failed(text.diagnostics(), console);
  console.out(*text);
  return kExitDone;
}

}  // namespace

int perform(const CheckOptions& options, Console& console) {
  auto read = script_to_check(options.file, options.machine_file, options.place, console);
  if (!read) return kExitCommand;
  if (options.after.empty()) read->config.log = nullptr;
  Session session(std::move(read->config));
  if (!options.after.empty()) return tell_stage(options, std::move(session), read->script, console);
  const auto program = session.check(read->script.text, read->script.name);
  for (const Diagnostic& diagnostic : program ? program->notes() : program.diagnostics()) {
    tell(diagnostic, options.json, console);
  }
  if (!program) return exit_status(program.diagnostics());
  for (const Binding& binding : program->bindings()) tell(binding, options.json, console);
  if (!options.json) return kExitDone;
  for (const PartsMoved& part : program->parts_moved()) console.out(to_json(part));
  const auto pipelines = program->pipelines();
  if (!pipelines) return failed(pipelines.diagnostics(), console);
  for (const Pipeline& pipeline : *pipelines) console.out(to_json(pipeline));
  return kExitDone;
}

}  // namespace tessera::repl
