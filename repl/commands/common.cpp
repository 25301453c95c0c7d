#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/process/output_picture.hpp"
#include "repl/process/terminal.hpp"

namespace tessera::repl {

int failed(const Diagnostics& diagnostics, Console& console) {
  console.report(diagnostics);
  return exit_status(diagnostics);
}

std::optional<Machine> read_machine(const std::optional<std::string>& file, Console& console) {
  if (!file) return Machine{};
  const auto text = read_text(*file);
  if (!text.value) {
    console.complain(text.why);
    return std::nullopt;
  }
  auto machine = parse_machine(text.value->text, text.value->name);
  if (!machine) {
    console.report(machine.diagnostics());
    return std::nullopt;
  }
  return std::move(*machine);
}

std::string placed(const std::string& mesh, const std::string& place) {
  return place.empty() ? mesh : mesh + " place " + place;
}

Config base_config(Console& console) {
  use_unicode();  // which characters pictures may be drawn with
  Config config;
  config.output = [&console](std::string_view text) { console.out(picture_for_output(text)); };
  if (is_terminal(STDOUT_FILENO)) config.picture_columns = terminal_columns;
  config.log = [&console](const Diagnostic& diagnostic) { console.report(diagnostic); };
  config.clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  config.files.kind = FilePolicy::Kind::allowed;
  return config;
}

std::optional<ScriptToCheck> script_to_check(const std::string& file, const std::optional<std::string>& machine_file,
                                             const std::string& place, Console& console) {
  auto script = read_text(file);
  if (!script.value) {
    console.complain(script.why);
    return std::nullopt;
  }
  auto machine = read_machine(machine_file, console);
  if (!machine) return std::nullopt;
  ScriptToCheck read{std::move(*script.value), base_config(console)};
  read.config.machine = std::move(*machine);
  read.config.place = place;
  return read;
}

Config on_ranks(Config config, const Launch& launch) {
  config.team = launch.team();
  const char* const sharing = std::getenv("TESSERA_SHARED_MEMORY");
  config.share_memory = sharing == nullptr || std::string_view(sharing) != "off";
  return config;
}

int perform(const Answer& answer, Console& console) {
  if (!answer.usage_error) {
    console.out(answer.text);
    return kExitDone;
  }
  console.complain(answer.text);
  return kExitCommand;
}

}  // namespace tessera::repl
