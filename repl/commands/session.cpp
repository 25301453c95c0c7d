// The session without a command: statements from standard input. One that fails changes nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/interrupt.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kHelp =
    "Type a statement, or an expression to see its value; a line goes on while a bracket is open.\n"
    "  mesh m = [x: 4, y: 2]            a grid of devices\n"
    "  let a = iota(f32[16@y, 16@x])    an array, split over them\n"
    "  show a                           who holds what\n"
    "  plan a as [16@(x,y), 16]         what a change of layout would take\n"
    "  :help                            this text\n"
    "  :quit                            leave (or Ctrl-D)\n";

// What has been read of a statement, line by line. Asking after every line whether it is complete would take too long
// once it is long: then it is asked where the brackets, counted without regard to strings and comments, say so, and
// from time to time.
class Input {
 public:
  bool empty() const { return text_.empty(); }
  std::uint32_t first_line() const { return first_line_; }
  std::string take() { return std::exchange(*this, Input{}).text_; }

  // Adds a line; gives whether what is there is complete.
  bool add(std::string_view line, std::uint32_t number) {
    if (empty()) first_line_ = number;
    text_ += line;
    text_ += '\n';
    for (const char c : line) open_brackets_ += bracket(c);
    const bool due = text_.size() >= next_question_;
    if (!due && (open_brackets_ > 0 || early_questions_ == kEarlyQuestionsMax)) return false;
    if (!due) ++early_questions_;
    if (!is_incomplete(text_)) return true;
    if (text_.size() > kAlwaysAskBytes) next_question_ = text_.size() + text_.size() / 8;
    return false;
  }

 private:
  static constexpr std::size_t kAlwaysAskBytes = 2048;
  static constexpr int kEarlyQuestionsMax = 100;

  static int bracket(char c) {
    if (c == '(' || c == '[' || c == '{') return 1;
    return c == ')' || c == ']' || c == '}' ? -1 : 0;
  }

  std::string text_;
  std::uint32_t first_line_ = 1;
  std::size_t next_question_ = 0;  // due at so many bytes
  std::int64_t open_brackets_ = 0;
  int early_questions_ = 0;
};

class Loop {
 public:
  // On a terminal `interrupt` is the descriptor that Ctrl-C makes readable.
  Loop(Console& console, std::optional<int> interrupt)
      : console_(console),
        session_(config(console)),
        lines_(STDIN_FILENO, interrupt.value_or(-1)),
        prompting_(interrupt.has_value()) {}

  int run() {
    if (prompting_)
      console_.out(fmt::format("tessera {}, on simulated devices. :help helps, :quit leaves.\n", version()));
    std::string line;
    while (!left_) {
      prompt();
      switch (lines_.next(line)) {
        case LineReader::Outcome::line: take(line); break;
        case LineReader::Outcome::interrupted: forget(); break;
        case LineReader::Outcome::end: leave(); break;
        case LineReader::Outcome::failed:
          console_.complain(fmt::format("cannot read standard input: {}", lines_.why()));
          return kExitCommand;
      }
    }
    return any_failed_ && !prompting_ ? kExitProgram : kExitDone;
  }

 private:
  static Config config(Console& console) {
    Config result = base_config(console);
    result.bare_expressions = true;
    return result;
  }

  void prompt() {
    if (prompting_) console_.out(input_.empty() ? "> " : ". ");
    if (!lines_.has_buffered_line()) console_.flush();
  }

  // One more line: it may complete the input.
  void take(const std::string& line) {
    ++line_number_;
    if (input_.empty() && line.find_first_not_of(" \t\r") == std::string::npos) return;
    if (input_.empty() && line.starts_with(':')) return command(line);
    if (input_.add(line, line_number_)) evaluate();
  }

  void command(std::string_view line) {
    const std::string_view word = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (word == ":help") return console_.out(kHelp);
    if (word == ":quit") {
      left_ = true;
      return;
    }
    console_.complain(fmt::format("there is no command `{}`; :help and :quit are all there are", word));
    any_failed_ = true;
  }

  void evaluate() {
    const std::uint32_t first_line = input_.first_line();
    const std::string text = input_.take();
    const auto report = run_stoppable(session_, text, prompting_ ? "input" : "<stdin>", first_line);
    if (!report) {
      console_.report(report.diagnostics());
      any_failed_ = true;
      return;
    }
    for (const Binding& binding : report->bindings) console_.out(fmt::format("{} : {}\n", binding.name, binding.type));
  }

  // Ctrl-C at the prompt.
  void forget() {
    input_.take();
    lines_.drop();
    console_.out("\n");
  }

  // The end of the input completes it.
  void leave() {
    if (prompting_) console_.out("\n");
    if (!input_.empty()) evaluate();
    left_ = true;
  }

  Console& console_;
  Session session_;
  LineReader lines_;
  bool prompting_;
  Input input_;
  std::uint32_t line_number_ = 0;
  bool any_failed_ = false;
  bool left_ = false;
};

}  // namespace

int perform(const SessionOptions&, Console& console) {
  if (Launch::ranks_by_launcher() > 1) {
    console.complain("a session runs in one process; several ranks run scripts: tessera run FILE");
    return kExitCommand;
  }
  if (::isatty(STDIN_FILENO) != 1) return Loop(console, std::nullopt).run();
  const InterruptibleReading interruptible;
  return Loop(console, interruptible.descriptor()).run();
}

}  // namespace tessera::repl
