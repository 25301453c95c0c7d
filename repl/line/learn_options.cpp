#include "repl/line/learn_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "repl/line/misuse.hpp"

namespace tessera::repl {

void add_learn(CLI::App& app, LearnWishes& wishes) {
  CLI::App* learn = app.add_subcommand("learn", "A course in small lessons; goes on where it was left.");
  LearnOptions& options = wishes.options;
  learn->add_flag("--list", options.list, "list the lessons, and which are done")->disable_flag_override();
  learn->add_option("--lesson", options.lesson, "go to a lesson by its number, or take one from a file")
      ->type_name("LESSON");
  learn->add_option("--course", options.course, "instead of the built-in course, the lessons in a folder")
      ->type_name("DIR");
  learn->add_option("--check", wishes.check, "check the answer in FILE, without it the lesson's own; 0 right, 1 wrong")
      ->type_name("LESSON [FILE]")
      ->expected(1, 2);
  // Where other options stand between the two.
  learn->add_option("FILE", wishes.answer)->group("");
  learn
      ->add_option("--grade", options.grade,
                   "check the answers of a class: DIR/STUDENT/NUMBER.tess or, with --lesson, DIR/STUDENT.tess")
      ->type_name("DIR");
  learn->add_flag("--json", options.json, "with --grade: one JSON object for each answer, in one line")
      ->disable_flag_override();
  learn->add_option("--seconds", wishes.seconds, "how long --check, or --grade for each answer, may take (10)")
      ->type_name("N")
      ->check(CLI::Range(1, 86400).description(""));
  learn->add_option("--page", options.page, "write a lesson's handout as an HTML page")->type_name("LESSON");
  learn->add_option("-o,--output", options.output, "the page, or - for standard output")->type_name("PAGE");
  learn->add_flag("--reset", options.reset, "forget what was done")->disable_flag_override();
}

Command finished_learn(LearnWishes& wishes) {
  LearnOptions& learn = wishes.options;
  std::vector<std::string>& check = wishes.check;
  if (wishes.answer) {
    if (check.size() != 1) {
      return misused(
          fmt::format("`{}` was not expected here\n  help: a lesson is named by --lesson: tessera learn --lesson 5",
                      *wishes.answer));
    }
    check.push_back(*wishes.answer);
  }
  learn.seconds = wishes.seconds;
  if (!check.empty()) learn.check = LearnOptions::Answer{check[0], check.size() > 1 ? check[1] : ""};
  const int wished = (learn.list ? 1 : 0) + (learn.reset ? 1 : 0) + (learn.check ? 1 : 0) + (learn.page ? 1 : 0) +
                     (learn.lesson || learn.grade ? 1 : 0);
  if (wished > 1) return misused("--list, --lesson, --check, --grade, --page and --reset exclude each other");
  if (learn.json && !learn.grade) return misused("--json is for --grade");
  if (wishes.seconds != LearnOptions().seconds && !learn.check && !learn.grade)
    return misused("--seconds is for --check and --grade");
  if (learn.page && learn.output.empty()) return misused("--page needs a file for the page: -o PAGE");
  if (!learn.page && !learn.output.empty()) return misused("-o is for --page");
  return std::move(learn);
}

}  // namespace tessera::repl
