// Arrays with long names, `p.layer.w`, as the records that they are fields of: for texts in which a record stands for
// them. Of `p.w`, `p.b` and `x` these are `p`, {w: .., b: ..}, and `x`.
#pragma once

#include <string>
#include <vector>

namespace tessera::typeck {

struct Path {
  std::string names;  // `p.layer.w`
  std::string text;   // that stands for the array
};
struct Grouped {
  std::string name;
  std::string text;
};

// Paths that begin alike stand together, and are a record.
std::vector<Grouped> grouped(const std::vector<Path>& paths);
// What stands for the results of a function, several in parentheses. `names` are those of records' fields behind the
// number of the result, `2.w`; arrays have none.
std::string results_text(const std::vector<std::string>& names, const std::vector<std::string>& texts);

}  // namespace tessera::typeck
