// The session without a command: statements and commands from standard input, typed or piped.
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/interactive/answerer.hpp"
#include "repl/interactive/history.hpp"
#include "repl/interactive/line_editor.hpp"
#include "repl/interrupt.hpp"
#include "repl/learn/course.hpp"
#include "repl/ranks/front_end.hpp"
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

// Who answers on this screen; `name` is what diagnostics call what is typed, `interrupt` what Ctrl-C makes readable.
using MakeAnswerer =
    std::function<std::unique_ptr<Answerer>(const Screen& screen, const std::string& name, int interrupt)>;

MakeAnswerer answerer_for(const SessionOptions& options, Console& console) {
  if (options.ranks > 1) {
    return [ranks = options.ranks](const Screen& screen, const std::string& name, int interrupt) {
      return std::make_unique<FrontEnd>(ranks, screen, name, interrupt);
    };
  }
  return [&console](const Screen& screen, const std::string& name, int) {
    return std::make_unique<LocalAnswerer>(base_config(console), screen, name);
  };
}

int report_loss(const std::string& why, Console& console) {
  console.complain(why);
  return kExitWorld;
}

// Without prompts. An input that fails is told by the exit status.
int run_piped(const MakeAnswerer& make, Console& console) {
  const std::unique_ptr<Answerer> answerer = make(screen_on(console), "<stdin>", -1);
  LineReader lines(STDIN_FILENO);
  std::string line;
  while (!answerer->left()) {
    const LineReader::Outcome outcome = lines.next(line);
    if (outcome == LineReader::Outcome::failed) return unreadable(lines, console);
    if (outcome == LineReader::Outcome::end) break;
    if (outcome == LineReader::Outcome::line) answerer->take(line);
  }
  if (!answerer->left()) answerer->end();
  if (const auto why = answerer->lost()) return report_loss(*why, console);
  return answerer->any_failed() ? kExitProgram : kExitDone;
}

// Somebody at a terminal.
class Conversation {
 public:
  Conversation(const MakeAnswerer& make, Console& console, int interrupt)
      : console_(console), history_(SessionHistory::usual_path()), lines_(STDIN_FILENO, interrupt) {
    if (is_addressable_terminal()) {
      editor_ =
          std::make_unique<LineEditor>(interrupt, [this](std::string_view line) { return answerer_->complete(line); });
      for (const std::string& line : history_.lines()) editor_->remember(line);
    }
    answerer_ = make(screen(), "input", interrupt);
  }

  // `where` says what runs the statements.
  int run(const std::string& where) {
    if (!answerer_->left()) console_.out(fmt::format("tessera {}, {}. :help helps, :quit leaves.\n", version(), where));
    std::string line;
    while (!answerer_->left()) {
      switch (next(answerer_->in_statement() ? kPromptInside : kPrompt, line)) {
        case LineReader::Outcome::line: take(line); break;
        case LineReader::Outcome::interrupted: forget(); break;
        case LineReader::Outcome::end: leave(); return status();
        case LineReader::Outcome::failed: return unreadable(lines_, console_);
      }
    }
    return status();
  }

 private:
  int status() {
    const auto why = answerer_->lost();
    return why ? report_loss(*why, console_) : kExitDone;
  }

  Screen screen() {
    Screen result = screen_on(console_);
    result.detailed = true;
    result.progress = is_addressable_terminal();
    result.teach = [this](const std::string& lesson) { teach(lesson); };
    result.ask = [this](std::string_view question) {
      std::string answer;
      return next(question, answer) == LineReader::Outcome::line && answer.empty();
    };
    return result;
  }

  LineReader::Outcome next(std::string_view prompt, std::string& line) {
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

  void teach(const std::string& lesson) {
    const auto status = take_course(console_, lesson, [this](std::string_view prompt) {
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
    answerer_->take(line);
  }

  // Ctrl-C at the prompt, or the ranks are gone.
  void forget() {
    console_.out("\n");
    lines_.drop();
    answerer_->forget();
  }

  // Ctrl-D, or the terminal went away: what is there counts as complete.
  void leave() {
    console_.out("\n");
    answerer_->end();
  }

  Console& console_;
  SessionHistory history_;
  LineReader lines_;  // where the terminal cannot edit
  std::unique_ptr<LineEditor> editor_;
  std::unique_ptr<Answerer> answerer_;
};

}  // namespace

int perform(const SessionOptions& options, Console& console) {
  if (Launch::ranks_by_launcher() > 1) {
    return console.refuse(
        "a session has the terminal to itself, and a launcher's ranks have none\n  help: tessera --ranks N "
        "opens one on N ranks; mpirun -np N tessera run FILE runs a script on them");
  }
  if (options.ranks > 1 && mpi::name().empty())
    return console.refuse(
        "this Tessera was built without MPI, so a session has one process; build with -DTESSERA_MPI=openmpi or mpich");
  const MakeAnswerer make = answerer_for(options, console);
  if (!is_conversation()) return run_piped(make, console);
  use_unicode();
  const InterruptibleReading interruptible;
  const std::string where =
      options.ranks > 1 ? fmt::format("on {} ranks of {}", options.ranks, mpi::name()) : "on simulated devices";
  return Conversation(make, console, interruptible.descriptor()).run(where);
}

}  // namespace tessera::repl
