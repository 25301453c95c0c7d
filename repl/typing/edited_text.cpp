#include "repl/typing/edited_text.hpp"

#include <algorithm>
#include <utility>

#include "repl/letters.hpp"
#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

constexpr std::size_t kEarlierMax = 200;

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

// The byte behind the code point that begins there.
std::size_t code_point_end(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && !begins_character(text[at])) ++at;
  return at;
}

bool is_mark(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] != '\n' && columns(text.substr(at, code_point_end(text, at) - at)) == 0;
}

std::size_t character_end(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  at = code_point_end(text, at);
  while (is_mark(text, at)) at = code_point_end(text, at);
  return at;
}

std::size_t character_begin(std::string_view text, std::size_t at) {
  while (at > 0) {
    --at;
    if (begins_character(text[at]) && !is_mark(text, at)) break;
  }
  return at;
}

std::size_t word_begin(std::string_view text, std::size_t at) {
  while (at > 0 && !is_in_word(text[at - 1])) --at;
  while (at > 0 && is_in_word(text[at - 1])) --at;
  return at;
}

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_in_word(text[at])) ++at;
  while (at < text.size() && is_in_word(text[at])) ++at;
  return at;
}

std::size_t blank_word_begin(std::string_view text, std::size_t at) {
  const auto is_blank = [&](std::size_t i) { return text[i] == ' ' || text[i] == '\n' || text[i] == '\t'; };
  while (at > 0 && is_blank(at - 1)) --at;
  while (at > 0 && !is_blank(at - 1)) --at;
  return at;
}

}  // namespace

void EditedText::set(std::string text) {
  remember(false);
  text_ = std::move(text);
  cursor_ = text_.size();
}

void EditedText::insert(std::string_view what) {
  remember(true);
  text_.insert(cursor_, what);
  cursor_ += what.size();
}

bool EditedText::move(Motion motion) {
  inserting_ = false;
  return std::exchange(cursor_, target(motion)) != cursor_;
}

std::string EditedText::erase(Motion motion) {
  const std::size_t to = target(motion);
  const std::size_t begin = std::min(cursor_, to);
  const std::size_t size = std::max(cursor_, to) - begin;
  if (size == 0) return "";
  remember(false);
  std::string erased = text_.substr(begin, size);
  text_.erase(begin, size);
  cursor_ = begin;
  return erased;
}

void EditedText::transpose() {
  const std::size_t middle = cursor_ == line_end(cursor_) ? character_begin(text_, cursor_) : cursor_;
  if (middle <= line_begin(cursor_)) return;
  remember(false);
  const std::size_t begin = character_begin(text_, middle);
  const std::size_t end = character_end(text_, middle);
  text_ = text_.substr(0, begin) + text_.substr(middle, end - middle) + text_.substr(begin, middle - begin) +
          text_.substr(end);
  cursor_ = end;
}

void EditedText::undo() {
  if (earlier_.empty()) return;
  text_ = std::move(earlier_.back().text);
  cursor_ = earlier_.back().cursor;
  earlier_.pop_back();
  inserting_ = false;
}

std::size_t EditedText::target(Motion motion) const {
  const std::size_t begin = line_begin(cursor_);
  const std::size_t end = line_end(cursor_);
  const auto column = [&] { return columns(std::string_view(text_).substr(begin, cursor_ - begin)); };
  switch (motion) {
    case Motion::left: return character_begin(text_, cursor_);
    case Motion::right: return character_end(text_, cursor_);
    case Motion::word_left: return word_begin(text_, cursor_);
    case Motion::word_right: return word_end(text_, cursor_);
    case Motion::blank_word_left: return blank_word_begin(text_, cursor_);
    case Motion::line_begin: return begin;
    case Motion::line_end: return end;
    case Motion::up: return begin == 0 ? cursor_ : in_column(line_begin(begin - 1), column());
    case Motion::down: return end == text_.size() ? cursor_ : in_column(end + 1, column());
  }
  return cursor_;
}

std::size_t EditedText::line_begin(std::size_t at) const {
  const std::size_t newline = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

std::size_t EditedText::line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

std::size_t EditedText::in_column(std::size_t begin, int column) const {
  const std::size_t end = line_end(begin);
  std::size_t at = begin;
  for (int passed = 0; at < end && passed < column;) {
    const std::size_t next = character_end(text_, at);
    passed += columns(std::string_view(text_).substr(at, next - at));
    at = next;
  }
  return std::min(at, end);
}

void EditedText::remember(bool is_insertion) {
  if (!std::exchange(inserting_, is_insertion) || !is_insertion) earlier_.push_back({text_, cursor_});
  if (earlier_.size() > kEarlierMax) earlier_.erase(earlier_.begin());
}

}  // namespace tessera::repl
