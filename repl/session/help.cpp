// `:help` and `:doc`.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "repl/render/manual.hpp"
#include "repl/render/page_prose.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/session/bridge.hpp"
#include "repl/session/commands.hpp"
#include "repl/session/glossary.hpp"
#include "repl/session/help.hpp"
#include "repl/session/interpreter.hpp"
#include "repl/session/pages.hpp"
#include "repl/session/words.hpp"
#include "tessera/analysis.hpp"

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
    "Tab completes; the up arrow brings earlier inputs back; `_` is the last value.\n"
    "Ctrl-C drops the input or stops what runs. A pasted text is one input; its prompts are taken off.\n"
    "  :doc iota, :doc mesh, :doc axis-used-twice     an operation, a word, what an error means\n"
    "  :doc tour, :doc meshes                         a page of the manual, docs/tour.md and others\n";

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

std::string word_text(const WordHelp& word) {
  return fmt::format("{}\n  {}\n", word.example.empty() ? word.word : word.example, word.does);
}

// Is it one of those that go along a dimension, of which the manual says what happens where that is split?
bool goes_along_a_dimension(const OperationHelp& operation) {
  const std::string& signature = operation.signature;
  return signature.starts_with(operation.name + "(a, ") &&
         (signature.ends_with(" dim)") || signature.find(" dim=") != std::string::npos);
}

std::string operation_text(const OperationHelp& operation) {
  std::string text = fmt::format("{}\n  {}\n", operation.signature, operation.does);
  const std::string_view heading = goes_along_a_dimension(operation) ? "over a split dimension" : "layouts";
  if (!operation.layouts.empty()) text += fmt::format("  {}: {}\n", heading, operation.layouts);
  return text;
}

std::string text_of(const LibraryFunction& function) {
  return fmt::format("{}\n  {}\n  of the library: `use \"{}\"` before it\n", function.signature, function.does,
                     function.text);
}

}  // namespace

std::optional<std::string> topic_near(std::string_view name) {
  std::vector<std::string> topics;
  for (const OperationHelp& operation : operations()) topics.push_back(operation.name);
  for (const WordHelp& word : words()) topics.emplace_back(word.word);
  for (std::string& word : glossary_words()) topics.push_back(std::move(word));
  topics.insert(topics.end(), all_slugs().begin(), all_slugs().end());
  for (const Page& page : pages()) topics.emplace_back(page.name);
  for (const LibraryFunction& function : library_functions()) topics.push_back(function.name);
  for (std::string& text : library_names()) topics.push_back(std::move(text));
  return nearest_spelling(name, topics);
}

namespace {

// Without what other systems mean by the name.
std::string own_text(std::string_view name) {
  std::string text;
  for (const OperationHelp& operation : operations()) {
    if (operation.name == name) text += operation_text(operation);
  }
  if (const WordHelp* word = find_word(name)) text += word_text(*word);
  for (const LibraryFunction& function : library_functions()) {
    if (function.name == name) text += text_of(function);
  }
  if (const auto entry = glossary_entry(name)) text += *entry;
  if (!text.empty()) return text;
  const bool is_slug = std::find(all_slugs().begin(), all_slugs().end(), name) != all_slugs().end();
  if (is_slug) return *explain(name);
  if (const auto library = library_text(name)) return "```\n" + *library + "```\n";
  const Page* page = find_page(name);
  return page == nullptr ? std::string() : page_prose(page->text);
}

// The name in what is written of another system: of `jnp.einsum`, `y.sharding` and `P("x", None)` the last name,
// without arguments.
std::string_view name_alone(std::string_view text) {
  text = text.substr(0, text.find('('));
  const std::size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

// What other systems mean by what is written.
std::string text_of_others(std::string_view name) {
  if (auto entry = bridge_entry(name)) return std::move(*entry);
  const std::string_view alone = name_alone(name);
  if (alone.empty() || alone == name) return {};
  if (auto entry = bridge_entry(alone)) return std::move(*entry);
  return own_text(alone);
}

// As wide as the screen.
void tell(const CommandCall& call, std::string_view text) {
  const Screen& screen = call.interpreter.screen();
  call.out(manual_text(text, screen.columns(), screen.out_colour));
}

}  // namespace

std::string doc_text(std::string_view name) {
  const std::string own = own_text(name);
  return own.empty() ? text_of_others(name) : own;
}

bool run_help(const CommandCall& call) {
  if (call.argument.empty()) {
    tell(call, fmt::format("{}\n{}\n{}", kFirstSteps, all_commands(), kLastSteps));
    return true;
  }
  const bool has_colon = call.argument.starts_with(':');
  const CommandInfo* command = find_command(has_colon ? std::string(call.argument) : fmt::format(":{}", call.argument));
  std::string doc;
  if (!has_colon) doc = command != nullptr ? own_text(call.argument) : doc_text(call.argument);
  if (command == nullptr && doc.empty()) {
    return call.interpreter.complain(fmt::format(
        "there is no command `{}`\n  help: :help lists the commands; :doc tells of operations", call.argument));
  }
  if (command != nullptr) tell(call, line_of(*command, 0));
  tell(call, doc);
  return true;
}

bool run_doc(const CommandCall& call) {
  const std::string_view name = call.argument;
  const CommandInfo* command = find_command(fmt::format(":{}", name));
  std::string text = own_text(name);
  if (text.empty() && command != nullptr && command->name.substr(1) == name) text = line_of(*command, 0);
  if (text.empty()) text = text_of_others(name);
  if (!text.empty()) {
    tell(call, text);
    return true;
  }
  const auto meant = topic_near(name);
  return call.interpreter.complain(fmt::format(
      "`{}` is no operation, no word of the language, the glossary or another system, no name of an error and no page "
      "of the manual\n"
      "  help: {}",
      name,
      meant ? fmt::format("did you mean `{}`?", *meant)
            : fmt::format("the names of errors stand in brackets: error[unknown-name]; pages are {}", page_names())));
}

}  // namespace tessera::repl
