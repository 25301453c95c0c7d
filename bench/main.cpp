// tessera-bench: what things cost. A command for each kind of question.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/choose/choose_bench.hpp"
#include "bench/estimate/estimate_bench.hpp"
#include "bench/kernels/kernels_bench.hpp"
#include "bench/planner/planner_bench.hpp"
#include "bench/programs/programs_bench.hpp"
#include "bench/redistribute/redistribute_bench.hpp"
#include "bench/reduce/reduce_bench.hpp"
#include "bench/session/session_bench.hpp"
#include "bench/startup/startup_bench.hpp"

namespace {

std::string beside(const char* program, const char* name) {
  return (std::filesystem::path(program).parent_path() / name).string();
}

void add_choose(CLI::App& app, tessera::bench::ChooseBench& choose, int& status) {
  auto* command = app.add_subcommand("choose", "the layouts of training steps, chosen, with their bounds");
  command->add_option("--only", choose.only, "programs whose name contains this text");
  command->add_flag("--json", choose.json, "a line of JSON for each program");
  command->add_flag("--measured", choose.measured,
                    "instead, steps by the clock of throttled devices beside layouts by hand");
  command->add_option("--iopddl", choose.problem, "instead, a problem of the IOPDDL contest, as JSON");
  command->add_option("--entries", choose.entries, "of its tables that the search may look at")->capture_default_str();
  command->callback([&] { status = tessera::bench::run(choose); });
}

void add_startup(CLI::App& app, tessera::bench::StartupBench& startup, int& status) {
  auto* command = app.add_subcommand("startup", "the executable from its start to its end");
  command->add_option("--tessera", startup.tessera, "the executable")->capture_default_str();
  command->add_option("--goes", startup.goes, "how often each command runs")->capture_default_str();
  command->add_flag("--json", startup.json, "a line of JSON for each command");
  command->callback([&] { status = tessera::bench::run(startup); });
}

void add_reduce(CLI::App& app, tessera::bench::ReduceBench& reduce) {
  auto* command = app.add_subcommand("reduce", "sums on machines of two levels beside the bound and others");
  command->add_flag("--json", reduce.json, "a line of JSON");
  command->callback([&] { tessera::bench::run(reduce); });
}

void add_programs(CLI::App& app, tessera::bench::ProgramsBench& programs, int& status) {
  auto* command = app.add_subcommand("programs", "whole programs on one device and on four, beside the same in Python");
  command->add_option("--goes", programs.goes, "the best of so many counts")->capture_default_str();
  command->add_option("--only", programs.only, "programs whose name contains this text");
  command->add_option("--against", programs.against, "measure the same with numpy or jax")
      ->check(CLI::IsMember({"numpy", "jax"}));
  command->add_option("--python", programs.python, "the Python that has it")->capture_default_str();
  command->add_flag("--first", programs.first, "instead, the first run of a process beside the runs after it")
      ->excludes("--against");
  command->add_flag("--json", programs.json, "a line of JSON for each program");
  command->callback([&] { status = tessera::bench::run(programs); });
}

void add_estimate(CLI::App& app, tessera::bench::EstimateBench& estimate, int& status) {
  auto* command = app.add_subcommand("estimate", "what programs would take beside what they take, after calibrating");
  command->add_option("--goes", estimate.goes, "the best of so many counts")->capture_default_str();
  command->add_option("--only", estimate.only, "programs whose name contains this text");
  command->add_flag("--json", estimate.json, "a line of JSON for each program, and one for all");
  command->callback([&] { status = tessera::bench::run(estimate); });
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  CLI::App app{"What things cost, measured here and now."};
  app.require_subcommand(1);

  tessera::bench::PlannerBench planner;
  auto* planner_command = app.add_subcommand("planner", "every planner on random changes of layout, beside the bounds");
  planner_command->add_option("--count", planner.count, "problems of each class")->capture_default_str();
  planner_command->add_option("--seed", planner.seed, "of the random problems")->capture_default_str();
  planner_command->add_option("--only", planner.only, "classes whose name contains this text");
  planner_command->add_option("--worst", planner.worst,
                              "instead of scores, so many of our plans furthest from the bound");
  planner_command->add_flag("--json", planner.json, "a line of JSON for each class and planner");
  planner_command->callback([&] { tessera::bench::run(planner); });

  auto* session_command = app.add_subcommand("session", "checking, planning and running through the public header");
  session_command->prefix_command();
  session_command->callback([&] { tessera::bench::run_session_benchmarks(argv[0], session_command->remaining()); });

  tessera::bench::ReduceBench reduce;
  add_reduce(app, reduce);

  tessera::bench::ChooseBench choose;
  add_choose(app, choose, status);

  tessera::bench::EstimateBench estimate;
  add_estimate(app, estimate, status);

  tessera::bench::RedistributeBench redistribute;
  auto* redistribute_command = app.add_subcommand(
      "redistribute", "changes of layout beside memcpy, a gather and, under mpirun, MPI's collectives");
  redistribute_command->add_option("--goes", redistribute.goes, "the best of so many counts")->capture_default_str();
  redistribute_command->add_option("--only", redistribute.only, "changes whose name contains this text");
  redistribute_command->add_flag("--json", redistribute.json, "a line of JSON for each change");
  redistribute_command->callback([&] { status = tessera::bench::run(redistribute); });

  tessera::bench::KernelsBench kernels;
  auto* kernels_command = app.add_subcommand("kernels", "statements beside what processor and memory allow");
  kernels_command->add_option("--goes", kernels.goes, "the best of so many counts")->capture_default_str();
  kernels_command->add_option("--only", kernels.only, "a sort of rows, such as move, or part of a statement");
  kernels_command->add_option("--against", kernels.against, "measure the same with numpy or jax")
      ->check(CLI::IsMember({"numpy", "jax"}));
  kernels_command->add_option("--python", kernels.python, "the Python that has it")->capture_default_str();
  kernels_command->add_option("--clock", kernels.clock, "the wall's, or the processor time of all cores")
      ->check(CLI::IsMember({"wall", "cpu"}))
      ->capture_default_str();
  kernels_command->add_flag("--json", kernels.json, "a line of JSON for each kernel");
  kernels_command->callback([&] { status = tessera::bench::run(kernels); });

  tessera::bench::ProgramsBench programs;
  add_programs(app, programs, status);

  tessera::bench::StartupBench startup;
  startup.tessera = beside(argv[0], "../tessera");
  add_startup(app, startup, status);

  CLI11_PARSE(app, argc, argv);
  return status;
}
