#include "repl/session/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace tessera::repl {

namespace {

using A = Argument;

constexpr std::array kCommands = {
    CommandInfo{":type", "EXPRESSION", A::expression, "its type and what each device would hold; nothing runs",
                run_type},
    CommandInfo{":layout", "EXPRESSION", A::expression, "draw who holds what", run_layout},
    CommandInfo{":plan", "[--within SIZE] EXPRESSION", A::expression, "the steps it would take, in bytes; nothing runs",
                run_plan},
    CommandInfo{":why", "EXPRESSION", A::expression, "why data moves for it, and the other ways that were priced",
                run_why},
    CommandInfo{":choice", "FUNCTION [NAME]", A::expression,
                "the layouts chosen for an `auto fn`; what others of a name in it would take", run_choice},
    CommandInfo{":compare", "[--run] EXPRESSION", A::expression, "our plan beside other planners'; --run measures them",
                run_compare},
    CommandInfo{":estimate", "EXPRESSION", A::expression, "what it would take: seconds, bytes, memory; nothing runs",
                run_estimate},
    CommandInfo{":step", "EXPRESSION", A::expression, "walk through its plan with the data drawn", run_step},
    CommandInfo{":mem", "", A::none, "memory, by name", run_mem},
    CommandInfo{":stats", "", A::none, "bytes and seconds of statements that communicated", run_stats},
    CommandInfo{":time", "EXPRESSION", A::expression, "run it for half a second: the best time and the median",
                run_time},
    CommandInfo{":trace", "[FILE]", A::file, "record the steps of all devices; alone: write the file", run_trace},
    CommandInfo{":mesh", "", A::none, "draw the meshes", run_mesh},
    CommandInfo{":devices", "", A::none, "the coordinates of every device", run_devices},
    CommandInfo{":machine", "[FILE]", A::file, "the machine model; another one, from a JSON file", run_machine},
    CommandInfo{":placements", "", A::none, "where the mesh may lie on the machine, by what the session has moved",
                run_placements},
    CommandInfo{":load", "FILE", A::file, "run a script here", run_load},
    CommandInfo{":save", "FILE", A::file, "write what was typed as a script", run_save},
    CommandInfo{":undo", "", A::none, "take the last input back; again, the one before it", run_undo},
    CommandInfo{":history", "[COUNT]", A::count, "the inputs of this session, with the numbers of their lines",
                run_history},
    CommandInfo{":reset", "", A::none, "forget all names", run_reset},
    CommandInfo{":set", "[NAME VALUE]", A::setting, "the settings; change one", run_set},
    CommandInfo{":doc", "NAME", A::topic, "what an operation or a word does, or what an error means", run_doc},
    CommandInfo{":learn", "[LESSON]", A::lesson, "the course, where you left it or at a lesson; :quit returns",
                run_learn},
    CommandInfo{":help", "[COMMAND]", A::command, "this text", run_help},
    CommandInfo{":quit", "", A::none, "leave (or Ctrl-D)", run_quit},
};

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view word_of(std::string_view line) { return line.substr(0, line.find_first_of(kSpaces)); }

// Finds the text behind the command's word; the text's end if there is none.
std::size_t argument_begin(std::string_view text) {
  return std::min(text.find_first_not_of(kSpaces, word_of(text).size()), text.size());
}

bool is_optional(const CommandInfo& command) { return command.argument.empty() || command.argument.ends_with(']'); }

// The explanation of a word that is a statement or a command of the shell; nothing for other words.
std::optional<std::string> elsewhere(std::string_view word) {
  constexpr std::array<std::string_view, 4> kStatements = {":show", ":print", ":save", ":assert"};
  constexpr std::array<std::string_view, 6> kOfTheShell = {":draw", ":run", ":check", ":fmt", ":move", ":calibrate"};
  const auto is_in = [&](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
  const std::string_view bare = word.substr(1);
  if (is_in(kStatements)) return fmt::format("`{}` is a statement: write it without the colon", bare);
  if (word == ":exit" || word == ":bye") return "`:quit` leaves";
  if (word == ":lesson" || word == ":lessons" || word == ":next" || word == ":skip")
    return "`:learn 3` goes to a lesson";
  if (is_in(kOfTheShell)) return fmt::format("`tessera {}` is a command of the shell", bare);
  return std::nullopt;
}

std::string unknown(std::string_view word) {
  if (const auto known = elsewhere(word)) return fmt::format("there is no command `{}`\n  help: {}", word, *known);
  std::vector<std::string> names;
  std::vector<std::string> begun;
  for (const CommandInfo& command : commands()) {
    names.emplace_back(command.name);
    if (word.size() > 1 && command.name.starts_with(word)) begun.push_back(fmt::format("`{}`", command.name));
  }
  const auto meant = nearest_spelling(word, names);
  return fmt::format("there is no command `{}`\n  help: {}", word,
                     begun.size() > 1 ? fmt::format("it could be {}", fmt::join(begun, " or "))
                     : meant          ? fmt::format("did you mean `{}`?", *meant)
                                      : std::string(":help lists the commands"));
}

// `:why EXPRESSION`: an expression
std::string_view argument_in_words(const CommandInfo& command) {
  switch (command.takes) {
    case Argument::none: return "nothing";
    case Argument::expression: return "an expression";
    case Argument::file: return "a file";
    case Argument::topic: return "a name";
    case Argument::setting: return "a name and a value";
    case Argument::command: return "a command";
    case Argument::lesson: return "a lesson's number";
    case Argument::count: return "a number";
  }
  return "";
}

std::string misused(const CommandInfo& command) {
  const bool wants = !command.argument.empty();
  const std::string needed = fmt::format("needs {}", argument_in_words(command));
  const std::string_view blank = wants ? " " : "";
  return fmt::format("`{}` {}\n  help: {}{}{}   {}", command.name, wants ? needed : "takes nothing after it",
                     command.name, blank, command.argument, command.does);
}

// `--run` of `[--run] EXPRESSION`, `--within SIZE` of `[--within SIZE] EXPRESSION`; empty if there is none.
std::string_view option_of(const CommandInfo& command) {
  if (!command.argument.starts_with("[--")) return "";
  return command.argument.substr(1, command.argument.find(']') - 1);
}

// `--rum` is a wrong option. Two signs before a name that is known, or before a word that begins a value, are none.
bool is_option(std::string_view word, const Session& session) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!word.starts_with("--") || word.size() < 3) return false;
  const std::string_view name = word.substr(2);
  constexpr std::array<std::string_view, 5> kBeginValues = {"if", "loop", "true", "false", "bool"};
  if (!std::all_of(name.begin(), name.end(), is_letter) ||
      std::find(kBeginValues.begin(), kBeginValues.end(), name) != kBeginValues.end())
    return false;
  const auto is_in = [&](const auto& all) {
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  };
  const std::vector<std::string> functions = session.functions();
  return !is_in(session.names()) && !is_in(operations()) &&
         std::find(functions.begin(), functions.end(), name) == functions.end();
}

