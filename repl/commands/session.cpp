// The session without a command: statements and commands from standard input, typed or piped.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/course/course.hpp"
#include "repl/line/gpu_options.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/process/interrupt.hpp"
#include "repl/process/terminal.hpp"
#include "repl/ranks/front_end.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/session/answerer.hpp"
#include "repl/session/history.hpp"
#include "repl/session/input.hpp"
#include "repl/typing/keyboard.hpp"

namespace tessera::repl {

namespace {

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

int unreadable(const std::string& why, Console& console) {
  console.complain(fmt::format("cannot read standard input: {}", why));
  return kExitCommand;
}

// Makes what answers on this screen; diagnostics call the input `name`, and Ctrl-C makes `interrupt` readable.
using MakeAnswerer =
    std::function<std::unique_ptr<Answerer>(const Screen& screen, const std::string& name, int interrupt)>;

MakeAnswerer answerer_for(const SessionOptions& options, Console& console) {
  if (options.ranks > 1) {
    return [&options](const Screen& screen, const std::string& name, int interrupt) {
      return std::make_unique<FrontEnd>(options.ranks, words_of(options.gpu), screen, name, interrupt);
    };
  }
  return [&options, &console](const Screen& screen, const std::string& name, int) {
    return std::make_unique<LocalAnswerer>(on_gpus(base_config(console), options.gpu), screen, name);
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
    if (outcome == LineReader::Outcome::failed) return unreadable(lines.why(), console);
    if (outcome == LineReader::Outcome::end) break;
    if (outcome == LineReader::Outcome::line) answerer->take(line);
  }
  if (!answerer->left()) answerer->end();
  if (const auto why = answerer->lost()) return report_loss(*why, console);
  return answerer->any_failed() ? kExitProgram : kExitDone;
}

// A session at a terminal.
class Conversation {
 public:
  Conversation(const MakeAnswerer& make, Console& console, int interrupt)
      : console_(console),
        history_(SessionHistory::usual_path()),
        keyboard_(console, interrupt, [this](std::string_view line) { return answerer_->complete(line); }) {
    for (const std::string& text : history_.texts()) keyboard_.remember(text);
    answerer_ = make(screen(), "input", interrupt);
  }

  // `where` says what runs the statements.
  int run(const std::string& where) {
    if (!answerer_->left()) greet(where);
    std::string text;
    while (!answerer_->left()) {
      switch (keyboard_.next(statements(), text)) {
        case LineReader::Outcome::line: take(text); break;
        case LineReader::Outcome::interrupted: forget(); break;
        case LineReader::Outcome::end: leave(); return status();
        case LineReader::Outcome::failed: return unreadable(keyboard_.why(), console_);
      }
    }
    return status();
  }

 private:
  void greet(const std::string& where) {
    const std::string greeting = fmt::format("tessera {}, {}. :help helps, :quit leaves.\n", version(), where);
    console_.out(wrapped_at_words(greeting, terminal_columns()));
  }

  int status() {
    const auto why = answerer_->lost();
    return why ? report_loss(*why, console_) : kExitDone;
  }

  Screen screen() {
    Screen result = screen_on(console_);
    result.detailed = true;
    result.fits = true;
    result.progress = is_addressable_terminal();
    result.open_lesson = [this](const std::string& lesson) { open_lesson(lesson); };
    result.ask = [this](std::string_view question) {
      std::string answer;
      const Typing one_line{[&](std::size_t) { return std::string(question); }};
      if (keyboard_.next(one_line, answer) != LineReader::Outcome::line) return false;
      if (!answer.empty()) keyboard_.give_back(answer);
      return answer.empty();
    };
    return result;
  }

  // A prompt has the number by which messages call its line.
  Typing statements() const {
    const bool goes_on = answerer_->in_statement();
    const auto prompt = [this, goes_on](std::size_t line) {
      return fmt::format("{}{} ", lines_taken_ + line + 1, goes_on || line > 0 ? '.' : '>');
    };
    return {prompt, [goes_on](std::string_view text) { return goes_on || is_complete(text); }};
  }

  void open_lesson(const std::string& lesson) {
    const auto status = take_course(console_, lesson, course_lines(keyboard_));
    if (status == kExitDone) console_.out("Back in the session.\n");
  }

  void take(const std::string& text) {
    if (history_.add(text)) keyboard_.remember(text);
    for (const std::string& input : inputs_of(text)) {
      if (answerer_->left()) return;
      lines_taken_ += 1 + static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n'));
      answerer_->take(input);
    }
  }

  // Ctrl-C at the prompt, or the ranks are gone.
  void forget() {
    console_.out("\n");
    keyboard_.drop();
    answerer_->forget();
  }

  // Ctrl-D, or the terminal went away: what is there counts as complete.
  void leave() {
    console_.out("\n");
    answerer_->end();
  }

  Console& console_;
  SessionHistory history_;
  Keyboard keyboard_;
  std::unique_ptr<Answerer> answerer_;
  std::size_t lines_taken_ = 0;
};

}  // namespace

int perform(const SessionOptions& options, Console& console) {
  if (Launch::ranks_by_launcher() > 1) {
    return console.refuse(
        "a session needs a terminal, and a launcher's ranks have none\n  help: tessera --ranks N "
        "opens one on N ranks; mpirun -np N tessera run FILE runs a script on them");
  }
  if (options.ranks > 1 && mpi::name().empty())
    return console.refuse(
        "this Tessera was built without MPI, so a session has one process; build with -DTESSERA_MPI=openmpi or mpich");
  const MakeAnswerer make = answerer_for(options, console);
  if (!is_conversation()) return run_piped(make, console);
  use_unicode();
  const InterruptibleReading interruptible;
  const bool on_gpu = !on_gpus(Config{}, options.gpu).gpus.empty();
  const std::string devices = on_gpu ? "on GPUs" : "on simulated devices";
  const std::string where =
      options.ranks > 1 ? fmt::format("on {} ranks of {}{}", options.ranks, mpi::name(), on_gpu ? " with GPUs" : "")
                        : devices;
  return Conversation(make, console, interruptible.descriptor()).run(where);
}

}  // namespace tessera::repl
