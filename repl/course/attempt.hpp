// A learner's answer in the making: statements, tried as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/course/lesson.hpp"
#include "repl/process/console.hpp"
#include "repl/session/input.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// Longer answers are refused.
inline constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 16U;

class Attempt {
 public:
  // `session` has run what the lesson gives. An answer may not bind its names again: the checks compare with them.
  Attempt(const Lesson& lesson, Session session);

  // The first given name that a statement would bind again; nothing if it binds none, or cannot be read.
  std::optional<std::string> rebound_name(const std::string& statement) const;

  // Runs a statement, which must not bind a given name again. If it succeeds and declares something it belongs to the
  // answer; if it fails, it is remembered that the name it would have bound was refused.
  Result<RunReport> add(const std::string& statement, const std::string& file, std::uint32_t line);
  // The same for a statement that has been run: `after` is the session then, whatever came of it.
  void record(const std::string& statement, const Result<RunReport>& report, Session after);
  // Forgets the last statement that belongs to the answer.
  void undo();

  // Is every one of these names bound or refused?
  bool settles(const std::vector<std::string>& names) const;
  bool binds(std::string_view name) const;
  // Why the last `let NAME = ...` failed; nothing if it did not.
  const Diagnostics* refusal(const std::string& name) const;
  // The statements that these names are made of, in their order: other attempts, and names that were bound again later,
  // cost nothing. A statement is counted in if it binds a word that a later one uses.
  std::string program(const std::vector<std::string>& names) const;
  const Session& session() const { return session_; }

 private:
  struct Statement {
    std::string text;
    std::vector<std::string> bound;  // none: a mesh or a function
    Session before;
  };
  Session session_;
  std::set<std::string, std::less<>> given_;  // none in golf, where the learner chooses everything
  std::vector<Statement> statements_;
  std::map<std::string, Diagnostics> refusals_;
};

// The names `let` binds in a statement's text: `let a = ...`, `let (a, b) = ...`; none if it is no `let`.
std::vector<std::string> names_let_in(std::string_view statement);

}  // namespace tessera::repl
