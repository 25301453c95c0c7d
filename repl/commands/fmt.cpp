#include <fmt/format.h>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"

namespace tessera::repl {

namespace {

int write(const std::string& file, const std::string& text, Console& console) {
  const auto why = replace_file(file, text);
  if (!why) return kExitDone;
  console.complain(*why);
  return kExitWorld;
}

}  // namespace

int perform(const FormatOptions& options, Console& console) {
  const auto script = read_text(options.file);
  if (!script.value) {
    console.complain(script.why);
    return kExitCommand;
  }
  const auto formatted = tessera::format(script.value->text, script.value->name);
  if (!formatted) return failed(formatted.diagnostics(), console);
  const bool same = *formatted == script.value->text;
  switch (options.action) {
    case FormatOptions::Action::print: console.out(*formatted); return kExitDone;
    case FormatOptions::Action::check:
      if (!same) console.err(fmt::format("{} is not in the canonical layout\n", script.value->name));
      return same ? kExitDone : kExitProgram;
    case FormatOptions::Action::write: return same ? kExitDone : write(options.file, *formatted, console);
  }
  return kExitDone;
}

}  // namespace tessera::repl