std::string no_such_option(const CommandInfo& command, std::string_view word) {
  const std::string_view option = option_of(command);
  const std::string option_word(word_of(option));
  std::string help = fmt::format("write `{} EXPRESSION`", command.name);
  const auto meant = nearest_spelling(word, {option_word});
  if (!option.empty()) help += fmt::format(" or `{} {} EXPRESSION`", command.name, option);
  if (!option.empty() && meant) help = fmt::format("did you mean `{}`?", *meant);
  if (!option.empty() && word.starts_with(option_word + "="))
    help = fmt::format("write `{} {} {} EXPRESSION`", command.name, option_word, word.substr(option_word.size() + 1));
  return fmt::format("`{}` has no option `{}`\n  help: {}", command.name, word, help);
}

// Finds the last `count` words of the text.
std::size_t last_words(std::string_view text, std::size_t count) {
  std::size_t at = text.size();
  for (std::size_t k = 0; k < count && at != 0; ++k) {
    const std::size_t end = text.find_last_not_of(kSpaces, at - 1);
    if (end == std::string_view::npos) return 0;
    at = text.find_last_of(kSpaces, end) + 1;
  }
  return at;
}

// What is wrong with the options before an expression or behind it, with what to type instead. An option that is right
// is left to its command. Only a whole word at either end is an option; anything else is the expression's.
std::optional<std::string> wrong_option(const CommandInfo& command, std::string_view argument, const Session& session) {
  const std::string_view option = option_of(command);
  const std::string_view option_word = word_of(option);
  const std::string_view first = word_of(argument);
  const bool is_ours = is_option(option_word, session);
  const bool is_assigned = is_ours && first.starts_with(std::string(option_word) + "=");
  if (is_assigned || (is_option(first, session) && first != option_word)) return no_such_option(command, first);
  const bool has_comment = argument.substr(argument.rfind('\n') + 1).find('#') != std::string_view::npos;
  if (has_comment) return std::nullopt;
  const std::size_t words = option.empty() || option == option_word ? 1 : 2;
  const std::size_t at = last_words(argument, words);
  const std::string_view last = argument.substr(at);
  if (at > 0 && is_ours && word_of(last) == option_word) {
    const std::string_view expression = argument.substr(0, argument.find_last_not_of(kSpaces, at - 1) + 1);
    if (first == option_word)
      return fmt::format("`{}` is given twice\n  help: write `{} {} EXPRESSION`", option_word, command.name, option);
    if (expression.find('\n') != std::string_view::npos) return std::nullopt;
    return fmt::format("`{}` stands before the expression\n  help: write `{} {} {}`", option_word, command.name, last,
                       expression);
  }
  const std::string_view last_word = argument.substr(last_words(argument, 1));
  if (last_word == option_word && last_word.size() < argument.size() && is_ours)
    return fmt::format("`{}` stands before the expression\n  help: write `{} {} EXPRESSION`", option_word, command.name,
                       option);
  const bool is_wrong = last_word.size() < argument.size() && is_option(last_word, session);
  return is_wrong ? std::optional(no_such_option(command, last_word)) : std::nullopt;
}

}  // namespace

