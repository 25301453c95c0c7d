#include "repl/render/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "repl/render/paint.hpp"
#include "repl/render/snippet.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kContractHelp = "least budget: ";
constexpr std::string_view kHelpBegins = "help: ";

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

class Renderer {
 public:
  Renderer(const Diagnostic& diagnostic, Colour colour) : diagnostic_(diagnostic), colour_(colour) {
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
    text_ += painted(kind, ink_of(diagnostic_.severity), colour_);
    text_ += painted(fmt::format(": {}", printable(diagnostic_.message)), Ink::bold, colour_) + '\n';
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
    const ShownLine line = show_line(labels);
    row(fmt::format("{}", labels.front()->place.line), line.text);
    for (const std::string& marks : draw_marks(line.marks, ink_of(diagnostic_.severity), colour_)) row("", marks);
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
      text_ += line;
    } else {
      text_ += "  " + (first ? painted(kHelpBegins, Ink::help, colour_) : std::string(kHelpBegins.size(), ' ')) +
               printable(line);
    }
    text_ += '\n';
  }

  const Diagnostic& diagnostic_;
  Colour colour_;
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

std::string render(const Diagnostic& diagnostic, Colour colour) { return Renderer(diagnostic, colour).run(); }

}  // namespace tessera::repl
