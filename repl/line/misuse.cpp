#include "repl/line/misuse.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

namespace {

// The command that was being read when something was wrong with it.
std::string command_of(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? "tessera" : "tessera " + commands.front()->get_name();
}

// A word where a command is expected: a script, most often, or a command misspelt.
Answer no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  const auto is_listed = [](const CLI::App* command) { return !command->get_group().empty(); };
  for (const CLI::App* command : app.get_subcommands(is_listed)) names.push_back(command->get_name());
  std::string help = "tessera --help lists the commands; a script is run by tessera run FILE";
  if (word.ends_with(".tess")) {
    help = fmt::format("to run the script: tessera run {}", word);
  } else if (const auto meant = nearest_spelling(word, names)) {
    help = fmt::format("did you mean `{}`?", *meant);
  }
  return misused(fmt::format("there is no command `{}`\n  help: {}", word, help));
}

// What was meant by a word that the command does not take: an option misspelt, or a change of layout whose mesh is no
// option's.
std::string help_for_extra(const CLI::App& app, const std::vector<std::string>& rest) {
  const auto commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  const std::string& word = rest.front();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty() && !option->get_lnames().empty()) names.push_back("--" + option->get_lnames()[0]);
  }
  const std::string name = word.substr(0, word.find('='));
  const auto meant = word.starts_with("--") ? nearest_spelling(name, names) : std::nullopt;
  if (meant) return fmt::format("did you mean `{}`?", *meant);
  if (word.find("->") != std::string::npos) return fmt::format("{} --mesh x:4,y:2 '{}'", command_of(app), word);
  return fmt::format("{} --help lists the options", command_of(app));
}

}  // namespace

Answer misused(std::string text) { return {std::move(text), true}; }

Answer usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = app.remaining(true);
  std::string text = error.what();
  if (app.get_subcommands().empty() && !rest.empty() && rest.front()[0] != '-') return no_command(app, rest.front());
  if (!rest.empty() && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return misused(fmt::format("`{}` was not expected here\n  help: {}", rest.front(), help_for_extra(app, rest)));
  }
  return misused(fmt::format("{}\n  help: {} --help lists the options", text, command_of(app)));
}

}  // namespace tessera::repl
