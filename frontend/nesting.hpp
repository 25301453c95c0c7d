// How deep a statement is nested, measured on its tokens alone: brackets, operators, `as`, `with`, `if`, `loop`,
// fields and subscripts that are open at once. No tree built from the tokens is deeper, so nothing that walks one needs
// a limit of its own.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/token.hpp"

namespace tessera::frontend {

class NestingMeter {
 public:
  NestingMeter() : levels_(1) {}

  // Every token that is not a bracket. `end` stands for what ends a statement.
  void see(TokenKind kind);
  void open();
  void close(TokenKind opener);
  std::size_t depth() const { return depth_; }

 private:
  // Counts what is open directly inside one bracket, or outside of all.
  struct Level {
    std::size_t operators = 0;  // operators, `as`, `if`, fields and subscripts since the last separator
    std::size_t loops = 0;      // `loop`s that have not ended; a comma may stand inside their heads
    std::size_t bodies = 0;     // those of them that have come to their `for`
  };

  void add(std::size_t& counter);
  void drop(std::size_t& counter, std::size_t by);

  std::vector<Level> levels_;
  std::size_t depth_ = 0;
};

}  // namespace tessera::frontend
