#include "repl/line/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "repl/line/defines.hpp"
#include "repl/line/estimate_options.hpp"
#include "repl/line/gpu_options.hpp"
#include "repl/line/layout_options.hpp"
#include "repl/line/learn_options.hpp"
#include "repl/line/misuse.hpp"
#include "tessera/mpi.hpp"

namespace tessera::repl {

namespace {

constexpr const char* kAbout =
    "Tessera, an array language whose types say where every element lives.\n"
    "Without a command it opens a session: statements and commands from standard input, run one at a time on "
    "simulated\n"
    "devices; one that fails changes nothing. :help in the session lists its commands.";
constexpr const char* kExitStatuses =
    "Exit status: 0 done; 1 the program is wrong; 2 the command line is wrong; 3 a file, memory or a peer failed;\n"
    "4 a bug in Tessera. NO_COLOR is honoured.";
// All ranks that a command starts run on this machine. More is a slip of the finger, which would stop it.
int ranks_max() {
  constexpr int kAlways = 64;
  constexpr int kForEachCore = 16;
  return std::max(kAlways, kForEachCore * static_cast<int>(std::thread::hardware_concurrency()));
}
constexpr const char* kFile = "the script, or - for standard input";
constexpr const char* kMachine = "a machine model, as JSON";
constexpr const char* kToMesh = "the mesh of the target, if it is another: x:4 on 8:12";
constexpr const char* kPlace = "where the mesh lies on the machine: auto or a matrix, [[4,4],[1,4]]";

// The wishes of all commands while CLI11 fills them in.
struct Wishes {
  RunOptions run;
  std::vector<std::string> defines;
  std::string backend = "sim";
  std::string reshard = "silent";
  std::optional<std::string> ranks;
  GpuTexts run_gpu;
  GpuTexts session_gpu;
  GpuTexts worker_gpu;
  GpuOptions gpu;
  CheckOptions check;
  FormatOptions format;
  bool format_check = false;
  bool format_write = false;
  ExplainOptions explain;
  PlanOptions plan;
  std::string change;  // of plan and compare: `FROM -> TO`
  ConvertWishes convert;
  CompareOptions compare;
  MoveOptions move;
  PlaceOptions place;
  ChooseOptions choose;
  LearnWishes learn;
  DrawOptions draw;
  CalibrateOptions calibrate;
  EstimateWishes estimate;
  LanguageServerOptions language_server;
};

// Answers a request that this build or process cannot meet.
std::optional<Answer> not_here(const Wishes& wishes) {
  if (wishes.backend == "mpi" && Launch::ranks_by_launcher() == 1) {
    return misused("--backend mpi needs ranks, and this process has no launcher: mpirun -np N tessera run FILE");
  }
  return std::nullopt;
}

CLI::App* add_command(CLI::App& app, const char* name, const char* about) {
  CLI::App* command = app.add_subcommand(name, about);
  command->get_formatter()->column_width(34);
  return command;
}

void flag(CLI::App* command, const char* name, bool& target, const char* about) {
  command->add_flag(name, target, about)->disable_flag_override();
}

void add_place_option(CLI::App* command, std::string& target) {
  const auto is_place = [](const std::string& text) {
    return text == "auto" || text.starts_with('[') ? std::string() : "auto or a matrix is wanted, not `" + text + "`";
  };
  command->add_option("--place", target, kPlace)->type_name("PLACE")->check(CLI::Validator(is_place, ""));
}

void add_run(CLI::App& app, Wishes& wishes) {
  CLI::App* run = add_command(app, "run", "Run a script.");
  run->add_option("FILE", wishes.run.file, kFile)->type_name("")->required();
  run->add_option("--backend", wishes.backend, "where devices live: sim or, under mpirun, mpi")
      ->type_name("NAME")
      ->check(CLI::IsMember({"sim", "mpi"}).description(""));
  add_define_option(run, wishes.defines);
  run->add_option("--reshard", wishes.reshard,
                  "report steps that the checker inserts: silent (the default), warn or error")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"silent", "warn", "error"}).description(""));
  flag(run, "--stats", wishes.run.stats,
       "print to stderr the steps, bytes and seconds of each statement that communicated");
  run->add_option("--machine", wishes.run.machine_file, kMachine)->type_name("FILE");
  add_place_option(run, wishes.run.place);
  flag(run, "--throttle", wishes.run.throttle,
       "slow devices down as the machine file says; --stats then also prints the simulated time");
  run->add_option("--trace", wishes.run.trace_file, "write a timeline of every device's steps, for Perfetto")
      ->type_name("FILE");
  add_gpu_options(run, wishes.run_gpu);
}

