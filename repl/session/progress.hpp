// A line on the terminal that says how far a long statement is.
#pragma once

#include <functional>
#include <string_view>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// Nothing is drawn in a statement's first second, and nothing more often than ten times a second.
class ProgressLine {
 public:
  // `draw` writes to the terminal at once; `clock` gives seconds.
  ProgressLine(std::function<void(std::string_view)> draw, std::function<double()> clock);

  void begin();
  void tell(const Progress& progress);
  // Takes the line off the terminal, before anything else is written there.
  void clear();

 private:
  std::function<void(std::string_view)> draw_;
  std::function<double()> clock_;
  double next_ = 0;
  bool drawn_ = false;
};

}  // namespace tessera::repl
