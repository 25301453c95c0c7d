#include "frontend/nesting.hpp"

#include "base/check.hpp"

namespace tessera::frontend {

void NestingMeter::add(std::size_t& counter) {
  ++counter;
  ++depth_;
}

void NestingMeter::drop(std::size_t& counter, std::size_t by) {
  counter -= by;
  depth_ -= by;
}

void NestingMeter::see(TokenKind kind) {
  Level& level = levels_.back();
  const bool is_operator = is_binary(kind) || role(kind) == TokenRole::prefix;
  if (is_operator || kind == TokenKind::as || kind == TokenKind::with || kind == TokenKind::if_ ||
      kind == TokenKind::dot) {
    add(level.operators);
  } else if (kind == TokenKind::loop) {
    add(level.loops);
  } else if (kind == TokenKind::for_) {
    if (level.bodies < level.loops) ++level.bodies;
  } else if (kind == TokenKind::comma || kind == TokenKind::end) {
    drop(level.operators, level.operators);
  }
  if (kind == TokenKind::end) {
    drop(level.loops, level.loops);
    level.bodies = 0;
  }
}

void NestingMeter::open() {
  levels_.emplace_back();
  ++depth_;
}

void NestingMeter::close(TokenKind opener) {
  TESSERA_CHECK(levels_.size() > 1, "a bracket is closed that was not opened");
  Level& inner = levels_.back();
  drop(inner.operators, inner.operators);
  drop(inner.loops, inner.loops);
  levels_.pop_back();
  --depth_;
  Level& level = levels_.back();
  if (opener == TokenKind::left_square) add(level.operators);  // `a[0][0]` is one inside the other
  if (opener == TokenKind::left_brace && level.bodies > 0) {
    --level.bodies;
    drop(level.loops, 1);
  }
}

}  // namespace tessera::frontend
