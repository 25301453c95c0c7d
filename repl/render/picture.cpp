#include "repl/render/picture.hpp"

#include <array>
#include <utility>
#include <vector>

#include "repl/render/paint.hpp"
#include "repl/render/text_cells.hpp"

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
  const std::size_t word = label.find("device");
  std::size_t at = label.find_first_of("0123456789", word == std::string_view::npos ? 0 : word);
  if (at == std::string_view::npos) return otherwise;
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

// The columns of a picture that stand side by side on a screen of `width`: [first, end) of its corners.
std::vector<std::pair<std::size_t, std::size_t>> column_groups(const std::vector<std::size_t>& corners,
                                                               std::size_t width) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  for (std::size_t first = 0; first + 1 < corners.size();) {
    std::size_t end = first + 1;
    while (end + 1 < corners.size() && corners[0] + corners[end + 1] - corners[first] < width) ++end;
    groups.emplace_back(first, end);
    first = end;
  }
  return groups;
}

std::string_view cut(std::string_view line, std::size_t begin, std::size_t end) {
  return begin >= line.size() ? "" : line.substr(begin, end - begin);
}

// Does a picture begin with this line, the labels of its columns, that is wider than the screen? Gives the line behind
// it; the line itself if not.
std::size_t wide_picture_end(const Lines& lines, std::size_t first, std::size_t width) {
  const bool is_wide = first + 1 < lines.size() && is_border(lines[first + 1]) && !is_border(lines[first]) &&
                       lines[first + 1].size() > width;
  if (!is_wide) return first;
  const std::vector<std::size_t> corners = corners_of(lines[first + 1]);
  std::size_t end = first + 1;
  while (end < lines.size() && (is_border(lines[end]) || is_inside(lines[end], corners))) ++end;
  return end;
}

// The lines of a picture, its heading before its first border, group after group.
void fold_picture(const Lines& lines, std::size_t first, std::size_t end, std::size_t width, std::string& result) {
  const std::vector<std::size_t> corners = corners_of(lines[first + 1]);
  for (const auto& [from, to] : column_groups(corners, width)) {
    for (std::size_t i = first; i < end; ++i) {
      std::string line(cut(lines[i], 0, corners[0]));
      line.resize(corners[0], ' ');
      line += cut(lines[i], corners[from], corners[to] + 1);
      result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  }
}

// What stands above a picture, `a: f32[4@x] on [x:2]`: no words of the paragraph before it.
bool is_heading(const Lines& lines, std::size_t at) {
  const auto is_border_at = [&](std::size_t i) { return i < lines.size() && is_border(lines[i]); };
  const std::string_view line = lines[at];
  if (line.empty() || line.front() == ' ' || line.find('|') != std::string_view::npos) return false;
  return is_border_at(at + 1) || (is_border_at(at + 2) && lines[at + 1].starts_with(' '));
}

// Folds the pictures that are too wide; the text between them is as `other` makes it.
template <class Other>
std::string with_folded_pictures(std::string_view text, int width, const Other& other) {
  const Lines lines = split_lines(text);
  std::string result;
  std::string between;
  for (std::size_t i = 0; i < lines.size();) {
    const std::size_t end = wide_picture_end(lines, i, static_cast<std::size_t>(width));
    if (is_heading(lines, i)) {
      result += other(std::exchange(between, ""));
      result += wrapped_at_words(lines[i++], width) + "\n";
      continue;
    }
    if (end == i) {
      between += lines[i++];
      between += "\n";
      continue;
    }
    result += other(std::exchange(between, ""));
    fold_picture(lines, i, end, static_cast<std::size_t>(width), result);
    i = end;
  }
  result += other(between);
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

}  // namespace

std::string fold_pictures(std::string_view text, int width) {
  return with_folded_pictures(text, width, [](std::string_view other) { return std::string(other); });
}

std::string wrapped_around_pictures(std::string_view text, int width) {
  return with_folded_pictures(text, width, [&](std::string_view other) { return wrapped_at_words(other, width); });
}

std::string paint_picture(std::string_view text, Colour colour, bool boxes) {
  if (colour == Colour::no && !boxes) return std::string(text);
  const bool ends = text.ends_with('\n');
  std::string result = Painter(colour, boxes).paint(split_lines(text));
  if (!ends && !result.empty()) result.pop_back();
  return result;
}

}  // namespace tessera::repl
