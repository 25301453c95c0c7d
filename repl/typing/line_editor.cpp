#include "repl/typing/line_editor.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "repl/process/terminal.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/typing/edited_text.hpp"
#include "repl/typing/keys.hpp"
#include "repl/typing/recall.hpp"
#include "repl/typing/shape.hpp"
#include "repl/typing/terminal_bytes.hpp"

namespace tessera::repl {

namespace {

// More candidates are counted, not listed.
constexpr std::size_t kListedMax = 200;

// Words in columns, as wide as the terminal.
std::string in_columns(const std::vector<std::string>& words, int width) {
  int widest = 0;
  for (const std::string& word : words) widest = std::max(widest, columns(word) + 2);
  const auto in_a_row = static_cast<std::size_t>(std::max(1, width / widest));
  const std::size_t rows = (words.size() + in_a_row - 1) / in_a_row;
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = row; i < words.size(); i += rows)
      text += padded(words[i], i + rows < words.size() ? widest : 0);
    text += '\n';
  }
  return text;
}

std::string listed(const std::vector<std::string>& candidates) {
  return printable(candidates.size() <= kListedMax ? in_columns(candidates, terminal_columns())
                                                   : std::to_string(candidates.size()) + " words begin like this\n");
}

}  // namespace

struct LineEditor::Impl {
  Impl(int input, int interrupt, Completer complete, Painter paint)
      : completer(std::move(complete)),
        painter(std::move(paint)),
        bytes(input, interrupt, [this] { look_again(); }),
        view(write_to_terminal) {}

  Outcome next(const Typing& wanted, std::string& text) {
    const TypingMode typing_mode;
    mode = &typing_mode;
    typing = &wanted;
    edited = EditedText();
    recall.begin();
    view.begin();
    std::optional<Outcome> outcome;
    if (!given_back.empty()) {
      edited.insert(std::exchange(given_back, ""));
      if (!typing->is_complete || typing->is_complete(edited.text())) outcome = Outcome::text;
    }
    while (!outcome) {
      if (!bytes.has_more()) draw();
      outcome = take(next_key([this](int milliseconds) { return bytes.next(milliseconds); }));
    }
    if (*outcome == Outcome::text) view.leave(typed(), terminal_columns(), terminal_rows());
    mode = nullptr;
    text = edited.text();
    return *outcome;
  }

  Typed typed() const { return drawn_as(typing->prompt); }

  Typed drawn_as(std::function<std::string(std::size_t)> prompt) const {
    return {edited.text(), edited.cursor(), std::move(prompt), painter ? painter(edited.text()) : Inks(),
            painter ? Colour::yes : Colour::no};
  }

  void draw() { view.draw(typed(), terminal_columns(), terminal_rows()); }

  // The terminal has another size, or somebody else has had it.
  void look_again() {
    mode->resume();
    view.wrapped(typed(), terminal_columns());
    draw();
  }

  std::optional<Outcome> take(const Key& key) {
    if (key.stroke == Stroke::search) return search();
    return take_other(key);
  }

  // All but what ends the text is done at once.
  std::optional<Outcome> take_other(const Key& key) {
    switch (key.stroke) {
      case Stroke::input_ended: return edited.text().empty() ? Outcome::end : Outcome::text;
      case Stroke::interrupted: return Outcome::interrupted;
      case Stroke::enter: return enter();
      case Stroke::end_or_erase_right:
        if (edited.text().empty()) return Outcome::end;
        if (is_at_empty_end()) return Outcome::interrupted;  // as Ctrl-C: nobody is caught in an open bracket
        edited.erase(Motion::right);
        return std::nullopt;
      case Stroke::text: insert_typed(key.text); return std::nullopt;
      case Stroke::paste: edited.insert(without_prompts(key.text, typing->is_complete != nullptr)); return std::nullopt;
      case Stroke::new_line: edited.insert("\n"); return std::nullopt;
      case Stroke::complete: complete(); return std::nullopt;
      case Stroke::yank: edited.insert(erased); return std::nullopt;
      case Stroke::transpose: edited.transpose(); return std::nullopt;
      case Stroke::undo: edited.undo(); return std::nullopt;
      case Stroke::clear_screen: view.clear_screen(); return std::nullopt;
      case Stroke::up:
        if (!edited.move(Motion::up)) recall_earlier();
        return std::nullopt;
      case Stroke::down:
        if (!edited.move(Motion::down)) recall_later();
        return std::nullopt;
      case Stroke::earlier: recall_earlier(); return std::nullopt;
      case Stroke::later: recall_later(); return std::nullopt;
      case Stroke::left: edited.move(Motion::left); return std::nullopt;
      case Stroke::right: edited.move(Motion::right); return std::nullopt;
      case Stroke::word_left: edited.move(Motion::word_left); return std::nullopt;
      case Stroke::word_right: edited.move(Motion::word_right); return std::nullopt;
      case Stroke::line_begin: edited.move(Motion::line_begin); return std::nullopt;
      case Stroke::line_end: edited.move(Motion::line_end); return std::nullopt;
      case Stroke::erase_left: edited.erase(Motion::left); return std::nullopt;
      case Stroke::erase_right: edited.erase(Motion::right); return std::nullopt;
      case Stroke::erase_blank_word_left: erase(Motion::blank_word_left); return std::nullopt;
      case Stroke::erase_word_left: erase(Motion::word_left); return std::nullopt;
      case Stroke::erase_word_right: erase(Motion::word_right); return std::nullopt;
      case Stroke::erase_to_line_begin: erase(Motion::line_begin); return std::nullopt;
      case Stroke::erase_to_line_end: erase(Motion::line_end); return std::nullopt;
      case Stroke::search:
      case Stroke::abort:
      case Stroke::unknown: return std::nullopt;
    }
    return std::nullopt;
  }

