// The comments of a text while it is printed: each is taken exactly once, by the piece of text that is printed next to
// it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/source.hpp"
#include "frontend/ast.hpp"

namespace tessera::frontend {

class CommentShelf {
 public:
  // Without `sources` there are no comments and no blank lines.
  CommentShelf(const Ast& ast, const base::SourceMap* sources);

  // Takes those that begin in [begin, end).
  std::vector<const Comment*> take(std::uint32_t begin, std::uint32_t end);
  // Takes the one that stands after `begin` on the same line, before `end`.
  const Comment* take_same_line(std::uint32_t begin, std::uint32_t end);
  bool any(std::uint32_t begin, std::uint32_t end) const;

  // Is there an empty line between the two places?
  bool blank_between(std::uint32_t begin, std::uint32_t end) const;
  // The first place of the character between the two places, outside of comments; `end` if there is none.
  std::uint32_t find(char character, std::uint32_t begin, std::uint32_t end) const;
  std::uint32_t text_end() const { return static_cast<std::uint32_t>(text_.size()); }

 private:
  std::size_t first_from(std::uint32_t begin) const;

  const std::vector<Comment>* comments_ = nullptr;
  std::string_view text_;
  std::vector<bool> taken_;
};

}  // namespace tessera::frontend
