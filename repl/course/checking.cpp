#include "repl/course/checking.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "repl/course/attempt.hpp"
#include "repl/course/judge.hpp"
#include "repl/process/terminal.hpp"
#include "repl/process/work_apart.hpp"
#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

namespace {

using nlohmann::json;

std::string drawn_diagnostics(const Diagnostics& diagnostics) {
  const Colour colour = takes_colour(STDERR_FILENO) ? Colour::yes : Colour::no;
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic, colour);
  return text;
}

Checked as_checked(const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::right: return {Checked::How::right, verdict.reply, {}, verdict.scores};
    case Outcome::wrong: return {Checked::How::wrong, verdict.reply, {}, verdict.scores};
    case Outcome::unfit: return {Checked::How::unfit, verdict.reply, {}, {}};
  }
  return {};
}

// A statement's mistake on one line: `FILE:LINE:COLUMN: MESSAGE; HELP`.
std::string on_one_line(const Diagnostic& mistake) {
  std::string text;
  if (!mistake.labels.empty()) {
    const Place& place = mistake.labels.front().place;
    text = fmt::format("{}:{}:{}: ", place.file, place.line, place.column);
  }
  text += mistake.message;
  if (!mistake.help.empty()) text += "; " + mistake.help;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Runs the statements of an answer up to one that binds a given name again, whose name it gives. A mistake in a
// statement is reported in `said` unless a check expects it.
std::optional<std::string> run_answer(const Lesson& lesson, const Text& answer, Attempt& attempt, std::string& said,
                                      std::string& first_mistake) {
  for (const StatementText& statement : statements_of(answer.text)) {
    if (auto given = attempt.rebound_name(statement.text)) return given;
    const auto report = attempt.add(statement.text, answer.name, statement.line);
    if (report) continue;
    const std::vector<std::string> names = names_let_in(statement.text);
    const bool is_expected = std::any_of(lesson.checks.begin(), lesson.checks.end(), [&](const Check& check) {
      return check.kind == CheckKind::error &&
             std::find(names.begin(), names.end(), check.value("name")) != names.end();
    });
    if (is_expected) continue;
    said += drawn_diagnostics(report.diagnostics());
    if (first_mistake.empty()) first_mistake = on_one_line(report.diagnostics().front());
  }
  return std::nullopt;
}

// Does the answer bind the name to a text in quotes?
bool is_text(const std::string& name, const Text& answer) {
  const std::vector<StatementText> statements = statements_of(answer.text);
  return std::any_of(statements.begin(), statements.end(), [&](const StatementText& statement) {
    const std::vector<std::string> names = names_let_in(statement.text);
    return std::find(names.begin(), names.end(), name) != names.end() && statement.text.find('"') != std::string::npos;
  });
}

Checked check_here(const Lesson& lesson, const Text& answer) {
  auto session = given_session(lesson);
  if (!session)
    return {Checked::How::unfit, "the lesson's given program does not run\n", drawn_diagnostics(session.diagnostics())};
  Attempt attempt(lesson, std::move(*session));
  std::string said;
  const auto finished = [&](const Verdict& verdict) {
    Checked checked = as_checked(verdict);
    checked.said = said;
    return checked;
  };
  std::string first_mistake;
  if (const auto given = run_answer(lesson, answer, attempt, said, first_mistake))
    return finished(wrong(name_is_given(*given) + "\n"));
  for (const std::string& asked : asked_names(lesson)) {
    if (attempt.settles({asked})) continue;
    if (!first_mistake.empty()) return finished(wrong(first_mistake + "\n"));
    if (is_text(asked, answer))
      return finished(wrong(fmt::format("`{}` is a text: write it without quotes.\n", asked)));
    return finished(wrong(fmt::format("The answer does not bind `{0}`: it needs `let {0} = ...`.\n", asked)));
  }
  return finished(judge(lesson, attempt));
}

std::string to_text(const Checked& checked) {
  json scores = json::array();
  for (const ScoreLine& line : checked.scores) scores.push_back({line.name, line.own, line.par});
  return json({static_cast<int>(checked.how), checked.reply, checked.said, scores})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Checked> from_text(const std::string& text) {
  const json read = json::parse(text, nullptr, false);
  if (!read.is_array() || read.size() != 4) return std::nullopt;
  Checked checked{static_cast<Checked::How>(read[0].get<int>()), read[1], read[2], {}};
  for (const json& line : read[3]) checked.scores.push_back({line[0], line[1], line[2]});
  return checked;
}

}  // namespace

std::string_view name(Checked::How how) {
  switch (how) {
    case Checked::How::right: return "right";
    case Checked::How::wrong: return "wrong";
    case Checked::How::stopped: return "stopped";
    case Checked::How::unfit: return "not checked";
  }
  return "";
}

Checked check_answer(const Lesson& lesson, const Text& answer, int seconds) {
  if (answer.text.size() > kAnswerBytesMax)
    return {Checked::How::unfit, answer.name + " is no answer: it is longer than 64 KiB\n", ""};
  std::string told;
  const EndOfWork end =
      work_apart(std::chrono::seconds(seconds), [&] { return to_text(check_here(lesson, answer)); }, told);
  switch (end.how) {
    case EndOfWork::How::finished:
      if (auto checked = from_text(told)) return std::move(*checked);
      return {Checked::How::unfit, answer.name + " could not be checked: its process ended\n", ""};
    case EndOfWork::How::too_slow:
      return {
          Checked::How::stopped,
          fmt::format("The answer was stopped after {} s: does a loop in it take too many rounds? More time is given "
                      "with --seconds.\n",
                      seconds),
          ""};
    case EndOfWork::How::killed:
      return {Checked::How::unfit, fmt::format("{} ended its check by signal {}\n", answer.name, end.signal), ""};
  }
  return {};
}

}  // namespace tessera::repl
