#include "repl/render/manual.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "repl/render/paint.hpp"
#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kHeading = "## ";

// The first line, its end included, taken off the text.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(line.size());
  return line;
}

// The code of a paragraph in bold, without its backticks. Code that goes over the end of a line is two pieces, because
// pagers forget colours there. A paragraph with an odd number of backticks stays as it is.
std::string bold_code(std::string_view paragraph) {
  if (std::count(paragraph.begin(), paragraph.end(), '`') % 2 != 0) return std::string(paragraph);
  std::string text;
  bool is_code = false;
  while (!paragraph.empty()) {
    const std::string_view part = paragraph.substr(0, paragraph.find_first_of("`\n"));
    text += painted(part, is_code ? Ink::bold : Ink::plain, Colour::yes);
    paragraph.remove_prefix(part.size());
    if (paragraph.empty()) break;
    if (paragraph.front() == '`') is_code = !is_code;
    if (paragraph.front() == '\n') text += '\n';
    paragraph.remove_prefix(1);
  }
  return text;
}

// Collects prose until a program, a heading or the end comes, so that whole paragraphs are filled.
class Manual {
 public:
  Manual(int width, Colour colour) : width_(width), colour_(colour) {}

  std::string of(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::string_view line = take_line(markdown);
      if (line.starts_with(kFence)) {
        begin_program(line);
        while (!markdown.empty() && !markdown.starts_with(kFence)) program_line(take_line(markdown));
        if (!markdown.empty()) take_line(markdown);
      } else if (line.starts_with(kHeading)) {
        end_prose();
        heading(line.substr(kHeading.size()));
      } else {
        prose_ += line;
      }
    }
    end_prose();
    return std::move(text_);
  }

 private:
  void begin_program(std::string_view fence) {
    const bool is_repaired = follows_error_ && prose_ == "\n" && fence == "```tessera\n";
    follows_error_ = fence.starts_with("```tessera error");
    end_prose();
    if (is_repaired) text_ += "Repaired:\n\n";
  }

  void program_line(std::string_view line) {
    if (line != "\n") text_ += "    ";
    text_ += line;
  }

  void heading(std::string_view line) {
    const std::string_view words = line.substr(0, line.find('\n'));
    text_ += painted(words, Ink::bold, colour_);
    text_ += line.substr(words.size());
  }

  void end_prose() {
    const std::string filled = wrapped_at_words(prose_, width_);
    prose_.clear();
    if (colour_ == Colour::no) {
      text_ += filled;
      return;
    }
    for (std::string_view rest = filled; !rest.empty();) {
      const std::string_view paragraph = rest.substr(0, std::min(rest.find("\n\n"), rest.size() - 1) + 1);
      text_ += bold_code(paragraph);
      rest.remove_prefix(paragraph.size());
    }
  }

  int width_;
  Colour colour_;
  std::string prose_;           // not yet in text_
  bool follows_error_ = false;  // the last program has an error
  std::string text_;
};

}  // namespace

std::string manual_text(std::string_view markdown, int width, Colour colour) {
  return Manual(width, colour).of(markdown);
}

}  // namespace tessera::repl
