#include "repl/course/trial.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace tessera::repl {

namespace {

std::optional<Costs> costs_of_program(const Trial& trial, const std::string& text) {
  Session session = trial.start.fork();
  const auto program = session.check(text, "answer");
  if (!program) return std::nullopt;
  const auto report = session.run(*program);
  if (!report) return std::nullopt;
  Costs costs{program->redistributions(), program->parts_moved(), 0, 0};
  for (const StatementStatistics& statement : report->statistics) {
    costs.received_bytes += statement.received_bytes;
    costs.launches += statement.steps;
  }
  return costs;
}

}  // namespace

Verdict wrong(std::string reply) { return {Outcome::wrong, std::move(reply), {}}; }

Verdict unfit(const std::string& where, const std::string& why, int line) {
  return {Outcome::unfit, fmt::format("{}: {}\n", where, why), {}, line};
}

std::vector<std::string> bound_names(const Lesson& lesson, const Attempt& attempt) {
  std::vector<std::string> names;
  for (const std::string& name : asked_names(lesson)) {
    if (attempt.refusal(name) == nullptr) names.push_back(name);
  }
  return names;
}

Costs costs_of(const Trial& trial, const std::vector<std::string>& names) {
  if (auto costs = costs_of_program(trial, trial.attempt.program(names))) return std::move(*costs);
  // The statements' needs were told from their words alone; now the whole answer is known to run.
  auto all = costs_of_program(trial, trial.attempt.program(bound_names(trial.lesson, trial.attempt)));
  return all ? std::move(*all) : Costs{};
}

Result<Session> given_session(const Lesson& lesson) {
  Session session;
  const auto done = session.run(lesson.given, lesson.file, static_cast<std::uint32_t>(lesson.given_line));
  if (!done) return done.diagnostics();
  return session;
}

std::string name_is_given(const std::string& name) {
  return fmt::format("`{}` is given and cannot be bound again: the answer is compared with it. Use another name.",
                     name);
}

}  // namespace tessera::repl
