#include "repl/typing/highlight.hpp"

#include <algorithm>
#include <string>

#include "repl/letters.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

namespace {

class Highlighter {
 public:
  explicit Highlighter(std::string_view text) : text_(text), inks_(text.size(), Ink::plain) {}

  Inks take() {
    if (text_.starts_with(':')) paint(std::min(text_.find_first_of(" \n"), text_.size()), Ink::bold);
    while (at_ < text_.size()) step();
    return std::move(inks_);
  }

 private:
  void paint(std::size_t end, Ink ink) {
    std::fill(inks_.begin() + static_cast<std::ptrdiff_t>(at_), inks_.begin() + static_cast<std::ptrdiff_t>(end), ink);
    at_ = end;
  }

  void step() {
    const char c = text_[at_];
    if (c == '#') return paint(std::min(text_.find('\n', at_), text_.size()), Ink::comment);
    if (c == '"') return paint(string_end(), Ink::string);
    if (is_letter(c)) return word();
    if (c >= '0' && c <= '9') return paint(number_end(), Ink::plain);
    // `8@x`, `8@(x,y)`, `{+x,y}`, `{*x}`: commas and blanks between axes change nothing.
    const bool opens_pending = (c == '+' || c == '*') && at_ > 0 && text_[at_ - 1] == '{';
    const bool separates = c == ' ' || c == ',' || c == '.';
    if (c == '@') {
      axes_ = Axes::one;
    } else if (opens_pending || (c == '(' && axes_ == Axes::one)) {
      axes_ = Axes::list;
    } else if (!separates || axes_ != Axes::list) {
      axes_ = Axes::none;
    }
    ++at_;
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_in_word(text_[end])) ++end;
    const std::string word(text_.substr(at_, end - at_));
    const bool is_keyword = std::find(keywords().begin(), keywords().end(), word) != keywords().end();
    const bool is_pending_kind = (word == "max" || word == "min") && at_ > 0 && text_[at_ - 1] == '{';
    paint(end, is_keyword ? Ink::keyword : axes_ == Axes::none ? Ink::plain : Ink::axis);
    if (is_pending_kind) axes_ = Axes::list;
    if (axes_ == Axes::one) axes_ = Axes::none;
  }

  std::size_t number_end() const {
    std::size_t end = at_;
    while (end < text_.size() && (is_in_word(text_[end]) || text_[end] == '.')) ++end;
    return end;
  }

  std::size_t string_end() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  // Are names axes here?
  enum class Axes { none, one, list };

  std::string_view text_;
  Inks inks_;
  std::size_t at_ = 0;
  Axes axes_ = Axes::none;
};

}  // namespace

Inks inks_of(std::string_view text) { return Highlighter(text).take(); }

}  // namespace tessera::repl
