// What two passes report about one text, brought into the order of the text. Elaboration knows no layouts, so a message
// of its leaves a place for the type of a value, which is filled in when the value has its layout.
//
// Example: `a @ b` of shapes that do not fit is reported before a and b have layouts. The label of a is `type_of(a)`,
// and becomes `f32[8@x, 4]`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "typeck/open/open.hpp"

namespace tessera::typeck {

class Messages {
 public:
  // A value's type is asked for as it is printed at a moment.
  struct Asked {
    open::ValueId value;
    Moment moment = 0;
    std::optional<std::pair<open::Type, open::WrittenLayout>> written = {};  // in place of a value's
  };
  using TypeText = std::function<std::string(const Asked&)>;

  // `position` is how many nodes of the open program come before the fault. One mistake is reported once, however often
  // its place is looked at.
  void report(base::Diagnostic diagnostic, std::size_t position);
  bool failed() const { return failed_; }

  // Stands for the value's type in a message.
  std::string type_of(open::ValueId value, Moment moment);
  // Stands for a type that the text writes.
  std::string type_of(const open::Type& type, const open::WrittenLayout& layout, Moment moment);
  const std::vector<Asked>& asked() const { return asked_; }

  std::size_t size() const { return reports_.size(); }

  // What was reported until now, so that what comes after it can be forgotten: a loop's body may be closed again.
  struct Mark {
    std::size_t reports = 0;
    std::set<std::pair<base::Span, std::string_view>> seen;
    bool failed = false;
  };
  Mark mark() const { return {reports_.size(), seen_, failed_}; }
  void forget_since(Mark mark);

  // Says of all reports from the first on that they come from this call, or from a file that is used there; of a long
  // chain the innermost are named.
  void label_calls(std::size_t first, base::Span call, std::string_view text = "in this call");

  // All reports, in the order of the text, with the types that they mention.
  base::Diagnostics take(const TypeText& text);

 private:
  struct Report {
    base::Diagnostic diagnostic;
    std::size_t position = 0;
  };

  std::vector<Report> reports_;
  std::set<std::pair<base::Span, std::string_view>> seen_;
  std::vector<Asked> asked_;
  bool failed_ = false;
};

}  // namespace tessera::typeck
