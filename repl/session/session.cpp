// The commands about the session itself.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "repl/process/files.hpp"
#include "repl/render/table.hpp"
#include "repl/session/commands.hpp"
#include "repl/session/interpreter.hpp"
#include "repl/session/report.hpp"
#include "repl/session/script.hpp"

namespace tessera::repl {

namespace {

constexpr std::array<std::string_view, 3> kSettings = {"gpu", "memory", "reshard"};
constexpr std::array<std::pair<std::string_view, Reshard>, 3> kPolicies = {
    {{"silent", Reshard::silent}, {"warn", Reshard::warn}, {"error", Reshard::error}}};
constexpr std::string_view kUnlimited = "default";

std::string settings_text(const Config& config) {
  std::string_view policy;
  for (const auto& [name, value] : kPolicies) {
    if (value == config.reshard) policy = name;
  }
  const std::int64_t limit = config.memory_bytes_max;
  const std::string memory = limit == 0 ? std::string(kUnlimited) : fmt::format("{}", limit);
  const std::string_view gpus = config.gpus.empty()    ? "off"
                                : config.gpus == "all" ? "on"
                                                       : std::string_view(config.gpus);
  return fmt::format(
      "gpu {}\n  the GPUs that statements run on: on, off or numbers, 0,2\n"
      "memory {}\n  bytes that a statement's arrays may take: a size, or default (3/4 of the machine)\n"
      "reshard {}\n  report steps that the checker inserts: silent, warn or error\n",
      gpus, memory, policy);
}

bool set_reshard(const CommandCall& call, Config config, std::string_view value) {
  for (const auto& [name, policy] : kPolicies) {
    if (value != name) continue;
    config.reshard = policy;
    call.interpreter.configure(std::move(config));
    return true;
  }
  return call.interpreter.complain(fmt::format(
      "`:set {}` is no setting\n  help: :set reshard silent, :set reshard warn or :set reshard error", call.argument));
}

bool set_memory(const CommandCall& call, Config config, std::string_view value) {
  const auto size = value == kUnlimited ? Result<std::int64_t>(std::int64_t{0}) : parse_size(value);
  const bool usable = size && (*size > 0 || value == kUnlimited);
  if (!usable)
    return call.interpreter.complain(
        fmt::format("`:set {}` is no setting\n  help: :set memory 4GiB or :set memory default", call.argument));
  config.memory_bytes_max = *size;
  call.interpreter.configure(std::move(config));
  return true;
}

// Only where there are such GPUs: what has been set before stays otherwise.
bool set_gpu(const CommandCall& call, Config config, std::string_view value) {
  if (value.empty())
    return call.interpreter.complain("`:set gpu` is no setting\n  help: :set gpu on, :set gpu off or :set gpu 0,2");
  config.gpus = value == "off" ? "" : value == "on" ? "all" : std::string(value);
  const auto usable = call.interpreter.state().session.fork(config).check("let gpu = 0\n", "setting");
  if (!usable) return call.interpreter.fail(usable.diagnostics());
  call.interpreter.configure(std::move(config));
  return true;
}

// The inputs as a script. A value that was shown gets its name where an input before the next such value uses it.
std::string script_of(const std::vector<const Entry*>& entries) {
  std::vector<std::string> scripts;
  bool is_used = false;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const bool shows = !(*entry)->naming_script.empty();
    const bool uses = uses_last_value((*entry)->script);
    scripts.push_back(shows && (is_used || uses) ? (*entry)->naming_script : (*entry)->script);
    is_used = shows ? uses : is_used || uses;
  }
  std::string script;
  for (auto one = scripts.rbegin(); one != scripts.rend(); ++one) script += *one;
  return script;
}

// The last value: its type, and how many inputs have shown one so far.
struct LastValue {
  std::optional<std::string> type;
  std::ptrdiff_t number = 0;

