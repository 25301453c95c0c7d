// Rows of figures: a table for people, or a line of JSON for each row.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

class Report {
 public:
  // A column's name is its heading and its key in JSON: `copy_ms`, `over_copy`.
  Report(std::string about, std::vector<std::string> columns, bool json);
  // One figure for each column, in order; none if nothing was measured.
  void row(const std::string& name, const std::vector<std::optional<double>>& figures) const;

 private:
  std::string about_;
  std::vector<std::string> columns_;
  bool json_;
};

}  // namespace tessera::bench
