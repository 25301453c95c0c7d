#include "repl/render/picture.hpp"

#include <array>
#include <vector>

#include "repl/render/paint.hpp"

namespace tessera::repl {

namespace {

using Lines = std::vector<std::string_view>;

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// `   +----+---+`
bool is_border(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || line[begin] != '+' || line.back() != '+' || line.size() < begin + 2)
    return false;
  return line.find_first_not_of("+-", begin) == std::string_view::npos;
}

std::vector<std::size_t> corners_of(std::string_view border) {
  std::vector<std::size_t> corners;
  for (std::size_t at = 0; at < border.size(); ++at) {
    if (border[at] == '+') corners.push_back(at);
  }
  return corners;
}

bool has_bar(std::string_view line, std::size_t at) { return at < line.size() && line[at] == '|'; }

// Is the line between two borders with these corners?
bool is_inside(std::string_view line, const std::vector<std::size_t>& corners) {
  for (const std::size_t corner : corners) {
    if (!has_bar(line, corner)) return false;
  }
  return !corners.empty();
}

// The number of the first device that a cell's label names; its place in the row where it names none.
std::size_t first_device(std::string_view label, std::size_t otherwise) {
  std::size_t at = label.find("device");
  if (at == std::string_view::npos) return otherwise;
  at = label.find_first_of("0123456789", at);
  std::size_t number = 0;
  for (; at < label.size() && label[at] >= '0' && label[at] <= '9'; ++at) number = number * 10 + (label[at] - '0');
  return number;
}

// A border with the characters of a box; there is a line above or below at each corner or not.
std::string box_border(std::string_view border, std::string_view above, std::string_view below) {
  constexpr std::array<std::string_view, 16> kJoints = {" ", "╵", "╷", "│", "╴", "┘", "┐", "┤",
                                                        "╶", "└", "┌", "├", "─", "┴", "┬", "┼"};
  std::string result;
  for (std::size_t at = 0; at < border.size(); ++at) {
    if (border[at] == '-') result += "─";
    if (border[at] == ' ') result += ' ';
    if (border[at] != '+') continue;
    const std::size_t left = at > 0 && border[at - 1] != ' ' ? 4 : 0;
    const std::size_t right = at + 1 < border.size() ? 8 : 0;
    result += kJoints[(has_bar(above, at) ? 1U : 0U) + (has_bar(below, at) ? 2U : 0U) + left + right];
  }
  return result;
}

class Painter {
 public:
  Painter(Colour colour, bool boxes) : colour_(colour), boxes_(boxes) {}

  std::string paint(const Lines& lines) {
    std::string result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      result += line(lines[i], i > 0 ? lines[i - 1] : "", i + 1 < lines.size() ? lines[i + 1] : "") + "\n";
    }
    return result;
  }

 private:
  std::string line(std::string_view text, std::string_view above, std::string_view below) {
    if (is_border(text)) {
      corners_ = corners_of(text);
      devices_.clear();
      return boxes_ ? box_border(text, above, below) : std::string(text);
    }
    if (is_inside(text, corners_)) return inside(text);
    corners_.clear();
    return std::string(text);
  }

  // The first line inside of a border holds the labels.
  std::string inside(std::string_view text) {
    const std::string_view bar = boxes_ ? "│" : "|";
    const bool labels = devices_.empty();
    std::string result(text.substr(0, corners_[0]));
    for (std::size_t cell = 0; cell + 1 < corners_.size(); ++cell) {
      const std::string_view content = text.substr(corners_[cell] + 1, corners_[cell + 1] - corners_[cell] - 1);
      if (labels) devices_.push_back(first_device(content, cell));
      result += bar;
      result += painted(content, ink_of_device(devices_[cell]), colour_);
    }
    result += bar;
    result += text.substr(corners_.back() + 1);
    return result;
  }

  Colour colour_;
  bool boxes_;
  std::vector<std::size_t> corners_;  // of the border above
  std::vector<std::size_t> devices_;  // of the cells below it
};

}  // namespace

std::string paint_picture(std::string_view text, Colour colour, bool boxes) {
  if (colour == Colour::no && !boxes) return std::string(text);
  const bool ends = text.ends_with('\n');
  std::string result = Painter(colour, boxes).paint(split_lines(text));
  if (!ends && !result.empty()) result.pop_back();
  return result;
}

}  // namespace tessera::repl
