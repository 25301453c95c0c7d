#include "repl/line/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "repl/line/defines.hpp"
#include "repl/line/estimate_options.hpp"
#include "repl/line/gpu_options.hpp"
#include "repl/line/layout_options.hpp"
#include "repl/line/learn_options.hpp"
#include "repl/line/misuse.hpp"
#include "repl/line/wishes.hpp"
#include "repl/process/terminal.hpp"
#include "repl/render/text_cells.hpp"
#include "tessera/mpi.hpp"

namespace tessera::repl {

namespace {

constexpr const char* kAbout =
    "Tessera, an array language whose types say where every element lives.\n"
    "Without a command it opens a session: statements and commands from standard\n"
    "input, run one at a time on simulated devices; one that fails changes nothing.\n"
    ":help in the session lists its commands, `tessera learn` is a course.";
constexpr std::size_t kHelpColumn = 26;  // where descriptions begin
constexpr const char* kExitStatuses =
    "Exit status: 0 done; 1 the program is wrong; 2 the command line is wrong;\n"
    "3 a file, memory or a peer failed; 4 a bug in Tessera. NO_COLOR is honoured.";

// Answers a request that this build or process cannot meet.
std::optional<Answer> not_here(const Wishes& wishes) {
  if (wishes.backend == "mpi" && Launch::ranks_by_launcher() == 1) {
    return misused("--backend mpi needs ranks, and this process has no launcher: mpirun -np N tessera run FILE");
  }
  return std::nullopt;
}

Command finished_session(const Wishes& wishes) {
  SessionOptions options;
  if (const auto wrong = finished_gpus(wishes.session_gpu, options.gpu)) return misused(*wrong);
  if (!wishes.ranks) return options;
  const std::string& text = *wishes.ranks;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.ranks);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (is_number && options.ranks >= 1 && options.ranks <= ranks_max()) return options;
  return misused(
      fmt::format("--ranks needs a number of processes from 1 to {} on this machine, not `{}`", ranks_max(), text));
}

Command finished_worker(const Wishes& wishes) {
  WorkerOptions options;
  if (const auto wrong = finished_gpus(wishes.worker_gpu, options.gpu)) return misused(*wrong);
  return options;
}

Command finished_choose(Wishes& wishes) {
  if (wishes.choose.closed && wishes.choose.json) return misused("--closed and --json exclude each other");
  if (auto wrong = read_defines(wishes.defines, wishes.choose.defines)) return std::move(*wrong);
  return std::move(wishes.choose);
}

Command finished_run(Wishes& wishes) {
  if (auto wrong = read_defines(wishes.defines, wishes.run.defines)) return std::move(*wrong);
  if (wishes.reshard == "warn") wishes.run.reshard = Reshard::warn;
  if (wishes.reshard == "error") wishes.run.reshard = Reshard::error;
  if (const auto wrong = finished_gpus(wishes.run_gpu, wishes.run.gpu)) return misused(*wrong);
  return std::move(wishes.run);
}

Command finished_calibrate(Wishes& wishes) {
  if (const auto wrong = finished_gpus(wishes.calibrate_gpu, wishes.calibrate.gpu)) return misused(*wrong);
  return std::move(wishes.calibrate);
}

Command finished_check(Wishes& wishes) {
  if (wishes.check.json && !wishes.check.after.empty()) return misused("--after and --json exclude each other");
  return std::move(wishes.check);
}

Command finished_format(Wishes& wishes) {
  if (wishes.format_check && wishes.format_write) return misused("--check and --write exclude each other");
  if (wishes.format_write && wishes.format.file == "-") return misused("--write needs a file, not standard input");
  if (wishes.format_check) wishes.format.action = FormatOptions::Action::check;
  if (wishes.format_write) wishes.format.action = FormatOptions::Action::write;
  return std::move(wishes.format);
}

// The types of `FROM -> TO`.
std::optional<std::pair<std::string, std::string>> ends_of(const std::string& change) {
  constexpr std::string_view kArrow = "->";
  const std::size_t at = change.find(kArrow);
  if (at == std::string::npos || change.find(kArrow, at + 1) != std::string::npos) return std::nullopt;
  return std::pair(change.substr(0, at), change.substr(at + kArrow.size()));
}

std::string no_change(std::string_view command, const std::string& change) {
  return fmt::format(
      "`{}` is no change of layout\n  help: tessera {} --mesh x:4,y:2 'f32[16@y,16,16@x] -> f32[16,16@(x,y),16]'",
      change, command);
}

Command finished_compare(Wishes& wishes) {
  CompareOptions& compare = wishes.compare;
  const bool has_ends = !compare.from.empty() || !compare.to.empty();
  if (!wishes.change.empty()) {
    const auto ends = ends_of(wishes.change);
    if (!ends) return misused(no_change("compare", wishes.change));
    if (has_ends) return misused("compare needs 'FROM -> TO', or --from and --to, not both");
    std::tie(compare.from, compare.to) = *ends;
  }
  if (compare.from.empty() || compare.to.empty()) return misused("compare needs --from and --to, or 'FROM -> TO'");
  return std::move(compare);
}

Command finished_plan(Wishes& wishes) {
  PlanOptions& plan = wishes.plan;
  if (!wishes.change.empty()) {
    const auto ends = ends_of(wishes.change);
    if (!ends) return misused(no_change("plan", wishes.change));
    if (plan.from || plan.to) return misused("plan needs 'FROM -> TO', or --from and --to, not both");
    std::tie(plan.from, plan.to) = *ends;
  }
  if (plan.verify_file) {
    const bool plans = plan.mesh || plan.to_mesh || plan.from || plan.to || plan.planner || plan.within ||
                       plan.collectives_only || plan.sends || plan.emit || !plan.place.empty();
    if (plans || plan.batch_file)
      return misused("--verify takes plans from its file, and beside it only --machine and --json");
    return std::move(plan);
  }
  if (plan.batch_file && (plan.mesh || plan.to_mesh || plan.from || plan.to)) {
    return misused("--batch takes --mesh, --to-mesh, --from and --to from the lines of its file");
  }
  if (plan.sends && !plan.json && !plan.batch_file) return misused("--sends is for --json");
  if (plan.emit && (plan.json || plan.batch_file))
    return misused("--emit writes one program, without --json and --batch");
  if (plan.foreign_from || plan.foreign_to) {
    if (const auto why = misused_ends(plan)) return misused(*why);
    return std::move(plan);
  }
  if (!plan.batch_file && !(plan.mesh && plan.from && plan.to)) {
    return misused("plan needs --mesh with --from and --to or 'FROM -> TO', or --batch FILE, or --verify FILE");
  }
  return std::move(plan);
}

Command finished_move(Wishes& wishes) {
  MoveOptions& move = wishes.move;
  if (move.from.empty() != move.to.empty()) return misused("move needs both --from and --to, or none to plan only");
  return std::move(move);
}

Command finished_place(Wishes& wishes) {
  PlaceOptions& place = wishes.place;
  if (!place.machine_file) return misused("place needs a machine: --machine FILE");
  if (place.file && (place.mesh || !place.from.empty() || !place.to.empty() || !place.times.empty()))
    return misused("place takes a script, or --mesh with --from and --to");
  if (!place.file && !(place.mesh && !place.from.empty())) {
    return misused("place needs a script, or --mesh with --from and --to");
  }
  const bool fit =
      place.from.size() == place.to.size() && (place.times.empty() || place.times.size() == place.from.size());
  if (!fit) return misused("each --from has one --to, and one --times or none has one");
  return std::move(place);
}

Command finished(const CLI::App& app, Wishes& wishes) {
  if (auto answer = not_here(wishes)) return *answer;
  if (wishes.ranks && !app.get_subcommands().empty())
    return misused("--ranks is for the session; a script runs on ranks with mpirun -np N tessera run FILE");
  if (!wishes.session_gpu.gpus.empty() && !app.get_subcommands().empty())
    return misused("--gpu stands behind the command: tessera run --gpu FILE");
  if (app.got_subcommand("worker")) return finished_worker(wishes);
  if (app.got_subcommand("run")) return finished_run(wishes);
  if (app.got_subcommand("check")) return finished_check(wishes);
  if (app.got_subcommand("fmt")) return finished_format(wishes);
  if (app.got_subcommand("explain")) return std::move(wishes.explain);
  if (app.got_subcommand("plan")) return finished_plan(wishes);
  if (app.got_subcommand("convert")) return finished_convert(wishes.convert);
  if (app.got_subcommand("compare")) return finished_compare(wishes);
  if (app.got_subcommand("move")) return finished_move(wishes);
  if (app.got_subcommand("place")) return finished_place(wishes);
  if (app.got_subcommand("choose")) return finished_choose(wishes);
  if (app.got_subcommand("learn")) return finished_learn(wishes.learn);
  if (app.got_subcommand("draw")) return std::move(wishes.draw);
  if (app.got_subcommand("calibrate")) return finished_calibrate(wishes);
  if (app.got_subcommand("estimate")) {
    auto options = finished_estimate(wishes.estimate);
    if (!options.value) return misused(std::move(options.why));
    return std::move(*options.value);
  }
  if (app.got_subcommand("gpu")) return wishes.gpu;
  if (app.got_subcommand("lsp")) return std::move(wishes.language_server);
  return finished_session(wishes);
}

// Help that fits the terminal. CLI11 leaves an empty line for every group of hidden options, and brackets for a hidden
// argument.
std::string help_text(const CLI::App& app) {
  std::string text = app.help();
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
  if (const std::size_t at = text.find(" []\n"); at != std::string::npos) text.erase(at, 3);
  return wrapped_at_words(text, terminal_columns());
}

}  // namespace

Command parse_command_line(int argument_count, const char* const* arguments) {
  Wishes wishes;
  CLI::App app(kAbout, "tessera");
  app.footer(kExitStatuses);
  app.get_formatter()->column_width(kHelpColumn);
  app.set_version_flag("--version", fmt::format("tessera {}", version()));
  app.require_subcommand(0, 1);
  add_commands(app, wishes);
  std::vector<std::string> words = with_gpu_lists(argument_count, arguments);
  words.erase(words.begin());
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Answer{help_text(app)};
  } catch (const CLI::CallForVersion& asked) {
    return Answer{fmt::format("{}\n", asked.what())};
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return finished(app, wishes);
}

}  // namespace tessera::repl