std::span<const CommandInfo> commands() { return kCommands; }

const CommandInfo* find_command(std::string_view word) {
  if (word == ":h") word = ":help";  // not `:history`, which is asked for less
  const CommandInfo* found = nullptr;
  for (const CommandInfo& command : commands()) {
    if (command.name == word) return &command;
    if (word.size() < 2 || !command.name.starts_with(word)) continue;
    if (found != nullptr) return nullptr;
    found = &command;
  }
  return found;
}

Read<TypedCommand> read_command(std::string_view text, const Session& session) {
  const CommandInfo* command = find_command(word_of(text));
  if (command == nullptr) return {std::nullopt, unknown(word_of(text))};
  const std::size_t begin = argument_begin(text);
  const std::size_t last = text.find_last_not_of(kSpaces);
  const std::string_view argument = begin == text.size() ? "" : text.substr(begin, last + 1 - begin);
  const bool fits = argument.empty() ? is_optional(*command) : command->takes != A::none;
  if (!fits) return {std::nullopt, misused(*command)};
  if (command->takes == A::expression) {
    if (argument == word_of(option_of(*command)) && argument != option_of(*command))
      return {std::nullopt, misused(*command)};
    if (auto wrong = wrong_option(*command, argument, session)) return {std::nullopt, std::move(*wrong)};
  }
  return {TypedCommand{command, begin, argument}, {}};
}

std::string_view command_meant_by(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(kSpaces) + 1);
  for (const std::string_view word : {"help", "help()", "?"}) {
    if (line == word) return ":help";
  }
  if (line == "history") return ":history";
  for (const std::string_view word : {"quit", "quit()", "exit", "exit()"}) {
    if (line == word) return ":quit";
  }
  return "";
}

std::size_t expression_begin(std::string_view line) {
  const CommandInfo* command = find_command(word_of(line));
  if (command == nullptr || command->takes != A::expression) return line.size();
  return argument_begin(line);
}

}  // namespace tessera::repl
