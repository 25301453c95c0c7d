// Earlier texts that the arrows bring back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

class Recall {
 public:
  void add(std::string text);
  // A new text is typed.
  void begin();
  // The text before the one that was recalled last; `present` is what later() leads back to in the end. None: there is
  // no earlier one.
  std::optional<std::string> earlier(const std::string& present);
  // The next earlier one that holds the words.
  std::optional<std::string> earlier_with(std::string_view words);
  std::optional<std::string> later();

 private:
  static constexpr std::size_t kTextsMax = 1000;

  std::vector<std::string> texts_;  // oldest first
  std::size_t at_ = 0;              // texts_.size(): what is being typed
  std::string present_;
};

}  // namespace tessera::repl
