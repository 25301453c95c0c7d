#include "frontend/comments.hpp"

#include <algorithm>

namespace tessera::frontend {

namespace {

const std::vector<Comment>& no_comments() {
  static const std::vector<Comment> none;
  return none;
}

}  // namespace

CommentShelf::CommentShelf(const Ast& ast, const base::SourceMap* sources) : comments_(&no_comments()) {
  if (sources == nullptr || !ast.source.valid()) return;
  comments_ = &ast.comments;
  text_ = (*sources)[ast.source].text();
  taken_.assign(comments_->size(), false);
}

std::size_t CommentShelf::first_from(std::uint32_t begin) const {
  const auto before = [](const Comment& comment, std::uint32_t place) { return comment.span.begin < place; };
  const auto first = std::lower_bound(comments_->begin(), comments_->end(), begin, before);
  return static_cast<std::size_t>(first - comments_->begin());
}

std::vector<const Comment*> CommentShelf::take(std::uint32_t begin, std::uint32_t end) {
  std::vector<const Comment*> found;
  for (std::size_t i = first_from(begin); i < comments_->size() && (*comments_)[i].span.begin < end; ++i) {
    if (!taken_[i]) found.push_back(&(*comments_)[i]);
    taken_[i] = true;
  }
  return found;
}

const Comment* CommentShelf::take_same_line(std::uint32_t begin, std::uint32_t end) {
  const std::size_t i = first_from(begin);
  if (i == comments_->size() || (*comments_)[i].span.begin >= end || taken_[i]) return nullptr;
  const Comment& comment = (*comments_)[i];
  const auto between = text_.substr(begin, comment.span.begin - begin);
  if (between.find('\n') != std::string_view::npos) return nullptr;
  taken_[i] = true;
  return &comment;
}

bool CommentShelf::any(std::uint32_t begin, std::uint32_t end) const {
  for (std::size_t i = first_from(begin); i < comments_->size() && (*comments_)[i].span.begin < end; ++i) {
    if (!taken_[i]) return true;
  }
  return false;
}

bool CommentShelf::blank_between(std::uint32_t begin, std::uint32_t end) const {
  if (begin >= end || end > text_.size()) return false;
  const auto between = text_.substr(begin, end - begin);
  return std::count(between.begin(), between.end(), '\n') > 1;
}

std::uint32_t CommentShelf::find(char character, std::uint32_t begin, std::uint32_t end) const {
  for (std::uint32_t at = begin; at < end && at < text_.size(); ++at) {
    if (text_[at] == '#') at = static_cast<std::uint32_t>(std::min<std::size_t>(text_.find('\n', at), end));
    if (at < end && text_[at] == character) return at;
  }
  return end;
}

}  // namespace tessera::frontend
