// Text that knows where it may be broken into lines. A document is built from pieces, then laid out: a group stays on
// one line if it fits, else all its lines are broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace tessera::frontend {

using DocId = base::Id<struct DocTag>;

class Document {
 public:
  DocId text(std::string text);
  DocId whole_line(std::string text);  // text after which the line must end; breaks the groups around it
  DocId line();                        // a blank, or a line end where the group around it is broken
  DocId soft_line();                   // nothing, or a line end
  DocId hard_line();                   // always a line end; breaks the groups around it
  DocId fill_line();                   // a blank, or a line end where what follows, up to the next, does not fit
  DocId empty_line();                  // a line without anything on it, where a line has just ended
  // Put at the end of the line it comes to stand on, after two blanks; breaks the groups around it.
  DocId at_line_end(std::string text);

  DocId concat(std::vector<DocId> parts);
  DocId nest(DocId doc);  // lines inside are indented by two more blanks
  DocId group(DocId doc);
  // Stands behind a blank or, if that keeps it on one line, at the beginning of the next line, indented.
  DocId hanging(DocId doc);
  DocId unbroken(DocId doc);  // never broken into lines, unless a comment forces it

  // Does a line end stand inside in any case?
  bool breaks(DocId doc) const { return nodes_[doc.value].breaks; }

  std::string layout(DocId doc, std::size_t columns_max) const;

 private:
  enum class Kind : std::uint8_t {
    text,
    line,
    soft_line,
    hard_line,
    fill_line,
    empty_line,
    at_line_end,
    concat,
    nest,
    group,
    hanging
  };
  struct Node {
    Kind kind;
    std::string text;
    std::vector<DocId> parts;
    bool breaks = false;
  };
  class Layout;

  DocId add(Kind kind, std::string text, std::vector<DocId> parts, bool breaks);

  std::vector<Node> nodes_;
};

}  // namespace tessera::frontend
