#include "repl/line/wishes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "repl/line/defines.hpp"

namespace tessera::repl {

int ranks_max() {
  constexpr int kAlways = 64;
  constexpr int kForEachCore = 16;
  return std::max(kAlways, kForEachCore * static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

constexpr const char* kFile = "the script, or - for standard input";
constexpr const char* kMachine = "a machine model, as JSON";
constexpr const char* kToMesh = "the mesh of the target, if it is another: x:4 on 8:12";
constexpr const char* kPlace = "where the mesh lies on the machine: auto or a matrix, [[4,4],[1,4]]";

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
  CLI::App* run = app.add_subcommand("run", "Run a script.");
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
  CLI::App* check = app.add_subcommand("check", "Check a script and print the types of its names.");
  check->add_option("FILE", wishes.check.file, kFile)->type_name("")->required();
  check->add_option("--machine", wishes.check.machine_file, kMachine)->type_name("FILE");
  add_place_option(check, wishes.check.place);
  check
      ->add_option("--after", wishes.check.after,
                   fmt::format("print the program as a stage left it: {}", fmt::join(stages(), ", ")))
      ->type_name("STAGE")
      ->check(CLI::IsMember(stages()).description(""));
  flag(check, "--json", wishes.check.json, "types and diagnostics as JSON, one object a line");
}

void add_format(CLI::App& app, Wishes& wishes) {
  CLI::App* format = app.add_subcommand("fmt", "Print a script in the canonical layout.");
  format->add_option("FILE", wishes.format.file, kFile)->type_name("")->required();
  flag(format, "--check", wishes.format_check, "print nothing; exit 1 if the layout would change");
  flag(format, "--write", wishes.format_write, "rewrite the file instead of printing");
}

void add_explain(CLI::App& app, Wishes& wishes) {
  CLI::App* explain = app.add_subcommand("explain", "Explain an error, an operation or a word.");
  explain
      ->add_option(
          "NAME", wishes.explain.name,
          "the name in brackets of an error, an operation, a page, or a word of the language or of another system")
      ->type_name("")
      ->required();
}

void add_change_option(CLI::App* command, std::string& change) {
  command->add_option("CHANGE", change, "'FROM -> TO', in place of --from and --to")->type_name("");
}

void add_plan(CLI::App& app, Wishes& wishes) {
  CLI::App* plan = app.add_subcommand("plan", "Plan one redistribution.");
  PlanOptions& options = wishes.plan;
  plan->add_option("--mesh", options.mesh, "the devices: x:4,y:2")->type_name("MESH");
  plan->add_option("--to-mesh", options.to_mesh, kToMesh)->type_name("MESH");
  plan->add_option("--from", options.from, "the type that the array has: f32[16@y,16,16@x]")->type_name("TYPE");
  plan->add_option("--to", options.to, "the type that is wanted: f32[16,16@(x,y),16]")->type_name("TYPE");
  add_change_option(plan, wishes.change);
  plan->add_option("--planner", options.planner,
                   fmt::format("tessera, or another to compare with: {}", fmt::join(planner_names(), " ")))
      ->type_name("NAME");
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
  CLI::App* compare = app.add_subcommand("compare", "Plan one redistribution with every planner.");
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
  CLI::App* choose = app.add_subcommand("choose", "Show the layouts chosen for each `auto fn`.");
  ChooseOptions& options = wishes.choose;
  choose->add_option("FILE", options.file, kFile)->type_name("")->required();
  choose->add_option("--function", options.function, "only the calls of this function")->type_name("F");
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
  CLI::App* place = app.add_subcommand("place", "Rank the placements of a mesh on a machine.");
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
  CLI::App* move = app.add_subcommand("move", "Plan or do the moves of several arrays as one.");
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
  CLI::App* calibrate = app.add_subcommand("calibrate", "Measure the machine, and write a machine file.");
  CalibrateOptions& options = wishes.calibrate;
  calibrate->add_option("-o,--output", options.output, "the machine file, or - for standard output")
      ->type_name("FILE")
      ->required();
  calibrate->add_option("--ranks", options.ranks, "start so many MPI ranks and measure between them")
      ->type_name("N")
      ->check(CLI::Range(1, ranks_max()).description(""));
  calibrate
      ->add_option("--devices", options.devices, "number of devices in the mesh (default: one per rank, or per GPU)")
      ->type_name("D")
      ->check(CLI::Range(1, 65536).description(""));
  flag(calibrate, "--throttle", options.throttle,
       "measure devices slowed down as by run --throttle, each on its own core");
  add_gpu_list(calibrate, wishes.calibrate_gpu, "measure GPUs: all, or those of the list, 0,2");
}

void add_draw(CLI::App& app, Wishes& wishes) {
  CLI::App* draw = app.add_subcommand("draw", "Draw a script's changes of layout as an HTML page.");
  draw->add_option("FILE", wishes.draw.file, kFile)->type_name("")->required();
  draw->add_option("-o,--output", wishes.draw.output, "the page, or - for standard output")
      ->type_name("PAGE")
      ->required();
  draw->add_option("--machine", wishes.draw.machine_file, kMachine)->type_name("FILE");
}

void add_language_server(CLI::App& app, Wishes& wishes) {
  CLI::App* server = app.add_subcommand("lsp", "Serve an editor by the Language Server Protocol.");
  server->add_option("--machine", wishes.language_server.machine_file, kMachine)->type_name("FILE");
  flag(server, "--stdio", wishes.language_server.names_channel,
       "accepted because clients pass it; there is no other channel");
}

void add_gpu(CLI::App& app, Wishes& wishes) {
  CLI::App* gpu = app.add_subcommand("gpu", "List the GPUs, and what programs need to run on them.");
  flag(gpu, "--json", wishes.gpu.json, "one JSON object in one line");
  CLI::App* compile = gpu->add_subcommand(
      "compile", "Compile the kernels of scripts for GPUs that are not here: those then start without a delay.");
  compile->add_option("FILE", wishes.gpu.files, "the scripts, or - for standard input")->type_name("")->required();
  compile->add_option("--arch", wishes.gpu.architecture, "the architecture: sm_90 of an H100 or H200, sm_80 of an A100")
      ->type_name("NAME")
      ->required();
  compile->add_option("--products", wishes.gpu.products, "as run has it: ordered products have kernels of ours")
      ->type_name("HOW")
      ->check(CLI::IsMember({"blas", "ordered", "tf32"}).description(""));
}

void add_session(CLI::App& app, Wishes& wishes) {
  app.add_option("--ranks", wishes.ranks, "run the session on N MPI ranks, started and stopped with it")
      ->type_name("N");
  add_gpu_options(&app, wishes.session_gpu);
  CLI::App* worker = app.add_subcommand("worker")->group("");  // what the session's launcher starts
  add_gpu_options(worker, wishes.worker_gpu);
}

}  // namespace

void add_commands(CLI::App& app, Wishes& wishes) {
  add_run(app, wishes);
  add_check(app, wishes);
  add_format(app, wishes);
  add_explain(app, wishes);
  add_plan(app, wishes);
  add_convert(app.add_subcommand("convert", "Read or write a layout of JAX, XLA, torch and others."), wishes.convert);
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
}

}  // namespace tessera::repl
