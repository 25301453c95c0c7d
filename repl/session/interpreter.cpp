#include "repl/session/interpreter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "repl/process/interrupt.hpp"
#include "repl/render/fitted.hpp"
#include "repl/session/commands.hpp"
#include "repl/session/report.hpp"
#include "repl/session/script.hpp"

namespace tessera::repl {

namespace {

// An array that a name no longer means stays in memory until it can no longer be undone.
constexpr std::size_t kUndoMax = 20;

// Earlier inputs are forgotten, now and then.
constexpr std::ptrdiff_t kTypedMax = 1000;

// A longer text answers as a whole: cutting it takes time that nothing interrupts.
constexpr std::size_t kPiecesBytesMax = std::size_t{16} << 10U;

constexpr std::string_view kBlanks = " \t\r\n";

Config with_output(Config config, const Screen& screen) {
  config.bare_expressions = true;
  config.keep_values = true;
  config.output = [&screen](std::string_view text) { screen.out(written(text, screen)); };
  if (screen.fits) config.picture_columns = screen.columns;
  config.log = [&screen](const Diagnostic& diagnostic) {
    screen.err(render(diagnostic, screen.err_colour, screen.columns_to_fit()));
  };
  return config;
}

}  // namespace

Interpreter::Interpreter(Config config, Screen screen, std::string name, Ranks ranks)
    : screen_(std::move(screen)),
      name_(std::move(name)),
      ranks_(std::move(ranks)),
      state_(Session(with_output(std::move(config), screen_))),
      root_(state_.session.fork()) {}

void Interpreter::take(const std::string& lines) {
  const std::uint32_t first_line = line_number_ + 1;
  line_number_ = first_line + static_cast<std::uint32_t>(std::count(lines.begin(), lines.end(), '\n'));
  // A prompt that was copied with its line is no part of it.
  const std::string_view prompt = input_.empty() ? "> " : ". ";
  const std::string text = lines.starts_with(prompt) ? lines.substr(prompt.size()) : lines;
  if (input_.empty() && text.find_first_not_of(kBlanks) == std::string::npos) return;
  const bool begins_command = input_.empty() && text.starts_with(':');
  if (input_.add(text, first_line, begins_command ? expression_begin(text) : 0)) complete();
}

void Interpreter::end() {
  if (!input_.empty()) complete();
  end_trace();
}

void Interpreter::leave() {
  end_trace();
  left_ = true;
}

void Interpreter::complete() {
  const std::uint32_t first_line = input_.first_line();
  const std::string text = input_.take();
  note_typed(text, first_line);
  const auto take_command = [&](std::string_view command) {
    if (!run_command(command, first_line)) fail();
  };
  if (text.starts_with(':')) return take_command(text);
  const std::string_view meant = screen_.detailed ? command_meant_by(text) : "";
  if (!meant.empty() && state_.entries.bound_by(text.substr(0, text.find('\n'))) == nullptr) return take_command(meant);
  run(text, name_, first_line);
}

void Interpreter::note_typed(std::string_view text, std::uint32_t first_line) {
  typed_.push_back({std::string(text.substr(0, text.find_last_not_of(kBlanks) + 1)), first_line});
  if (typed_.size() > 2 * kTypedMax) typed_.erase(typed_.begin(), typed_.end() - kTypedMax);
}

bool Interpreter::run_command(std::string_view text, std::uint32_t first_line) {
  const Read<TypedCommand> typed = read_command(text, state_.session);
  if (!typed.value) return complain(typed.why);
  return typed.value->command->run({*this, text, typed.value->argument_at, typed.value->argument, first_line});
}

void CommandCall::out(std::string_view answer) const {
  const Screen& screen = interpreter.screen();
  screen.out(screen.fits ? fitted(answer, screen.columns()) : std::string(answer));
}

bool Interpreter::run(const std::string& text, const std::string& name, std::uint32_t first_line) {
  return run_reported(text, name, first_line).ok();
}

Result<RunReport> Interpreter::run_reported(const std::string& text, const std::string& name,
                                            std::uint32_t first_line) {
  const std::vector<StatementText> pieces =
      text.size() <= kPiecesBytesMax ? pieces_of(text) : std::vector<StatementText>{{text, 1}};
  if (pieces.size() > 1) {
    if (auto why = mistakes_in(text, name, first_line)) {
      fail(*why);
      return std::move(*why);
    }
  }
  State next = state_.fork();
  std::vector<Binding> bindings;
  bool declares = false;
  std::optional<Result<RunReport>> last;
  for (const StatementText& piece : pieces) {
    last.emplace(advance(next, piece.text, name, first_line + piece.line - 1));
    if (!*last) {
      say_that_nothing_is_kept(bindings);
      return std::move(*last);
    }
    declares = declares || !(*last)->program.declared().empty();
    bindings.insert(bindings.end(), (*last)->bindings.begin(), (*last)->bindings.end());
    screen_.out(bindings_text(**last, screen_));
  }
  const bool binds = std::any_of(bindings.begin(), bindings.end(),
                                 [](const Binding& binding) { return !is_last_value(binding.name); });
  if (binds || declares) remember(text);
  state_ = std::move(next);
  (*last)->bindings = std::move(bindings);
  return std::move(*last);
}

// The text is checked as a whole before its first statement runs; its notes come as that runs.
std::optional<Diagnostics> Interpreter::mistakes_in(const std::string& text, const std::string& name,
                                                    std::uint32_t first_line) {
  Config silent = state_.session.config();
  silent.log = {};
  Session session = state_.session.fork(std::move(silent));
  const StoppableRun stoppable(session);
  auto program = session.check(text, name, first_line);
  return program ? std::nullopt : std::optional(program.diagnostics());
}

// The lines about names that were bound stand on the screen, but the input has failed.
void Interpreter::say_that_nothing_is_kept(const std::vector<Binding>& bindings) {
  std::vector<std::string> names;
  for (const Binding& binding : bindings) {
    const std::string name = fmt::format("`{}`", binding.name);
    if (!is_last_value(binding.name) && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  if (names.empty()) return;
  screen_.err(fmt::format("note: the whole input is taken back, with {}\n", fmt::join(names, ", ")));
}

bool Interpreter::give(const std::string& text, const std::string& name) { return advance(state_, text, name, 1).ok(); }

Result<RunReport> Interpreter::advance(State& next, const std::string& text, const std::string& name,
                                       std::uint32_t first_line) {
  auto report = run_stoppable(next.session, text, name, first_line);
  if (!report) {
    fail(report.diagnostics());
    return report;
  }
  const bool shows = !report->program.shown().empty();
  // What a loaded script uses is named from where the session is.
  const std::string folder = std::filesystem::path(name).parent_path().string();
  const auto script = [&](Shown shown) {
    return moved_script(as_script(text, report->program, first_line, shown), folder, "");
  };
  Entry entry{script(Shown::printed),
              shows ? script(Shown::named) : "",
              report->statistics,
              report->profile,
              report->peak_bytes,
              report->arena_bytes,
              report->kept,
              {},
              std::nullopt};
  if (!report->program.redistributions().empty()) entry.moving = report->program;
  for (const Binding& binding : report->bindings) {
    entry.bound.emplace_back(binding.name, BoundBy{report->program, binding.statement, next.session.config().machine});
  }
  next.entries.add(std::move(entry));
  return report;
}

void Interpreter::remember(std::string_view text) {
  before_.push_back({state_.fork(), std::string(text.substr(0, text.find_last_not_of(kBlanks) + 1))});
  if (before_.size() > kUndoMax) before_.erase(before_.begin());
}

void Interpreter::configure(Config config) {
  config = with_output(std::move(config), screen_);
  for (Before& before : before_) before.state.session = before.state.session.fork(config);
  state_.session = state_.session.fork(std::move(config));
}

// The first of the ranks writes for all; the others have what takes a step as well, or their settings would differ.
bool Interpreter::begin_trace(std::string path) {
  end_trace();
  std::shared_ptr<TraceFile> file;
  const std::string why = ranks_.first_finds([&] {
    file = std::make_shared<TraceFile>(path);
    return file->failure().value_or("");
  });
  if (!why.empty()) return complain(why);
  trace_ = Trace{std::move(path), file};
  Config config = state_.session.config();
  config.trace = [file](const TracedStep& step) {
    if (file != nullptr) file->add(step);
  };
  configure(std::move(config));
  return true;
}

std::optional<WrittenTrace> Interpreter::end_trace() {
  if (!trace_) return std::nullopt;
  Config config = state_.session.config();
  config.trace = {};
  configure(std::move(config));
  const Trace trace = *std::exchange(trace_, std::nullopt);
  const std::string why =
      ranks_.first_finds([&] { return trace.file->finish(state_.session.gpus_of_devices()).value_or(""); });
  if (!why.empty()) {
    complain(why);
    return std::nullopt;
  }
  return WrittenTrace{trace.path, std::stoll(ranks_.first_finds([&] { return std::to_string(trace.file->slices()); }))};
}

void Interpreter::reset() {
  remember(":reset");
  state_ = State(nameless());
}

std::optional<std::string> Interpreter::undo() {
  if (before_.empty()) return std::nullopt;
  Before before = std::move(before_.back());
  before_.pop_back();
  state_ = std::move(before.state);
  return before.undone;
}

// The first byte tells a text from the reason why there is none.
Read<Text> Interpreter::read(const std::string& path) const {
  if (path == "-") return {std::nullopt, "standard input is where this line comes from; name a file"};
  const std::string found = ranks_.first_finds([&] {
    const Read<Text> file = read_text(path);
    return file.value ? "+" + file.value->text : "-" + file.why;
  });
  if (found.front() == '-') return {std::nullopt, found.substr(1)};
  return {Text{path, found.substr(1)}, {}};
}

bool Interpreter::fail(const Diagnostics& why) {
  ranks_.heed(why);
  screen_.report(why);
  any_failed_ = true;
  return false;
}

bool Interpreter::complain(std::string_view why) {
  screen_.complain(why);
  any_failed_ = true;
  return false;
}

}  // namespace tessera::repl
