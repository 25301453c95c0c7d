#include "repl/course/attempt.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "repl/course/values.hpp"
#include "repl/process/interrupt.hpp"
#include "repl/session/report.hpp"

namespace tessera::repl {

namespace {

bool declares_mesh_or_function(std::string_view statement) {
  const std::vector<std::string> words = words_of(statement);
  return !words.empty() && (words[0] == "mesh" || words[0] == "fn");
}

// The words of a statement but for where it binds them: `let b = b as [8]` uses the `b` before it.
std::vector<std::string> words_used_in(std::string_view statement, const std::vector<std::string>& bound) {
  std::vector<std::string> words = words_of(statement);
  for (const std::string& name : bound) {
    const auto binding = std::find(words.begin(), words.end(), name);
    if (binding != words.end()) words.erase(binding);
  }
  return words;
}

// The names that a lesson gives and its answers may not bind again: values, meshes and functions. A name that the
// lesson asks for has to be bound, and golf is played with arrays and meshes of the learner's own.
std::set<std::string, std::less<>> names_to_keep(const Lesson& lesson, const Session& given) {
  const auto is_golf = [](const Check& check) { return check.kind == CheckKind::golf; };
  if (std::any_of(lesson.checks.begin(), lesson.checks.end(), is_golf)) return {};
  std::set<std::string, std::less<>> names;
  for (const Binding& binding : given.names()) names.insert(binding.name);
  for (const NamedMesh& mesh : given.meshes()) names.insert(mesh.name);
  for (const std::string& function : given.functions()) names.insert(function);
  for (const std::string& name : asked_names(lesson)) names.erase(name);
  return names;
}

}  // namespace

Attempt::Attempt(const Lesson& lesson, Session session)
    : session_(std::move(session)), given_(names_to_keep(lesson, session_)) {}

std::optional<std::string> Attempt::rebound_name(const std::string& statement) const {
  Config silent = session_.config();
  silent.log = {};  // the statement's notes come as it runs
  const auto program = session_.fork(std::move(silent)).check(statement, "answer");
  if (!program) return std::nullopt;
  for (const Binding& binding : program->bindings()) {
    if (given_.contains(binding.name)) return binding.name;
  }
  for (const Declaration& declaration : program->declared()) {
    if (given_.contains(declaration.name)) return declaration.name;
  }
  return std::nullopt;
}

std::vector<std::string> names_let_in(std::string_view statement) {
  std::vector<std::string> words = words_of(statement.substr(0, statement.find_first_of("=:")));
  if (words.size() < 2 || words[0] != "let") return {};
  words.erase(words.begin());
  return words;
}

Result<RunReport> Attempt::add(const std::string& statement, const std::string& file, std::uint32_t line) {
  Session after = session_.fork();
  auto report = run_stoppable(after, statement, file, line);
  record(statement, report, std::move(after));
  return report;
}

void Attempt::record(const std::string& statement, const Result<RunReport>& report, Session after) {
  if (!report) {
    for (const std::string& name : names_let_in(statement)) refusals_[name] = report.diagnostics();
    return;
  }
  std::vector<std::string> bound;
  for (const Binding& binding : report->bindings) {
    if (binding.name == kLastValue) continue;
    bound.push_back(binding.name);
    refusals_.erase(binding.name);
  }
  Session before = std::exchange(session_, std::move(after));
  if (!bound.empty() || declares_mesh_or_function(statement))
    statements_.push_back({statement, std::move(bound), std::move(before)});
}

void Attempt::undo() {
  if (statements_.empty()) return;
  session_ = std::move(statements_.back().before);
  statements_.pop_back();
}

bool Attempt::binds(std::string_view name) const {
  return std::any_of(statements_.begin(), statements_.end(), [&](const Statement& statement) {
    return std::find(statement.bound.begin(), statement.bound.end(), name) != statement.bound.end();
  });
}

const Diagnostics* Attempt::refusal(const std::string& name) const {
  const auto found = refusals_.find(name);
  return found == refusals_.end() ? nullptr : &found->second;
}

bool Attempt::settles(const std::vector<std::string>& names) const {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return binds(name) || refusal(name) != nullptr; });
}

std::string Attempt::program(const std::vector<std::string>& names) const {
  std::set<std::string> wanted(names.begin(), names.end());
  std::vector<const Statement*> kept;
  for (auto statement = statements_.rbegin(); statement != statements_.rend(); ++statement) {
    const bool is_wanted = std::any_of(statement->bound.begin(), statement->bound.end(),
                                       [&](const std::string& name) { return wanted.count(name) > 0; });
    if (!is_wanted && !statement->bound.empty()) continue;
    for (const std::string& name : statement->bound) wanted.erase(name);
    for (std::string& word : words_used_in(statement->text, statement->bound)) wanted.insert(std::move(word));
    kept.push_back(&*statement);
  }
  std::string text;
  for (auto statement = kept.rbegin(); statement != kept.rend(); ++statement) text += (*statement)->text + "\n";
  return text;
}

}  // namespace tessera::repl
