// tessera-bench: what things cost. A command for each kind of question.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/planner/planner_bench.hpp"
#include "bench/session/session_bench.hpp"

int main(int argc, char** argv) {
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

  CLI11_PARSE(app, argc, argv);
  return 0;
}