  // Is the cursor on a last line that holds nothing?
  bool is_at_empty_end() const {
    const std::string& text = edited.text();
    const std::size_t last = text.find_last_not_of(' ');
    return edited.cursor() == text.size() && last != std::string::npos && text[last] == '\n';
  }

  // The next line is indented as the present one, or deeper behind an open bracket; not where lines come faster than
  // anybody types, which are indented already.
  std::optional<Outcome> enter() {
    if (!typing->is_complete || typing->is_complete(edited.text())) return Outcome::text;
    edited.insert("\n" + (bytes.has_more() ? "" : indentation_after(edited.before_cursor())));
    return std::nullopt;
  }

  void insert_typed(const std::string& text) {
    const std::size_t blanks = blanks_before_closing(edited.before_cursor(), text);
    for (std::size_t i = 0; i < blanks; ++i) edited.erase(Motion::left);
    edited.insert(text);
  }

  void erase(Motion motion) { erased = edited.erase(motion); }

  void recall_earlier() {
    if (auto text = recall.earlier(edited.text())) edited.set(std::move(*text));
  }
  void recall_later() {
    if (auto text = recall.later()) edited.set(std::move(*text));
  }

  void complete() {
    const std::string_view before = edited.before_cursor();
    const std::size_t line_begin = before.rfind('\n') + 1;
    if (before.substr(line_begin).find_first_not_of(' ') == std::string_view::npos && line_begin > 0)
      return edited.insert("  ");
    const Completion completion = typing->completer ? typing->completer(before) : completer(before);
    const std::string known = common_beginning(completion.candidates);
    const std::size_t typed_bytes = before.size() - completion.begin;
    if (known.size() > typed_bytes) return edited.insert(known.substr(typed_bytes));
    if (completion.candidates.size() < 2) return write_to_terminal("\a");
    view.leave(typed(), terminal_columns(), terminal_rows());
    write_to_terminal(listed(completion.candidates));
  }

  // Ctrl-R: what is typed now is looked for in the history; a key that does something else ends that, and does it.
  std::optional<Outcome> search() {
    const EditedText before = edited;
    std::string wanted;
    recall.begin();
    while (true) {
      const Typed shown =
          drawn_as([&](std::size_t line) { return line == 0 ? "search " + wanted + ": " : std::string(". "); });
      view.draw(shown, terminal_columns(), terminal_rows());
      const Key key = next_key([this](int milliseconds) { return bytes.next(milliseconds); });
      if (key.stroke == Stroke::abort) {
        edited = before;
        return std::nullopt;
      }
      if (key.stroke == Stroke::text) {
        wanted += key.text;
        recall.begin();
      } else if (key.stroke == Stroke::erase_left) {
        if (!wanted.empty()) wanted.pop_back();
        while (!wanted.empty() && (static_cast<unsigned char>(wanted.back()) & 0x80U) != 0) wanted.pop_back();
        recall.begin();
      } else if (key.stroke != Stroke::search) {
        return take_other(key);
      }
      if (auto found = recall.earlier_with(wanted)) edited.set(std::move(*found));
    }
  }

  Completer completer;
  Painter painter;
  TerminalBytes bytes;
  TypedView view;
  EditedText edited;
  Recall recall;
  std::string erased;
  std::string given_back;
  const Typing* typing = nullptr;  // of the text that is being typed
  const TypingMode* mode = nullptr;
};

LineEditor::LineEditor(int input, int interrupt, Completer completer, Painter painter)
    : impl_(std::make_unique<Impl>(input, interrupt, std::move(completer), std::move(painter))) {}
LineEditor::~LineEditor() = default;

LineEditor::Outcome LineEditor::next(const Typing& typing, std::string& text) { return impl_->next(typing, text); }

void LineEditor::give_back(std::string text) { impl_->given_back = std::move(text); }

void LineEditor::remember(std::string text) { impl_->recall.add(std::move(text)); }

}  // namespace tessera::repl
