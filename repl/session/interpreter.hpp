// A session that takes lines: statements, which may go on for several, and commands. It knows no terminal; everything
// it answers goes to its Screen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/process/files.hpp"
#include "repl/process/trace_file.hpp"
#include "repl/session/input.hpp"
#include "repl/session/ranks.hpp"
#include "repl/session/screen.hpp"
#include "repl/session/state.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// A trace that was written.
struct WrittenTrace {
  std::string path;
  std::int64_t slices = 0;
};

class Interpreter {
 public:
  // `name` is what diagnostics call the text that is typed. The config says how statements run; what they write goes to
  // the screen. Several ranks have an interpreter each, and all of these take the same lines.
  Interpreter(Config config, Screen screen, std::string name, Ranks ranks = {});
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // A line, or several that were typed as one input.
  void take(const std::string& lines);
  // The end of the input completes what is there.
  void end();
  // Drops the statement that has not been completed.
  void forget() { input_.take(); }
  bool in_statement() const { return !input_.empty(); }
  bool left() const { return left_; }
  bool any_failed() const { return any_failed_; }

  // Runs a line that begins with a colon; gives whether all went well.
  bool run_command(std::string_view text, std::uint32_t first_line);

  // For commands
  // -------------------------------------------------------------------------------------------------------------------

  const State& state() const { return state_; }
  const Screen& screen() const { return screen_; }
  const Ranks& ranks() const { return ranks_; }
  // A session without names, with the present settings, among the same ranks.
  Session nameless() const { return root_.fork(state_.session.config()); }
  // A file, as the first rank reads it.
  Read<Text> read(const std::string& path) const;
  const std::string& name() const { return name_; }
  // Runs a text on a fork of the session, which becomes the session if it succeeds. Gives whether it did.
  bool run(const std::string& text, const std::string& name, std::uint32_t first_line);
  // The same, with the report of its last statement and the names that all of them bound; failures have been reported.
  // A text of several statements is checked as a whole, and answers statement by statement, in the order of the text,
  // unless it is very long.
  Result<RunReport> run_reported(const std::string& text, const std::string& name, std::uint32_t first_line);
  // Runs a text that nobody has typed: it answers nothing, and undo does not take it back. Gives whether it succeeded.
  bool give(const std::string& text, const std::string& name);
  // The same names under other settings, from now on.
  void configure(Config config);
  // From now on what runs is traced into a file, which appears when the trace ends. Gives whether it can be written.
  bool begin_trace(std::string path);
  // The file as it was written; none if nothing was traced, or if it could not be written, which has then been said.
  std::optional<WrittenTrace> end_trace();
  bool traces() const { return trace_.has_value(); }
  // A session without names.
  void reset();
  // Takes the last input back that bound or declared something; gives its text, or nothing if there is none.
  std::optional<std::string> undo();
  std::size_t undoable() const { return before_.size(); }
  // All inputs so far, commands and failures, too. Code that runs inputs without take() has to record them itself.
  const std::vector<TypedInput>& typed() const { return typed_; }
  void note_typed(std::string_view text, std::uint32_t first_line);
  void leave();
  void fail() { any_failed_ = true; }
  bool fail(const Diagnostics& why);
  bool complain(std::string_view why);

 private:
  // Runs a text in a state, which becomes the state after the text. Failures have been reported.
  Result<RunReport> advance(State& next, const std::string& text, const std::string& name, std::uint32_t first_line);
  std::optional<Diagnostics> mistakes_in(const std::string& text, const std::string& name, std::uint32_t first_line);
  void say_that_nothing_is_kept(const std::vector<Binding>& bindings);
  void complete();
  // The present state can be gone back to.
  void remember(std::string_view text);

  Screen screen_;
  std::string name_;
  Ranks ranks_;
  State state_;
  Session root_;  // as all began
  // The states that undo goes back to, oldest first, each with the input that it takes back.
  struct Before {
    State state;
    std::string undone;
  };
  std::vector<Before> before_;
  struct Trace {
    std::string path;
    std::shared_ptr<TraceFile> file;  // the first rank's; the settings hold it as well
  };
  std::optional<Trace> trace_;
  Input input_;
  std::vector<TypedInput> typed_;
  std::uint32_t line_number_ = 0;
  bool any_failed_ = false;
  bool left_ = false;
};

// One command as it was typed.
struct CommandCall {
  Interpreter& interpreter;
  std::string_view text;      // all of it: `:plan a as [8]`
  std::size_t argument_at;    // where the argument begins in it
  std::string_view argument;  // without white space around it; may be empty
  std::uint32_t first_line;   // number of the text's first line

  // On a terminal tables and lines fit it. Pictures do so by themselves.
  void out(std::string_view answer) const;
  // Lines of a program with marks below them.
  void out_as_it_is(std::string_view answer) const { interpreter.screen().out(answer); }
};

}  // namespace tessera::repl
