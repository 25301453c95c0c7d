// The session without a command: statements and commands from standard input, typed or piped.
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/interactive/completion.hpp"
#include "repl/interactive/history.hpp"
#include "repl/interactive/interpreter.hpp"
#include "repl/interactive/line_editor.hpp"
#include "repl/interactive/progress.hpp"
#include "repl/interrupt.hpp"
#include "repl/learn/course.hpp"
#include "repl/terminal.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kPrompt = "> ";
constexpr std::string_view kPromptInside = ". ";

Screen screen_on(Console& console) {
  Screen screen;
  screen.out = [&console](std::string_view text) { console.out(text); };
  screen.err = [&console](std::string_view text) { console.err(text); };
  screen.columns = terminal_columns;
  screen.out_colour = takes_colour(STDOUT_FILENO) ? Colour::yes : Colour::no;
  screen.err_colour = takes_colour(STDERR_FILENO) ? Colour::yes : Colour::no;
  screen.boxes = takes_box_characters(STDOUT_FILENO);
  return screen;
}

int unreadable(const LineReader& lines, Console& console) {
  console.complain(fmt::format("cannot read standard input: {}", lines.why()));
  return kExitCommand;
}

// Without prompts. An input that fails is told by the exit status.
int run_piped(Console& console) {
  Interpreter interpreter(base_config(console), screen_on(console), "<stdin>");
  LineReader lines(STDIN_FILENO);
  std::string line;
  while (!interpreter.left()) {
    if (!lines.has_buffered_line()) console.flush();
    const LineReader::Outcome outcome = lines.next(line);
    if (outcome == LineReader::Outcome::failed) return unreadable(lines, console);
    if (outcome == LineReader::Outcome::end) break;
    if (outcome == LineReader::Outcome::line) interpreter.take(line);
  }
  interpreter.end();
  return interpreter.any_failed() ? kExitProgram : kExitDone;
}

// Somebody at a terminal.
class Conversation {
 public:
  Conversation(Console& console, int interrupt)
      : console_(console),
        config_(base_config(console)),
        progress_([&console](std::string_view text) { console.err(text); }, config_.clock),
        interpreter_(config(), screen(), "input"),
        history_(History::usual_path()),
        lines_(STDIN_FILENO, interrupt) {
    if (!is_addressable_terminal()) return;
    editor_ = std::make_unique<LineEditor>(
        interrupt, [this](std::string_view line) { return complete(line, interpreter_.state().session); });
    for (const std::string& line : history_.lines()) editor_->remember(line);
  }

  int run() {
    console_.out(fmt::format("tessera {}, on simulated devices. :help helps, :quit leaves.\n", version()));
    std::string line;
    while (!interpreter_.left()) {
      switch (next(interpreter_.in_statement() ? kPromptInside : kPrompt, line)) {
        case LineReader::Outcome::line: take(line); break;
        case LineReader::Outcome::interrupted: forget(); break;
        case LineReader::Outcome::end: leave(); break;
        case LineReader::Outcome::failed: return unreadable(lines_, console_);
      }
    }
    return kExitDone;
  }

 private:
  Config config() {
    Config result = config_;
    if (is_addressable_terminal()) {
      result.progress = [this](const tessera::Progress& progress) { progress_.tell(progress); };
    }
    return result;
  }

  Screen screen() {
    Screen result = screen_on(console_);
    result.detailed = true;
    result.out = [this, out = result.out](std::string_view text) {
      progress_.clear();
      out(text);
    };
    result.err = [this, err = result.err](std::string_view text) {
      progress_.clear();
      err(text);
    };
    result.teach = [this] { teach(); };
    result.ask = [this](std::string_view question) {
      std::string answer;
      return next(question, answer) == LineReader::Outcome::line && answer.empty();
    };
    return result;
  }

  LineReader::Outcome next(std::string_view prompt, std::string& line) {
    console_.flush();
    if (editor_) {
      switch (editor_->next(prompt, line)) {
        case LineEditor::Outcome::line: return LineReader::Outcome::line;
        case LineEditor::Outcome::interrupted: return LineReader::Outcome::interrupted;
        case LineEditor::Outcome::end: return LineReader::Outcome::end;
      }
    }
    console_.out(prompt);
    return lines_.next(line);
  }

  void teach() {
    progress_.clear();
    const auto status = take_course(console_, [this](std::string_view prompt) {
      std::string line;
      switch (next(prompt, line)) {
        case LineReader::Outcome::line: return Entered{Entered::Kind::line, line};
        case LineReader::Outcome::interrupted: lines_.drop(); return Entered{Entered::Kind::interrupt, {}};
        case LineReader::Outcome::end:
        case LineReader::Outcome::failed: break;
      }
      return Entered{Entered::Kind::end, {}};
    });
    if (status == kExitDone) console_.out("Back in the session.\n");
  }

  void take(const std::string& line) {
    if (history_.add(line) && editor_) editor_->remember(line);
    progress_.begin();
    interpreter_.take(line);
    progress_.clear();
  }

  // Ctrl-C at the prompt.
  void forget() {
    interpreter_.forget();
    lines_.drop();
    console_.out("\n");
  }

  // Ctrl-D, or the terminal went away: what is there counts as complete.
  void leave() {
    console_.out("\n");
    interpreter_.end();
    interpreter_.leave();
  }

  Console& console_;
  Config config_;
  ProgressLine progress_;
  Interpreter interpreter_;
  History history_;
  LineReader lines_;  // where the terminal cannot edit
  std::unique_ptr<LineEditor> editor_;
};

}  // namespace

int perform(const SessionOptions&, Console& console) {
  if (Launch::ranks_by_launcher() > 1) {
    console.complain("a session runs in one process; several ranks run scripts: tessera run FILE");
    return kExitCommand;
  }
  if (!is_conversation()) return run_piped(console);
  use_unicode();
  const InterruptibleReading interruptible;
  return Conversation(console, interruptible.descriptor()).run();
}

}  // namespace tessera::repl
