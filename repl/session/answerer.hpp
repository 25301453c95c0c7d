// An answerer takes the lines that are typed or piped and answers them on a Screen: an interpreter in this process, or
// interpreters on ranks (repl/ranks/front_end.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "repl/session/completion.hpp"
#include "repl/session/interpreter.hpp"
#include "repl/session/progress.hpp"

namespace tessera::repl {

class Answerer {
 public:
  Answerer() = default;
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;
  virtual ~Answerer() = default;

  // As Interpreter's.
  virtual void take(const std::string& line) = 0;
  virtual void end() = 0;
  virtual void forget() = 0;
  virtual Completion complete(std::string_view before_cursor) = 0;
  virtual bool in_statement() const = 0;
  // Nothing more will be answered: it was left, or lost.
  virtual bool left() const = 0;
  virtual bool any_failed() const = 0;
  // The reason why it can answer no more, if nobody left it.
  virtual std::optional<std::string> lost() const { return std::nullopt; }
};

// An interpreter, and the line that says how far a statement is.
class LocalAnswerer final : public Answerer {
 public:
  LocalAnswerer(Config config, const Screen& screen, std::string name, Ranks ranks = {});

  void take(const std::string& line) override;
  void end() override { interpreter_.end(); }
  void forget() override { interpreter_.forget(); }
  Completion complete(std::string_view before_cursor) override;
  bool in_statement() const override { return interpreter_.in_statement(); }
  bool left() const override { return interpreter_.left(); }
  bool any_failed() const override { return interpreter_.any_failed(); }

 private:
  Config with_progress(Config config, const Screen& screen);
  Screen after_progress(const Screen& screen);

  ProgressLine progress_;
  Interpreter interpreter_;
};

}  // namespace tessera::repl