void add_check(CLI::App& app, Wishes& wishes) {
  CLI::App* check = add_command(app, "check", "Check a script and print the type of every top-level `let`.");
  check->add_option("FILE", wishes.check.file, kFile)->type_name("")->required();
  check->add_option("--machine", wishes.check.machine_file, kMachine)->type_name("FILE");
  add_place_option(check, wishes.check.place);
  check
      ->add_option("--after", wishes.check.after,
                   fmt::format("print the program as a stage left it: {}", fmt::join(stages(), " or ")))
      ->type_name("STAGE")
      ->check(CLI::IsMember(stages()).description(""));
  flag(check, "--json", wishes.check.json, "types and diagnostics as JSON, one object a line");
}

void add_format(CLI::App& app, Wishes& wishes) {
  CLI::App* format = add_command(app, "fmt", "Print a script in the canonical layout.");
  format->add_option("FILE", wishes.format.file, kFile)->type_name("")->required();
  flag(format, "--check", wishes.format_check, "print nothing; exit 1 if the layout would change");
  flag(format, "--write", wishes.format_write, "rewrite the file instead of printing");
}

void add_explain(CLI::App& app, Wishes& wishes) {
  CLI::App* explain = add_command(app, "explain", "Explain an error or a word: tessera explain axis-used-twice.");
  explain
      ->add_option(
          "NAME", wishes.explain.name,
          "the name in brackets of an error, an operation, or a word of the language, the glossary or another system")
      ->type_name("")
      ->required();
}

void add_change_option(CLI::App* command, std::string& change) {
  command->add_option("CHANGE", change, "'FROM -> TO', in place of --from and --to")->type_name("");
}

void add_plan(CLI::App& app, Wishes& wishes) {
  CLI::App* plan = add_command(app, "plan", "Plan one redistribution.");
  PlanOptions& options = wishes.plan;
  plan->add_option("--mesh", options.mesh, "the devices: x:4,y:2")->type_name("MESH");
  plan->add_option("--to-mesh", options.to_mesh, kToMesh)->type_name("MESH");
  plan->add_option("--from", options.from, "the type that the array has: f32[16@y,16,16@x]")->type_name("TYPE");
  plan->add_option("--to", options.to, "the type that is wanted: f32[16,16@(x,y),16]")->type_name("TYPE");
  add_change_option(plan, wishes.change);
  plan->add_option("--planner", options.planner, fmt::format("{}", fmt::join(planner_names(), " ")))->type_name("NAME");
  flag(plan, "--collectives-only", options.collectives_only, "only named collectives, no general exchange");
  plan->add_option("--within", options.within, "the most bytes a device may use at any time: 64MiB")->type_name("SIZE");
  plan->add_option("--machine", options.machine_file, kMachine)->type_name("FILE");
  add_place_option(plan, options.place);
  flag(plan, "--json", options.json, "one JSON object in one line");
  flag(plan, "--sends", options.sends, "with --json: list every send, who sends which box to whom");
  plan->add_option("--batch", options.batch_file, "one plan for each line of FILE, a JSON object; prints JSON lines")
      ->type_name("FILE");
  plan->add_option("--verify", options.verify_file,
                   "replay the plans in FILE, JSON lines: print the cost of each, or its fault")
      ->type_name("FILE");
  add_foreign_ends(plan, options);
}

