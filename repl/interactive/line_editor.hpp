// Lines typed at a terminal, with editing, history and completion: the only door to libedit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "repl/interactive/completion.hpp"

namespace tessera::repl {

class LineEditor {
 public:
  using Completer = std::function<Completion(std::string_view before_cursor)>;

  // What makes the descriptor `interrupt` readable drops the line that is being typed.
  LineEditor(int interrupt, Completer completer);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  enum class Outcome { line, interrupted, end };
  // The next line, without its line end, goes into `line`.
  Outcome next(std::string_view prompt, std::string& line);
  // The line that the up arrow brings first.
  void remember(const std::string& line);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::repl
