// The ranks that go through a session together, each with an interpreter of its own. A file, the time or an answer may
// differ from rank to rank: the first rank finds it out and tells the others, so that all do the same.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// Default-constructed: a single rank.
struct Ranks {
  bool is_first = true;
  // Returns what each rank gives, to all of them, in the order of the ranks.
  std::function<std::vector<std::string>(std::string mine)> share = [](const std::string& mine) {
    return std::vector<std::string>{mine};
  };
  // Called with every failure. If a rank is lost, it ends the session.
  std::function<void(const Diagnostics& why)> heed = [](const Diagnostics&) {};

  // Returns what the first rank finds, to all of them.
  std::string first_finds(const std::function<std::string()>& find) const {
    return share(is_first ? find() : std::string()).front();
  }
  bool first_says(const std::function<bool()>& says) const {
    return first_finds([&] { return std::string(says() ? "yes" : "no"); }) == "yes";
  }
  bool all_say(bool mine) const {
    const std::vector<std::string> all = share(mine ? "yes" : "no");
    return std::count(all.begin(), all.end(), "yes") == static_cast<std::ptrdiff_t>(all.size());
  }
};

}  // namespace tessera::repl
