#include "repl/typing/recall.hpp"

#include <utility>

namespace tessera::repl {

void Recall::add(std::string text) {
  if (texts_.empty() || texts_.back() != text) texts_.push_back(std::move(text));
  if (texts_.size() > kTextsMax) texts_.erase(texts_.begin());
  begin();
}

void Recall::begin() {
  at_ = texts_.size();
  present_.clear();
}

std::optional<std::string> Recall::earlier(const std::string& present) {
  if (at_ == 0) return std::nullopt;
  if (at_ == texts_.size()) present_ = present;
  return texts_[--at_];
}

std::optional<std::string> Recall::earlier_with(std::string_view words) {
  if (words.empty()) return std::nullopt;
  for (std::size_t i = at_; i > 0; --i) {
    if (texts_[i - 1].find(words) == std::string::npos) continue;
    at_ = i - 1;
    return texts_[at_];
  }
  return std::nullopt;
}

std::optional<std::string> Recall::later() {
  if (at_ >= texts_.size()) return std::nullopt;
  return ++at_ == texts_.size() ? std::exchange(present_, {}) : texts_[at_];
}

}  // namespace tessera::repl
