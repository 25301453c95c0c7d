#include "repl/interactive/line_editor.hpp"

#include <histedit.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cwchar>

#include "repl/render/text_cells.hpp"
#include "repl/terminal.hpp"

namespace tessera::repl {

namespace {

constexpr int kRemembered = 1000;
// More candidates are counted, not listed.
constexpr std::size_t kListedMax = 200;
constexpr wchar_t kReplacement = L'\uFFFD';

struct KeyBinding {
  const char* key;
  const char* function;
};
// What people expect of keys, where libedit has something else or nothing.
constexpr std::array kBindings = {
    KeyBinding{"\\t", "tessera-complete"},   KeyBinding{"^R", "em-inc-search-prev"},
    KeyBinding{"^W", "ed-delete-prev-word"}, KeyBinding{"\\e[3~", "ed-delete-next-char"},
    KeyBinding{"\\e[1~", "ed-move-to-beg"},  KeyBinding{"\\e[4~", "ed-move-to-end"},
    KeyBinding{"\\e[H", "ed-move-to-beg"},   KeyBinding{"\\e[F", "ed-move-to-end"},
    KeyBinding{"\\e[1;5C", "em-next-word"},  KeyBinding{"\\e[1;5D", "ed-prev-word"},
};

// While an object lives, a signal that ends nothing ends waiting: the terminal has another size, or is ours again.
class SignalsSeen {
 public:
  SignalsSeen() {
    struct sigaction seen = {};
    seen.sa_handler = [](int) {};
    sigemptyset(&seen.sa_mask);
    sigaction(SIGWINCH, &seen, &resized_before_);
    sigaction(SIGCONT, &seen, &continued_before_);
  }
  SignalsSeen(const SignalsSeen&) = delete;
  SignalsSeen& operator=(const SignalsSeen&) = delete;
  ~SignalsSeen() {
    sigaction(SIGWINCH, &resized_before_, nullptr);
    sigaction(SIGCONT, &continued_before_, nullptr);
  }

 private:
  struct sigaction resized_before_;
  struct sigaction continued_before_;
};

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

}  // namespace

struct LineEditor::Impl {
  explicit Impl(int interrupt_descriptor, Completer wanted)
      : interrupt(interrupt_descriptor), completer(std::move(wanted)) {
    editor = el_init("tessera", stdin, stdout, stderr);
    history_of_editor = history_init();
    set_up();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    history_end(history_of_editor);
    el_end(editor);
  }

  static Impl* of(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return static_cast<Impl*>(self);
  }

  void set_up() {
    HistEvent event;
    history(history_of_editor, &event, H_SETSIZE, kRemembered);
    el_set(editor, EL_CLIENTDATA, this);
    el_set(editor, EL_PROMPT, prompt_text);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_HIST, history, history_of_editor);
    el_set(editor, EL_GETCFN, next_character);
    el_set(editor, EL_ADDFN, "tessera-complete", "completes what is typed", complete_word);
    for (const KeyBinding& binding : kBindings) el_set(editor, EL_BIND, binding.key, binding.function, nullptr);
    el_source(editor, nullptr);  // ~/.editrc, as every program with libedit
  }

  static char* prompt_text(EditLine* editor) { return of(editor)->prompt.data(); }

  // Takes the size the terminal has now, and its modes back if somebody else had the terminal.
  void look_again() {
    el_set(editor, EL_PREP_TERM, 0);
    el_set(editor, EL_PREP_TERM, 1);
    el_resize(editor);
    el_set(editor, EL_REFRESH);
  }

  enum class Event { input, interrupt };
  Event wait() {
    const SignalsSeen seen;
    std::array<struct pollfd, 2> wanted = {{{STDIN_FILENO, POLLIN, 0}, {interrupt, POLLIN, 0}}};
    while (::poll(wanted.data(), wanted.size(), -1) < 0) {
      if (errno != EINTR) return Event::input;  // reading will say why
      if (::poll(wanted.data(), wanted.size(), 0) > 0) break;
      look_again();
    }
    if ((wanted[1].revents & POLLIN) == 0) return Event::input;
    std::array<char, 64> forgotten;
    (void)!::read(interrupt, forgotten.data(), forgotten.size());
    return Event::interrupt;
  }

  // One code point; 0 at the end of the input, -1 for no more of this line.
  static int next_character(EditLine* editor, wchar_t* character) {
    Impl& self = *of(editor);
    std::mbstate_t state = {};
    while (true) {
      if (self.wait() == Event::interrupt) {
        self.interrupted = true;
        return -1;
      }
      char byte = 0;
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return static_cast<int>(count);
      const std::size_t length = std::mbrtowc(character, &byte, 1, &state);
      if (length == static_cast<std::size_t>(-2)) continue;
      if (length == static_cast<std::size_t>(-1)) *character = kReplacement;
      return 1;
    }
  }

  static unsigned char complete_word(EditLine* editor, int) {
    const LineInfo* line = el_line(editor);
    const std::string_view before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    const Completion completion = of(editor)->completer(before);
    if (completion.candidates.empty()) return CC_REFRESH_BEEP;
    const std::string known = common_beginning(completion.candidates);
    const std::size_t typed = before.size() - completion.begin;
    if (known.size() > typed) {
      el_insertstr(editor, known.c_str() + typed);
      return CC_REFRESH;
    }
    return completion.candidates.size() == 1 ? CC_REFRESH_BEEP : list(completion.candidates);
  }

  // Shows the candidates below the line, which is then drawn again.
  static unsigned char list(const std::vector<std::string>& candidates) {
    const std::string text = candidates.size() <= kListedMax
                                 ? in_columns(candidates, terminal_columns())
                                 : std::to_string(candidates.size()) + " words begin like this\n";
    std::fputs(("\n" + printable(text)).c_str(), stdout);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  EditLine* editor = nullptr;
  History* history_of_editor = nullptr;
  int interrupt;
  Completer completer;
  std::string prompt;
  bool interrupted = false;
};

LineEditor::LineEditor(int interrupt, Completer completer)
    : impl_(std::make_unique<Impl>(interrupt, std::move(completer))) {}
LineEditor::~LineEditor() = default;

LineEditor::Outcome LineEditor::next(std::string_view prompt, std::string& line) {
  impl_->prompt = prompt;
  impl_->interrupted = false;
  // Before the prompt is seen, so that nothing typed after it is echoed twice.
  el_set(impl_->editor, EL_PREP_TERM, 1);
  int count = 0;
  const char* text = el_gets(impl_->editor, &count);
  if (impl_->interrupted) {
    el_reset(impl_->editor);
    return Outcome::interrupted;
  }
  if (text == nullptr || count <= 0) return Outcome::end;
  line.assign(text, static_cast<std::size_t>(count));
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return Outcome::line;
}

void LineEditor::remember(const std::string& line) {
  HistEvent event;
  history(impl_->history_of_editor, &event, H_ENTER, line.c_str());
}

}  // namespace tessera::repl