void add_compare(CLI::App& app, Wishes& wishes) {
  CLI::App* compare = add_command(app, "compare", "Plan one redistribution with every planner, side by side.");
  CompareOptions& options = wishes.compare;
  compare->add_option("--mesh", options.mesh, "the devices: x:4,y:2")->type_name("MESH")->required();
  compare->add_option("--to-mesh", options.to_mesh, kToMesh)->type_name("MESH");
  compare->add_option("--from", options.from, "the type that the array has")->type_name("TYPE");
  compare->add_option("--to", options.to, "the type that is wanted")->type_name("TYPE");
  add_change_option(compare, wishes.change);
  compare->add_option("--machine", options.machine_file, kMachine)->type_name("FILE");
  add_place_option(compare, options.place);
  flag(compare, "--json", options.json, "JSON objects, one planner a line");
}

void add_choose(CLI::App& app, Wishes& wishes) {
  CLI::App* choose =
      add_command(app, "choose", "Show the layouts that are chosen for each `auto fn` that a script calls.");
  ChooseOptions& options = wishes.choose;
  choose->add_option("FILE", options.file, kFile)->type_name("")->required();
  choose->add_option("--function", options.function, "of this function's calls alone")->type_name("F");
  choose->add_option("--machine", options.machine_file, kMachine)->type_name("FILE");
  add_define_option(choose, wishes.defines);
  add_place_option(choose, options.place);
  choose->add_option("--effort", options.effort, "sweeps of the search for a bound (60)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}).description(""));
  flag(choose, "--untied", options.untied, "lay out each call of a function by itself");
  flag(choose, "--closed", options.closed, "print the script with every layout written out, instead");
  flag(choose, "--json", options.json, "one JSON object for each list of arguments' types, in one line");
}

void add_place(CLI::App& app, Wishes& wishes) {
  CLI::App* place = add_command(app, "place", "Rank the placements of a script's mesh, or of any mesh, on a machine.");
  PlaceOptions& options = wishes.place;
  place->add_option("FILE", options.file, kFile)->type_name("");
  place->add_option("--mesh", options.mesh, "instead of FILE, a mesh: dp:16,tp:4")->type_name("MESH");
  const auto add_many = [&](const char* name, auto& target, const char* about, const char* type) {
    place->add_option(name, target, about)->type_name(type)->allow_extra_args(false);
  };
  add_many("--from", options.from, "with --mesh, the type that a change begins with; may be repeated", "TYPE");
  add_many("--to", options.to, "the type that it ends with; one for each --from", "TYPE");
  add_many("--times", options.times, "how often the change is made (1); one for each --from, or none", "N");
  place->add_option("--machine", options.machine_file, kMachine)->type_name("FILE");
  place->add_option("--top", options.best, "how many to list (8)")
      ->type_name("K")
      ->check(CLI::Range(1, 1000).description(""));
  flag(place, "--json", options.json, "one JSON object for each mesh, in one line");
}

void add_move(CLI::App& app, Wishes& wishes) {
  CLI::App* move = add_command(app, "move", "Plan, or do, the moves of several arrays between meshes as one.");
  MoveOptions& options = wishes.move;
  move->add_option("LIST", options.list, "a JSON object a line: name, mesh, to_mesh, from, to; or -")
      ->type_name("")
      ->required();
  move->add_option("--from", options.from, "where the arrays are, NAME.npy; or a .safetensors or .npz file")
      ->type_name("PATH");
  move->add_option("--to", options.to,
                   "where to write their tiles, NAME.devD.npy: all or none; or such a file, for whole arrays")
      ->type_name("PATH");
  move->add_option("--machine", options.machine_file, kMachine)->type_name("FILE");
  flag(move, "--json", options.json, "one JSON object in one line");
}

void add_calibrate(CLI::App& app, Wishes& wishes) {
  CLI::App* calibrate = add_command(app, "calibrate", "Measure the machine, and write a machine file.");
  CalibrateOptions& options = wishes.calibrate;
  calibrate->add_option("-o,--output", options.output, "the machine file, or - for standard output")
      ->type_name("FILE")
      ->required();
  calibrate->add_option("--ranks", options.ranks, "start so many MPI ranks and measure between them")
      ->type_name("N")
      ->check(CLI::Range(1, ranks_max()).description(""));
  calibrate->add_option("--devices", options.devices, "number of devices in the mesh (default: one per rank)")
      ->type_name("D")
      ->check(CLI::Range(1, 65536).description(""));
  flag(calibrate, "--throttle", options.throttle, "devices as run --throttle has them, each on a core of its own");
}

void add_draw(CLI::App& app, Wishes& wishes) {
  CLI::App* draw = add_command(app, "draw", "Draw a script's changes of layout, step by step, as an HTML page.");
  draw->add_option("FILE", wishes.draw.file, kFile)->type_name("")->required();
  draw->add_option("-o,--output", wishes.draw.output, "the page, or - for standard output")
      ->type_name("PAGE")
      ->required();
  draw->add_option("--machine", wishes.draw.machine_file, kMachine)->type_name("FILE");
}

void add_language_server(CLI::App& app, Wishes& wishes) {
  CLI::App* server =
      add_command(app, "lsp", "Serve an editor: the Language Server Protocol on standard input and output.");
  server->add_option("--machine", wishes.language_server.machine_file, kMachine)->type_name("FILE");
  flag(server, "--stdio", wishes.language_server.names_channel, "for clients that name the channel: there is no other");
}

void add_gpu(CLI::App& app, Wishes& wishes) {
  CLI::App* gpu = add_command(app, "gpu", "List the GPUs, and what programs need to run on them.");
  flag(gpu, "--json", wishes.gpu.json, "one JSON object in one line");
}

void add_session(CLI::App& app, Wishes& wishes) {
  app.add_option("--ranks", wishes.ranks, "run the session on N MPI ranks, started and stopped with it")
      ->type_name("N");
  add_gpu_options(&app, wishes.session_gpu);
  CLI::App* worker = app.add_subcommand("worker")->group("");  // what the session's launcher starts
  add_gpu_options(worker, wishes.worker_gpu);
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
  if (app.got_subcommand("calibrate")) return std::move(wishes.calibrate);
  if (app.got_subcommand("estimate")) {
    auto options = finished_estimate(wishes.estimate);
    if (!options.value) return misused(std::move(options.why));
    return std::move(*options.value);
  }
  if (app.got_subcommand("gpu")) return wishes.gpu;
  if (app.got_subcommand("lsp")) return std::move(wishes.language_server);
  return finished_session(wishes);
}

// CLI11 leaves an empty line for every group of hidden options.
std::string without_gaps(std::string text) {
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
  return text;
}

}  // namespace

