#include <fmt/format.h>
#include <unistd.h>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/terminal.hpp"
#include "repl/render/manual.hpp"
#include "repl/session/help.hpp"

namespace tessera::repl {

namespace {

// `error[after-as]`, as a message begins: the name in brackets.
std::string_view without_brackets(std::string_view name) {
  const std::size_t begin = name.find('[');
  if (begin == std::string_view::npos || !name.ends_with(']')) return name;
  return name.substr(begin + 1, name.size() - begin - 2);
}

// Why nothing is known about a name, with the nearest of all names if no error has one that is near.
Diagnostics not_found(std::string_view name) {
  Diagnostics why = explain(name).diagnostics();
  const auto meant = topic_near(name);
  std::string& help = why.front().help;
  if (meant && help.empty()) help = fmt::format("did you mean `{}`?", *meant);
  if (help.empty()) help = "`tessera explain errors` shows all errors, `tessera explain glossary` all words";
  return why;
}

}  // namespace

int perform(const ExplainOptions& options, Console& console) {
  const std::string_view name = without_brackets(options.name);
  const std::string text = doc_text(name);
  if (text.empty()) return failed(not_found(name), console);
  console.out(manual_text(text, terminal_columns(), takes_colour(STDOUT_FILENO) ? Colour::yes : Colour::no));
  return kExitDone;
}

}  // namespace tessera::repl
