#include "repl/course/lesson_talk.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "repl/course/judge.hpp"
#include "repl/course/values.hpp"
#include "repl/process/output_picture.hpp"
#include "repl/process/terminal.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/session/commands.hpp"

namespace tessera::repl {

namespace {

// The commands that a session does not have, or has for something else.
struct LessonCommand {
  std::string_view name;
  std::string_view argument;  // as help writes it
  std::string_view does;
};
constexpr std::array kLessonCommands = {
    LessonCommand{":hint", "", "a hint, then the next one"},
    LessonCommand{":answer?", "", "an answer that is right"},
    LessonCommand{":page", "", "this lesson's page once more"},
    LessonCommand{":list", "", "the lessons, and which are done"},
    LessonCommand{":skip", "", "on to the next lesson"},
    LessonCommand{":back", "", "back to the one before"},
    LessonCommand{":learn", "LESSON", "to the lesson with that number"},
    LessonCommand{":quit", "", "leave (or Ctrl-D); the next `tessera learn` goes on here"},
};

// By its name, with or without the colon; nothing if the lesson has none of that name.
const LessonCommand* find_lesson_command(std::string_view word) {
  if (word == ":answer" || word == "answer") word = ":answer?";
  const auto found = std::find_if(kLessonCommands.begin(), kLessonCommands.end(), [&](const LessonCommand& command) {
    return command.name == word || command.name.substr(1) == word;
  });
  return found == kLessonCommands.end() ? nullptr : &*found;
}

std::string line_of(const LessonCommand& command) {
  const std::string head = fmt::format("{} {}", command.name, command.argument);
  return fmt::format("  {:<15} {}\n", head, command.does);
}

std::string lesson_help() {
  std::string text =
      "Type statements; a line goes on while a bracket is open. An expression alone is shown, so try things out:\n"
      "only the names that are asked for count, and each may be bound again; given names stay as they are.\n";
  for (const LessonCommand& command : kLessonCommands) text += line_of(command);
  return text +
         "The commands of a session work here, too: :plan, :why, :step, :compare, :type, :undo, :doc and others;\n"
         ":help COMMAND says what one does.\n";
}

// A picture that the reply before ended with is not drawn again: from so many equal lines on they are left out.
constexpr std::size_t kRepeatedLines = 5;

// Commands that would take away what the lesson gives.
bool is_out_of_place(std::string_view name) {
  constexpr std::array kNames = {":reset", ":load"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Config lesson_config() {
  Config config;
  config.clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  return config;
}

std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// The names that are in both lists, in the order of the first.
std::vector<std::string> both(std::vector<std::string> names, const std::vector<std::string>& others) {
  std::erase_if(names,
                [&](const std::string& name) { return std::find(others.begin(), others.end(), name) == others.end(); });
  return names;
}

}  // namespace

LessonTalk::LessonTalk(const Lesson& lesson, const LessonNumber& number, Session given, Console& console,
                       const NextLine& next_line, std::function<std::string()> list, Card best)
    : lesson_(lesson),
      number_(number),
      asked_(asked_names(lesson)),
      console_(console),
      next_line_(next_line),
      list_(std::move(list)),
      interpreter_(lesson_config(), screen(), "input"),
      attempt_(lesson, std::move(given)),
      best_card_(std::move(best)) {}

Screen LessonTalk::screen() {
  Screen screen;
  screen.out = [this](std::string_view text) { console_.out(text); };
  screen.err = [this](std::string_view text) { console_.err(text); };
  screen.columns = terminal_columns;
  screen.out_colour = takes_colour(STDOUT_FILENO) ? Colour::yes : Colour::no;
  screen.err_colour = takes_colour(STDERR_FILENO) ? Colour::yes : Colour::no;
  screen.boxes = takes_box_characters(STDOUT_FILENO);
  screen.detailed = is_conversation();
  screen.fits = screen.detailed;
  if (screen.detailed) {
    screen.ask = [this](std::string_view question) {
      const Entered entered = next_line_({question, nullptr});
      return entered.kind == Entered::Kind::line && entered.line.empty();
    };
  }
  return screen;
}

bool LessonTalk::begin() { return interpreter_.give(lesson_.given, "lesson"); }

Leave LessonTalk::run() {
  const std::string prompt = number_.count > 1 ? fmt::format("learn {}> ", number_.at + 1) : "learn> ";
  const std::string goes_on = std::string(prompt.size() - 2, ' ') + ". ";
  while (true) {
    const bool begins = open_.empty();
    const Entered entered = next_line_({begins ? prompt : goes_on, &interpreter_.state().session, begins});
    switch (entered.kind) {
      case Entered::Kind::line:
        for (const std::string& input : inputs_of(entered.line)) {
          if (const auto leave = take(input)) return *leave;
        }
        break;
      case Entered::Kind::interrupt: open_.take(); break;
      case Entered::Kind::end: return Leave::quit;
    }
  }
}

std::optional<Leave> LessonTalk::take(const std::string& text) {
  const std::uint32_t first_line = line_number_ + 1;
  line_number_ = first_line + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
  const std::string_view shown = trimmed(text);
  if (open_.empty() && (shown.empty() || (shown.front() == '#' && shown.find('\n') == std::string_view::npos)))
    return std::nullopt;
  if (open_.empty() && (shown == "help" || shown == "?")) return say(lesson_help());
  const bool begins_command = open_.empty() && shown.front() == ':';
  const std::string input = begins_command ? std::string(shown) : text;
  if (open_.add(input, first_line, begins_command ? expression_begin(input) : 0)) {
    const std::uint32_t line = open_.first_line();
    const std::string whole = open_.take();
    interpreter_.note_typed(whole, line);
    return whole.starts_with(':') ? command(std::string(trimmed(whole)), line) : evaluate(whole, line);
  }
  if (open_.size() > kAnswerBytesMax) {
    open_.take();
    console_.complain("a statement of more than 64 KiB is no answer");
  }
  return std::nullopt;
}

std::optional<Leave> LessonTalk::command(const std::string& text, std::uint32_t first_line) {
  const std::string word = text.substr(0, text.find_first_of(" \t\n"));
  const std::string_view argument = trimmed(std::string_view(text).substr(word.size()));
  const CommandInfo* known = find_command(word);
  const bool names_lesson = word == ":lesson" || word == ":lessons" || (known != nullptr && known->name == ":learn");
  if (names_lesson) return other_lesson(argument);
  if (const LessonCommand* own = find_lesson_command(word); own != nullptr && known == nullptr) {
    if (argument.empty()) return own_command(own->name);
    console_.complain(fmt::format("`{0}` takes nothing after it\n  help: {0}   {1}", own->name, own->does));
    return std::nullopt;
  }
  if (known != nullptr && known->name == ":help") {
    if (argument.empty()) return say(lesson_help());
    if (const LessonCommand* own = find_lesson_command(argument)) return say(line_of(*own));
  }
  if (known != nullptr && is_out_of_place(known->name)) {
    console_.complain(
        fmt::format("`{}` does not go in a lesson, whose names stay as they are\n  help: :skip and :back "
                    "lead to other lessons, :quit leaves",
                    known->name));
    return std::nullopt;
  }
  const std::size_t undoable = interpreter_.undoable();
  interpreter_.run_command(text, first_line);
  if (known != nullptr && known->name == ":undo" && interpreter_.undoable() < undoable) attempt_.undo();
  return interpreter_.left() ? std::optional(Leave::quit) : std::nullopt;
}

std::optional<Leave> LessonTalk::own_command(std::string_view name) {
  if (name == ":hint") return hint();
  if (name == ":answer?") return say(indented(lesson_.answer));
  if (name == ":list") return say(list_());
  if (name == ":skip") return Leave::next;
  if (name == ":back") return Leave::back;
  show_page(lesson_, number_, console_, next_line_);
  return std::nullopt;
}

std::optional<Leave> LessonTalk::other_lesson(std::string_view number) {
  if (number.empty()) {
    console_.complain(
        "`:learn` needs a lesson's number here\n  help: :learn 1 goes to the first, :list shows them all");
    return std::nullopt;
  }
  const Read<std::size_t> place = place_of(number, number_.count);
  if (!place.value) {
    console_.complain(place.why);
    return std::nullopt;
  }
  destination_ = *place.value;
  return Leave::elsewhere;
}

std::optional<Leave> LessonTalk::say(std::string_view text) {
  console_.out(page_for_output(text));
  return std::nullopt;
}

std::optional<Leave> LessonTalk::hint() {
  if (lesson_.hints.empty()) return say("This lesson has no hints; :answer? shows an answer.\n");
  if (hints_given_ == lesson_.hints.size()) return say("That was the last hint; :answer? shows an answer.\n");
  return say(lesson_.hints[hints_given_++]);
}

std::optional<Leave> LessonTalk::evaluate(const std::string& statement, std::uint32_t first_line) {
  if (const auto given = attempt_.rebound_name(statement)) {
    console_.complain(name_is_given(*given));
    return std::nullopt;
  }
  const auto report = interpreter_.run_reported(statement, "input", first_line);
  std::vector<std::string> touched = report ? std::vector<std::string>() : names_let_in(statement);
  if (report) {
    for (const Binding& binding : report->bindings) touched.push_back(binding.name);
  }
  touched = both(std::move(touched), asked_);
  // A refusal is an answer where the lesson asks for one. Any other changes nothing: what was bound stays.
  if (!report && !expects_refusal(touched)) {
    if (!touched.empty()) say_what_is_known_of(report.diagnostics());
    return std::nullopt;
  }
  attempt_.record(statement, report, interpreter_.state().session.fork());
  return touched.empty() ? std::nullopt : judge_now(touched);
}

// The lesson may know why a name that it asks for was refused.
void LessonTalk::say_what_is_known_of(const Diagnostics& refusal) {
  if (refusal.empty()) return;
  say(known_mistake(lesson_, "error", [&](const std::string& slug) { return slug == refusal.front().slug; }));
}

std::vector<std::string> LessonTalk::missing() const {
  std::vector<std::string> names = asked_;
  std::erase_if(names, [&](const std::string& name) { return attempt_.settles({name}); });
  return names;
}

// Has the diagnostic said all there is to say about a statement that failed?
bool LessonTalk::expects_refusal(const std::vector<std::string>& names) const {
  return std::any_of(lesson_.checks.begin(), lesson_.checks.end(), [&](const Check& check) {
    return check.kind == CheckKind::error && std::find(names.begin(), names.end(), check.value("name")) != names.end();
  });
}

// A name is judged as soon as it is bound, and then with all that were bound before it.
std::optional<Leave> LessonTalk::judge_now(const std::vector<std::string>& bound) {
  const auto is_bound_now = [&](const std::string& name) {
    return std::find(bound.begin(), bound.end(), name) != bound.end();
  };
  const auto is_settled = [&](const std::string& name) { return attempt_.settles({name}); };
  const Verdict own = judge(with_checks_of(lesson_, is_bound_now), attempt_);
  const Lesson settled = with_checks_of(lesson_, is_settled);
  const Verdict all = own.outcome == Outcome::right ? judge(settled, attempt_) : own;
  const std::vector<std::string> right = both(bound, asked_names(settled));
  const std::string praise = right.empty() ? "" : listed_names(right);
  if (own.outcome != Outcome::right || (all.outcome != Outcome::right && praise.empty())) {
    console_.out(fmt::format("\nNot yet.\n{}\nTry again; :hint helps.\n", reply_text(all.reply)));
    return std::nullopt;
  }
  if (all.outcome != Outcome::right) {
    const std::string first = all.reply.substr(0, all.reply.find('\n') + 1);
    const std::string head = judged_alone(bound) ? fmt::format("Right: {}. ", praise) : "";
    return say(fmt::format("{}Not yet: {}", head, first));
  }
  const std::vector<std::string> open = missing();
  if (!open.empty()) {
    const std::string head = praise.empty() ? "" : fmt::format("Right so far: {}. ", praise);
    return say(fmt::format("{}Still to bind: {}.\n", head, listed_names(open)));
  }
  done_ = true;
  console_.out(fmt::format("\nRight.\n{}", reply_text(all.reply)));
  return is_golf() ? count(all) : Leave::next;
}

bool LessonTalk::is_golf() const {
  return std::any_of(lesson_.checks.begin(), lesson_.checks.end(),
                     [](const Check& check) { return check.kind == CheckKind::golf; });
}

// Golf goes on after a round, for the planner may be beaten yet; the best card is kept.
std::optional<Leave> LessonTalk::count(const Verdict& verdict) {
  Card card(verdict.scores);
  const int under = card.under_par();
  const std::string rank = under == 0   ? "No score is under par."
                           : under == 1 ? "One score is under par."
                                        : fmt::format("{} scores are under par.", under);
  const bool is_best = card.beats(best_card_);
  if (is_best) best_card_ = std::move(card);
  const std::string best =
      is_best ? "This is your best card." : fmt::format("Your best card is {}.", best_card_.text());
  return say(fmt::format("{} {}\nBind `{}` again to play on; :skip goes on.\n", rank, best, asked_.back()));
}

// Is there a check of these names and no others?
bool LessonTalk::judged_alone(const std::vector<std::string>& names) const {
  return !with_checks_of(lesson_, [&](const std::string& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
          }).checks.empty();
}

// A reply as the terminal takes it, without the picture that the one before has ended with.
std::string LessonTalk::reply_text(const std::string& reply) {
  const std::string before = std::exchange(latest_reply_, reply);
  const std::vector<std::string_view> old_lines = lines_in(before);
  std::vector<std::string_view> lines = lines_in(reply);
  std::size_t same = 0;
  while (same < std::min(lines.size(), old_lines.size()) &&
         lines[lines.size() - 1 - same] == old_lines[old_lines.size() - 1 - same])
    ++same;
  if (same == lines.size() && same > 0) --same;  // the first line says what is wrong
  if (same >= kRepeatedLines) lines.resize(lines.size() - same);
  std::string text;
  for (const std::string_view line : lines) text += line;
  return page_for_output(text);
}

}  // namespace tessera::repl