  bool operator==(const LastValue&) const = default;
};

LastValue last_value(const State& state) {
  LastValue last;
  for (const Binding& binding : state.session.names()) {
    if (binding.name == kLastValue) last.type = binding.type;
  }
  const auto entries = state.entries.in_order();
  const auto shows = [](const Entry* entry) { return !entry->naming_script.empty(); };
  last.number = std::count_if(entries.begin(), entries.end(), shows);
  return last;
}

// An input of one line behind a blank; the lines of a longer one below, of a very long one the first.
std::string taken_back_text(std::string_view input) {
  constexpr std::size_t kLinesMax = 12;
  const auto lines = static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n')) + 1;
  if (lines == 1) return fmt::format(" {}\n", input);
  std::string text = "\n";
  for (std::size_t i = 0; i < std::min(lines, kLinesMax); ++i) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    text += fmt::format("  {}\n", input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return lines <= kLinesMax ? text : text + fmt::format("  ... and {} lines more\n", lines - kLinesMax);
}

// `12> let a = 1`, the lines below it as `13. ...`: as they were typed.
std::string typed_text(const TypedInput& input) {
  std::string text;
  std::uint32_t line = input.first_line;
  for (std::string_view rest = input.text; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += fmt::format("{:>4}{} {}\n", line, line == input.first_line ? '>' : '.', rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace

std::span<const std::string_view> setting_names() { return kSettings; }

bool run_load(const CommandCall& call) {
  if (call.argument == "-") return call.interpreter.complain("`:load` needs a file");
  const auto script = call.interpreter.read(std::string(call.argument));
  if (!script.value) return call.interpreter.complain(script.why);
  return call.interpreter.run(script.value->text, script.value->name, 1);
}

bool run_save(const CommandCall& call) {
  const std::string folder = std::filesystem::path(call.argument).parent_path().string();
  const std::string script = moved_script(script_of(call.interpreter.state().entries.in_order()), "", folder);
  const std::string why = call.interpreter.ranks().first_finds(
      [&] { return replace_file(std::string(call.argument), script).value_or(""); });
  return why.empty() ? true : call.interpreter.complain(why);
}

bool run_reset(const CommandCall& call) {
  call.interpreter.reset();
  return true;
}

bool run_undo(const CommandCall& call) {
  const LastValue before = last_value(call.interpreter.state());
  const auto taken_back = call.interpreter.undo();
  if (!taken_back) return call.interpreter.complain("there is nothing to take back");
  call.out("taken back:" + taken_back_text(*taken_back));
  const LastValue now = last_value(call.interpreter.state());
  if (now == before) return true;
  call.out(now.type ? fmt::format("`_` is again the value before it: {}\n", *now.type) : "`_` has no value now\n");
  return true;
}

bool run_history(const CommandCall& call) {
  const std::vector<TypedInput>& inputs = call.interpreter.typed();
  std::size_t count = inputs.size();
  if (!call.argument.empty()) {
    const auto [end, error] = std::from_chars(call.argument.data(), call.argument.data() + call.argument.size(), count);
    if (error != std::errc{} || end != call.argument.data() + call.argument.size() || count == 0)
      return call.interpreter.complain(fmt::format(
          "`:history {}` is not a count\n  help: :history, or :history 10 for the last ten", call.argument));
  }
  for (std::size_t i = inputs.size() - std::min(count, inputs.size()); i < inputs.size(); ++i)
    call.out_as_it_is(typed_text(inputs[i]));
  return true;
}

bool run_set(const CommandCall& call) {
  Config config = call.interpreter.state().session.config();
  if (call.argument.empty()) {
    call.out(settings_text(config));
    return true;
  }
  const std::size_t blank = call.argument.find_first_of(" \t");
  const std::string_view name = call.argument.substr(0, blank);
  const std::size_t begin = call.argument.find_first_not_of(" \t", blank);
  const std::string_view value = begin == std::string_view::npos ? "" : call.argument.substr(begin);
  if (name == "gpu") return set_gpu(call, std::move(config), value);
  if (name == "memory") return set_memory(call, std::move(config), value);
  if (name == "reshard") return set_reshard(call, std::move(config), value);
  return call.interpreter.complain(fmt::format("there is no setting `{}`\n  help: :set lists the settings", name));
}

// The course has a session of its own for each lesson; the names here stay as they are.
bool run_learn(const CommandCall& call) {
  const Screen& screen = call.interpreter.screen();
  if (!screen.open_lesson)
    return call.interpreter.complain("the course is a conversation; `tessera learn --list` shows its lessons");
  screen.open_lesson(std::string(call.argument));
  return true;
}

bool run_quit(const CommandCall& call) {
  call.interpreter.leave();
  return true;
}

}  // namespace tessera::repl
