// Texts that are typed at a terminal, of one line or several, with editing, colours, history and completion.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "repl/session/completion.hpp"
#include "repl/typing/typed_view.hpp"

namespace tessera::repl {

// How one text is typed.
struct Typing {
  std::function<std::string(std::size_t line)> prompt;  // of each of its lines, counted from 0
  // Enter ends a text that is complete, and begins another line in any other. None: a text has one line.
  std::function<bool(std::string_view text)> is_complete = {};
  // Gives what Tab offers; none: the editor's own completer does.
  std::function<Completion(std::string_view before_cursor)> completer = {};
};

class LineEditor {
 public:
  using Completer = std::function<Completion(std::string_view before_cursor)>;
  using Painter = std::function<Inks(std::string_view text)>;

  // Keys come from the descriptor `input`. The text that is being typed is dropped when the descriptor `interrupt`
  // becomes readable. Without a painter there are no colours.
  LineEditor(int input, int interrupt, Completer completer, Painter painter);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  enum class Outcome { text, interrupted, end };
  // The next text goes into `text`, without a line break at its end.
  Outcome next(const Typing& typing, std::string& text);
  // The text that the up arrow brings first.
  void remember(std::string text);
  // The next text begins with this one, and ends there if it is complete.
  void give_back(std::string text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::repl
