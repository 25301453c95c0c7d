// Rows of things - statements, arguments, dimensions - laid out with the comments that stand among them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "frontend/comments.hpp"
#include "frontend/document.hpp"

namespace tessera::frontend {

// One thing of a row: where it was written, and how to print it.
struct Entry {
  base::Span span;
  std::function<DocId()> print;
};

enum class Spread : std::uint8_t {
  one_a_line,
  filled,    // as many on a line as fit
  together,  // all on one line, unless comments stand among them
};

class Rows {
 public:
  Rows(Document& doc, CommentShelf& comments) : doc_(doc), comments_(comments) {}

  // Statements, or the inside of a block, between two places of the text: one a line, at most one empty line kept
  // between two. Empty if there is nothing at all.
  std::vector<DocId> lines(const std::vector<Entry>& entries, std::uint32_t begin, std::uint32_t end);

  // `(a, b)` and the like: on one line if it fits.
  DocId bracketed(std::string open, const std::vector<Entry>& entries, std::string close, base::Span inside,
                  Spread spread = Spread::one_a_line);

  // `a, b` without brackets: broken after commas, where newlines do not count.
  DocId comma_separated(const std::vector<DocId>& items);

 private:
  // An entry with the comments that go with it. `before` and `moved` are printed above it, on lines of their own.
  struct Surrounded {
    std::vector<const Comment*> before;
    std::vector<const Comment*> moved;  // from its inside, where there was no place for them
    DocId doc;
    const Comment* after = nullptr;  // at the end of its line
  };
  Surrounded surround(const Entry& entry, std::uint32_t begin, std::uint32_t end);

  DocId end_of(Spread spread);
  DocId between(Spread spread);

  Document& doc_;
  CommentShelf& comments_;
};

}  // namespace tessera::frontend
