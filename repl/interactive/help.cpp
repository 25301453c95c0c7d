// `:help` and `:doc`.
#include <fmt/format.h>

#include <algorithm>

#include "repl/interactive/commands.hpp"
#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kFirstSteps =
    "Type a statement, or an expression to see its value; a line goes on while a bracket is open.\n"
    "  mesh m = [x: 4, y: 2]            a grid of 8 devices with axes x and y\n"
    "  let a = iota(f32[16@y, 16@x])    0, 1, 2, ...: rows split over y, columns over x\n"
    "  let b = a as [16@(x,y), 16]      the same array, laid out in another way: data moves\n"
    "  show b                           who holds what\n"
    "  a + b                            operations as in NumPy; layouts that differ are brought together\n"
    "A command may be shortened to a beginning that no other has.\n";
constexpr std::string_view kLastSteps =
    "Tab completes; the up arrow brings earlier lines back; Ctrl-C drops the line or stops what runs.\n"
    "  :doc iota     an operation        :doc axis-used-twice     what an error means\n";

std::string head_of(const CommandInfo& command) {
  return command.argument.empty() ? std::string(command.name) : fmt::format("{} {}", command.name, command.argument);
}

std::string line_of(const CommandInfo& command, int width) {
  return fmt::format("  {}  {}\n", padded(head_of(command), width), command.does);
}

std::string all_commands() {
  int width = 0;
  for (const CommandInfo& command : commands()) width = std::max(width, columns(head_of(command)));
  std::string text;
  for (const CommandInfo& command : commands()) text += line_of(command, width);
  return text;
}

std::string operation_text(const OperationHelp& operation) {
  std::string text = fmt::format("{}\n  {}\n", operation.signature, operation.does);
  if (!operation.layouts.empty()) text += fmt::format("  layouts: {}\n", operation.layouts);
  return text;
}

// The nearest of all that can be asked about.
std::optional<std::string> topic_near(std::string_view name) {
  std::vector<std::string> topics;
  for (const OperationHelp& operation : operations()) topics.push_back(operation.name);
  topics.insert(topics.end(), all_slugs().begin(), all_slugs().end());
  return nearest_spelling(name, topics);
}

}  // namespace

bool run_help(const CommandCall& call) {
  if (call.argument.empty()) {
    call.out(fmt::format("{}\n{}\n{}", kFirstSteps, all_commands(), kLastSteps));
    return true;
  }
  const bool has_colon = call.argument.starts_with(':');
  const CommandInfo* command = find_command(has_colon ? std::string(call.argument) : fmt::format(":{}", call.argument));
  if (command == nullptr) {
    return call.interpreter.complain(fmt::format(
        "there is no command `{}`\n  help: :help lists what there is; :doc tells of operations", call.argument));
  }
  call.out(line_of(*command, 0));
  return true;
}

bool run_doc(const CommandCall& call) {
  const std::string name(call.argument);
  std::string text;
  for (const OperationHelp& operation : operations()) {
    if (operation.name == name) text += operation_text(operation);
  }
  const bool is_word = std::find(keywords().begin(), keywords().end(), name) != keywords().end();
  if (is_word) text += fmt::format("`{}` is a word of the language: docs/language.md tells of it\n", name);
  const bool is_slug = std::find(all_slugs().begin(), all_slugs().end(), name) != all_slugs().end();
  if (text.empty() && is_slug) text = *explain(name);
  if (!text.empty()) {
    call.out(text);
    return true;
  }
  const auto meant = topic_near(name);
  return call.interpreter.complain(
      fmt::format("`{}` is neither an operation nor the name of an error\n  help: {}", name,
                  meant ? fmt::format("did you mean `{}`?", *meant)
                        : std::string("the names of errors stand in brackets: error[unknown-name]")));
}

}  // namespace tessera::repl
