#include "repl/course/judge.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "repl/course/checks/checks.hpp"
#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

Verdict check_one(const Trial& trial, const Check& check) {
  switch (check.kind) {
    case CheckKind::numbers: return check_numbers(trial, check);
    case CheckKind::holds: return check_holds(trial, check);
    case CheckKind::cuts: return check_cuts(trial, check);
    case CheckKind::type: return check_type(trial, check);
    case CheckKind::plan: return check_plan(trial, check);
    case CheckKind::golf: return check_golf(trial, check);
    case CheckKind::error: return check_error(trial, check);
    case CheckKind::program: return check_program(trial, check);
  }
  return {};
}

// The names of a session with their types: what a statement may use.
std::string names_with_types(const Session& session) {
  std::string text = "There is:\n";
  for (const Binding& binding : session.names()) text += fmt::format("    {} : {}\n", binding.name, binding.type);
  return text;
}

// A name that was refused can only be the answer of a check for errors.
Verdict refused(const Lesson& lesson, const Attempt& attempt) {
  for (const std::string& name : asked_names(lesson)) {
    const Diagnostics* why = attempt.refusal(name);
    bool is_expected = false;
    for (const Check& check : lesson.checks) {
      is_expected = is_expected || (check.kind == CheckKind::error && check.value("name") == name);
    }
    if (why == nullptr || is_expected) continue;
    const std::string slug = why->empty() ? "" : why->front().slug;
    const std::string said = known_mistake(lesson, "error", [&](const std::string& value) { return value == slug; });
    const std::string what = attempt.binds(name) ? fmt::format("The last `let {} = ...` fails", name)
                                                 : fmt::format("`{}` is not there", name);
    return wrong(fmt::format("{}: {} (`tessera explain {}` has more).\n{}{}", what, message_of(*why), slug, said,
                             names_with_types(attempt.session())));
  }
  return {};
}

// The first name whose type the data for judging change; an answer could not be held against both.
std::optional<std::string> changed_type(const Session& given, const Session& start) {
  for (const Binding& before : given.names()) {
    for (const Binding& after : start.names()) {
      if (before.name == after.name && before.type != after.type) return before.name;
    }
  }
  return std::nullopt;
}

// The line that a mistake in the lesson's own program stands at.
int line_of(const Diagnostics& why, int otherwise) {
  const bool has_place = !why.empty() && !why.front().labels.empty();
  return has_place ? static_cast<int>(why.front().labels.front().place.line) : otherwise;
}

Verdict judged(const Lesson& lesson, const Attempt& attempt) {
  if (Verdict verdict = refused(lesson, attempt); verdict.outcome != Outcome::right) return verdict;
  auto given = given_session(lesson);
  if (!given)
    return unfit("== given", message_of(given.diagnostics()), line_of(given.diagnostics(), lesson.given_line));
  Session start = given->fork();
  const auto other_data =
      start.run(lesson.judged_with, lesson.file, static_cast<std::uint32_t>(lesson.judged_with_line));
  if (!other_data) {
    return unfit("== judged with", message_of(other_data.diagnostics()),
                 line_of(other_data.diagnostics(), lesson.judged_with_line));
  }
  if (const auto name = changed_type(*given, start)) {
    return unfit("== judged with", fmt::format("`{}` has another type than in `== given`", *name),
                 lesson.judged_with_line);
  }
  Trial trial{lesson, attempt, given->fork(), start.fork(), std::move(*given), std::move(start)};
  const std::string program = attempt.program(bound_names(lesson, attempt));
  const auto shown = trial.shown.run(program, "answer");
  if (!shown) return wrong(fmt::format("Run from the beginning, this fails: {}\n", message_of(shown.diagnostics())));
  const auto judged = trial.judged.run(program, "answer");
  if (!judged) {
    return wrong(fmt::format("With other elements in the arrays, this fails: {}\n", message_of(judged.diagnostics())));
  }
  Verdict all;
  for (const Check& check : lesson.checks) {
    Verdict one = check_one(trial, check);
    if (one.outcome == Outcome::unfit && one.line == 0) one.line = check.line;
    if (one.outcome != Outcome::right) return one;
    all.reply += one.reply;
    all.scores.insert(all.scores.end(), one.scores.begin(), one.scores.end());
  }
  return all;
}

}  // namespace

Verdict judge(const Lesson& lesson, const Attempt& attempt) {
  Verdict verdict = judged(lesson, attempt);
  if (verdict.outcome == Outcome::unfit)
    verdict.reply = fmt::format("the lesson cannot be checked: {}:{}: {}", lesson.file, verdict.line, verdict.reply);
  return verdict;
}

}  // namespace tessera::repl