Command parse_command_line(int argument_count, const char* const* arguments) {
  Wishes wishes;
  CLI::App app(kAbout, "tessera");
  app.footer(kExitStatuses);
  app.set_version_flag("--version", fmt::format("tessera {}", version()));
  app.require_subcommand(0, 1);
  add_run(app, wishes);
  add_check(app, wishes);
  add_format(app, wishes);
  add_explain(app, wishes);
  add_plan(app, wishes);
  add_convert(add_command(app, "convert", "Read a layout of JAX, XLA, Shardy, torch or Alpa, or write one."),
              wishes.convert);
  add_compare(app, wishes);
  add_move(app, wishes);
  add_place(app, wishes);
  add_choose(app, wishes);
  add_calibrate(app, wishes);
  add_learn(app, wishes.learn);
  add_draw(app, wishes);
  add_estimate(app, wishes.estimate);
  add_gpu(app, wishes);
  add_language_server(app, wishes);
  add_session(app, wishes);
  std::vector<std::string> words = with_gpu_lists(argument_count, arguments);
  words.erase(words.begin());
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Answer{without_gaps(app.help())};
  } catch (const CLI::CallForVersion& asked) {
    return Answer{fmt::format("{}\n", asked.what())};
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return finished(app, wishes);
}

}  // namespace tessera::repl
