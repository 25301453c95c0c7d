#include "repl/render/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <vector>

#include "repl/render/paint.hpp"
#include "repl/render/snippet.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kContractHelp = "least budget: ";
constexpr std::string_view kHelpBegins = "help: ";
constexpr int kGutterColumns = 5;  // beside the digits of a line's number
constexpr int kColumnsMin = 20;    // a narrower terminal breaks lines as it likes

// Labels of one line of one text.
using LineLabels = std::vector<const Label*>;

// By text, the primary label's first, then by line; in one line in the order they were given.
std::vector<LineLabels> by_line(const std::vector<Label>& labels) {
  const std::string& first = labels.front().place.file;
  LineLabels order;
  for (const Label& label : labels) order.push_back(&label);
  const auto key = [&](const Label* label) {
    const Place& place = label->place;
    return std::tuple(place.file != first, std::string_view(place.file), place.line);
  };
  std::stable_sort(order.begin(), order.end(), [&](const Label* a, const Label* b) { return key(a) < key(b); });
  std::vector<LineLabels> lines;
  for (const Label* label : order) {
    if (lines.empty() || key(lines.back().front()) != key(label)) lines.emplace_back();
    lines.back().push_back(label);
  }
  return lines;
}

std::string position(const Place& place) {
  return fmt::format("  {}:{}:{}\n", printable(place.file), place.line, place.column);
}

// The lines of a text that has so many columns; one line if there is no terminal.
std::vector<std::string> broken(const std::string& text, int columns) {
  std::vector<std::string> lines;
  std::istringstream in(columns > 0 ? wrapped_at_words(text, std::max(columns, kColumnsMin)) : text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Renderer {
 public:
  Renderer(const Diagnostic& diagnostic, Colour colour, int columns)
      : diagnostic_(diagnostic), colour_(colour), columns_(columns) {
    for (const Label& label : diagnostic.labels) {
      digits_ = std::max(digits_, static_cast<int>(fmt::formatted_size("{}", label.place.line)));
    }
  }

  std::string run() {
    header();
    if (!diagnostic_.labels.empty()) snippets();
    help();
    return std::move(text_);
  }

 private:
  void header() {
    const std::string kind = fmt::format("{}[{}]", name(diagnostic_.severity), diagnostic_.slug);
    const std::vector<std::string> lines = broken(kind + ": " + printable(diagnostic_.message), columns_);
    text_ += painted(kind, ink_of(diagnostic_.severity), colour_);
    text_ += painted(lines.front().substr(kind.size()), Ink::bold, colour_) + '\n';
    for (std::size_t i = 1; i < lines.size(); ++i) text_ += painted(lines[i], Ink::bold, colour_) + '\n';
  }

  void snippets() {
    text_ += position(diagnostic_.labels.front().place);
    const Place* last = nullptr;
    for (const LineLabels& labels : by_line(diagnostic_.labels)) {
      const Place& place = labels.front()->place;
      if (last != nullptr && place.file != last->file) {
        text_ += position(place);
      } else if (last != nullptr && place.line != last->line + 1) {
        text_ += painted(fmt::format("  {:>{}}", "...", digits_), Ink::gutter, colour_) + '\n';
      }
      snippet(labels);
      last = &place;
    }
  }

  void snippet(const LineLabels& labels) {
    const int left = columns_ == 0 ? 0 : std::max(kColumnsMin, columns_ - digits_ - kGutterColumns);
    const ShownLine line = show_line(labels, left);
    row(fmt::format("{}", labels.front()->place.line), line.text);
    for (const std::string& marks : draw_marks(line.marks, ink_of(diagnostic_.severity), colour_, left)) row("", marks);
  }

  void row(std::string_view number, std::string_view content) {
    text_ += painted(fmt::format("  {:>{}} |", number, digits_), Ink::gutter, colour_);
    if (!content.empty()) fmt::format_to(std::back_inserter(text_), " {}", content);
    text_ += '\n';
  }

  void help() {
    std::string_view rest = diagnostic_.help;
    bool first = true;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      help_line(line, first);
      first = false;
    }
  }

  void help_line(std::string_view line, bool first) {
    if (line.starts_with(kContractHelp)) {
      text_ += fmt::format("{}\n", line);
      return;
    }
    const int indentation = 2 + static_cast<int>(kHelpBegins.size());
    for (const std::string& part : broken(printable(line), columns_ == 0 ? 0 : columns_ - indentation)) {
      text_ += "  " + (first ? painted(kHelpBegins, Ink::help, colour_) : std::string(kHelpBegins.size(), ' ')) + part;
      text_ += '\n';
      first = false;
    }
  }

  const Diagnostic& diagnostic_;
  Colour colour_;
  int columns_;
  int digits_ = 2;
  std::string text_;
};

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "";
}

std::string render(const Diagnostic& diagnostic, Colour colour, int columns) {
  return Renderer(diagnostic, colour, columns).run();
}

std::string render_complaint(std::string_view message, int columns) {
  const std::string help_begins = fmt::format("  {}", kHelpBegins);
  std::string text;
  for (std::string_view rest = message; !rest.empty() || text.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const bool helps = line.starts_with(help_begins);
    const int indentation = helps ? static_cast<int>(help_begins.size()) : 0;
    const std::string whole = printable(helps ? line.substr(help_begins.size()) : line);
    std::string begin = helps ? help_begins : text.empty() ? "error: " : "";
    const auto parts = broken(helps ? whole : begin + whole, columns == 0 ? 0 : columns - indentation);
    if (!helps) begin.clear();
    for (const std::string& part : parts) {
      text += begin + part + "\n";
      begin.assign(static_cast<std::size_t>(indentation), ' ');
    }
    if (parts.empty()) text += begin + "\n";
  }
  return text;
}

}  // namespace tessera::repl
