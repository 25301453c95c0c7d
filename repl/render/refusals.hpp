// Why planners cannot plan a change, below the table of those that can.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::repl {

class Refusals {
 public:
  void add(std::string_view planner, std::string_view message);
  // `ring, smp, p2 cannot do this: the change is not just a sum`: a line for each reason, in the order in
  // which they were met.
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> planners_by_reason_;
};

}  // namespace tessera::repl
