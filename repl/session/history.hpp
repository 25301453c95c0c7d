// The texts that were typed in earlier sessions, kept in a file.
#pragma once

#include <string>
#include <vector>

namespace tessera::repl {

// A text file with the latest text last. The first line of each begins with no blank; its other lines begin with a tab.
// If there is no such file, or it cannot be written, nothing is kept and nothing is said: a session is no worse for it.
class SessionHistory {
 public:
  static constexpr std::size_t kTextsMax = 1000;

  // In $XDG_STATE_HOME/tessera/, else ~/.local/state/tessera/; nowhere if the environment names no home.
  static std::string usual_path();

  // An empty path keeps nothing.
  explicit SessionHistory(std::string path);

  // The texts that were there at the start, oldest first.
  const std::vector<std::string>& texts() const { return texts_; }
  // Blank texts, and those that repeat the one before, are not kept. Gives whether this one is.
  bool add(const std::string& text);

 private:
  void read();

  std::string path_;
  std::vector<std::string> texts_;
  std::string latest_;
};

}  // namespace tessera::repl
