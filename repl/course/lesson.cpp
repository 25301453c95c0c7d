#include "repl/course/lesson.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

constexpr std::array kCheckNames = {
#define NAME(identifier, text) std::string_view(text),
    TESSERA_CHECKS(NAME)
#undef NAME
};

// Settings that have only one value, besides not being there.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOnlyValues = {
    {{"by-hand", "yes"}, {"planner", "collectives"}}};

// Settings that a kind of check knows besides names; where the first is empty, every key is a name that is asked for.
struct Rule {
  std::vector<std::string_view> needed;
  std::vector<std::string_view> allowed;
  std::vector<std::string_view> asks;  // settings whose value is a name that is asked for
};

Rule rule_of(CheckKind kind) {
  switch (kind) {
    case CheckKind::numbers:
    case CheckKind::holds:
    case CheckKind::cuts:
    case CheckKind::type: return {};
    case CheckKind::plan:
      return {{"from", "to", "type"}, {"only", "uses", "by-hand", "par", "planner", "crossing"}, {"to"}};
    case CheckKind::golf:
      return {{"from", "to"}, {"only", "uses", "by-hand", "par", "planner", "crossing"}, {"from", "to"}};
    case CheckKind::error: return {{"name", "slug"}, {}, {"name"}};
    case CheckKind::program: return {{"result", "equals"}, {"counts", "seconds"}, {"result"}};
  }
  return {};
}

// A section's lines without empty ones at either end.
std::string without_outer_gaps(std::string_view text) {
  while (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text.empty() ? "" : std::string(text) + "\n";
}

// `== HEADING` and the lines below it.
struct Section {
  std::string heading;
  std::string body;
  int line = 1;
};

// The line of the first one of the body that is not empty.
int first_line(const Section& section) {
  const std::size_t gap = std::min(section.body.find_first_not_of('\n'), section.body.size());
  return section.line + 1 + static_cast<int>(gap);
}

std::vector<Section> sections(std::string_view text) {
  std::vector<Section> found{{"", "", 1}};
  int line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.starts_with("== ")) {
      found.push_back({std::string(trimmed(row.substr(3))), "", line});
    } else {
      found.back().body += std::string(row) + "\n";
    }
  }
  return found;
}

// A fault in a lesson's file, with its line.
struct Fault {
  int line = 0;
  std::string what;
};
using Faulty = std::optional<Fault>;

class Reader {
 public:
  Faulty read(std::string_view text) {
    for (const Section& section : sections(text)) {
      if (Faulty fault = take(section)) return fault;
    }
    return missing();
  }
  Lesson lesson;

 private:
  Faulty take(const Section& section) {
    const std::string& heading = section.heading;
    const std::string body = without_outer_gaps(section.body);
    if (heading.empty()) return body.empty() ? Faulty{} : Fault{1, "a lesson begins with `== title`"};
    if (heading == "hint") return take_hint(body);
    if (heading.starts_with("check ")) return take_check(section);
    if (heading.starts_with("mistake ")) return take_mistake(section, body);
    std::string* target = target_of(heading);
    if (target == nullptr) {
      return Fault{
          section.line,
          fmt::format("there is no section `{}`; there are: title, picture, text, given, judged with, goal, hint, "
                      "answer, check KIND, mistake NAME: VALUE",
                      heading)};
    }
    if (!target->empty()) return Fault{section.line, fmt::format("the section `{}` appears twice", heading)};
    *target = body;
    if (heading == "given") lesson.given_line = first_line(section);
    if (heading == "judged with") lesson.judged_with_line = first_line(section);
    return std::nullopt;
  }

  std::string* target_of(std::string_view heading) {
    const std::array<std::pair<std::string_view, std::string*>, 7> targets = {{{"title", &lesson.title},
                                                                               {"picture", &lesson.picture},
                                                                               {"text", &lesson.text},
                                                                               {"given", &lesson.given},
                                                                               {"judged with", &lesson.judged_with},
                                                                               {"goal", &lesson.goal},
                                                                               {"answer", &lesson.answer}}};
    for (const auto& [known, target] : targets) {
      if (heading == known) return target;
    }
    return nullptr;
  }

  Faulty take_hint(const std::string& body) {
    lesson.hints.push_back(body);
    return std::nullopt;
  }

  Faulty take_mistake(const Section& section, const std::string& body) {
    const std::string_view about = std::string_view(section.heading).substr(8);
    const std::size_t colon = about.find(':');
    if (colon == std::string_view::npos || body.empty()) {
      return Fault{section.line, "a mistake is `== mistake NAME: VALUE` with what to say about it below"};
    }
    lesson.mistakes.push_back({std::string(trimmed(about.substr(0, colon))),
                               std::string(trimmed(about.substr(colon + 1))), body, section.line});
    return std::nullopt;
  }

  Faulty take_check(const Section& section) {
    const std::string_view word = trimmed(std::string_view(section.heading).substr(6));
    const auto kind = check_by_name(word);
    if (!kind) {
      return Fault{section.line,
                   fmt::format("there is no check `{}`; there are: {}", word, fmt::join(kCheckNames, ", "))};
    }
    Check check{*kind, {}, section.line};
    if (Faulty fault = read_settings(section, check)) return fault;
    if (Faulty fault = against_rule(section, check)) return fault;
    lesson.checks.push_back(std::move(check));
    return std::nullopt;
  }

  static Faulty read_settings(const Section& section, Check& check) {
    std::string_view rest = section.body;
    for (int line = section.line + 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view row = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (row.empty()) continue;
      const std::size_t colon = row.find(':');
      if (colon == std::string_view::npos) return Fault{line, "a line of a check is `NAME: VALUE`"};
      Setting setting{std::string(trimmed(row.substr(0, colon))), std::string(trimmed(row.substr(colon + 1))), line};
      if (setting.value.empty()) return Fault{line, fmt::format("`{}` has no value", setting.key)};
      if (check.find(setting.key) != nullptr) return Fault{line, fmt::format("`{}` appears twice", setting.key)};
      check.settings.push_back(std::move(setting));
    }
    if (check.settings.empty()) return Fault{section.line, "this check says nothing"};
    return std::nullopt;
  }

  static Faulty against_rule(const Section& section, const Check& check) {
    const Rule rule = rule_of(check.kind);
    if (rule.needed.empty()) return std::nullopt;
    for (const std::string_view key : rule.needed) {
      if (check.find(key) == nullptr) {
        return Fault{section.line, fmt::format("a check `{}` needs a line `{}: ...`", name(check.kind), key)};
      }
    }
    const auto has = [](const auto& keys, std::string_view key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    for (const Setting& setting : check.settings) {
      for (const auto& [key, value] : kOnlyValues) {
        if (setting.key == key && setting.value != value) {
          return Fault{setting.line, fmt::format("`{}` can only be `{}`", key, value)};
        }
      }
      if (!has(rule.needed, setting.key) && !has(rule.allowed, setting.key)) {
        return Fault{setting.line,
                     fmt::format("a check `{}` knows no `{}`; it knows: {}", name(check.kind), setting.key,
                                 fmt::join(rule.needed, ", ")) +
                         (rule.allowed.empty() ? "" : fmt::format(", {}", fmt::join(rule.allowed, ", ")))};
      }
    }
    return std::nullopt;
  }

  Faulty missing() const {
    const std::array<std::pair<std::string_view, bool>, 5> needed = {{{"title", lesson.title.empty()},
                                                                      {"text", lesson.text.empty()},
                                                                      {"goal", lesson.goal.empty()},
                                                                      {"answer", lesson.answer.empty()},
                                                                      {"check KIND", lesson.checks.empty()}}};
    for (const auto& [heading, absent] : needed) {
      if (absent) return Fault{1, fmt::format("the lesson has no section `== {}`", heading)};
    }
    return idle_mistake();
  }

  // A mistake in something that no check asks for would never be answered.
  Faulty idle_mistake() const {
    const std::vector<std::string> asked = asked_names(lesson);
    for (const Mistake& mistake : lesson.mistakes) {
      const bool is_known = mistake.subject == "error" || mistake.subject == "counts" ||
                            std::find(asked.begin(), asked.end(), mistake.subject) != asked.end();
      if (is_known) continue;
      return Fault{mistake.line, fmt::format("a mistake in `{}`, but no check asks for it; asked for: {}",
                                             mistake.subject, fmt::join(asked, ", "))};
    }
    return std::nullopt;
  }
};

// `lessons/05-rows-become-columns.lesson` is `rows-become-columns`.
std::string name_of_file(std::string_view file) {
  file = file.substr(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
  file = file.substr(0, file.rfind('.'));
  const std::size_t begin = file.find_first_not_of("0123456789-");
  return std::string(begin == std::string_view::npos ? file : file.substr(begin));
}

}  // namespace

std::string_view name(CheckKind kind) { return kCheckNames.at(static_cast<std::size_t>(kind)); }

std::optional<CheckKind> check_by_name(std::string_view name) {
  const auto found = std::find(kCheckNames.begin(), kCheckNames.end(), name);
  if (found == kCheckNames.end()) return std::nullopt;
  return static_cast<CheckKind>(found - kCheckNames.begin());
}

const Setting* Check::find(std::string_view key) const {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) { return setting.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

std::string Check::value(std::string_view key, std::string_view otherwise) const {
  const Setting* setting = find(key);
  return setting == nullptr ? std::string(otherwise) : setting->value;
}

std::vector<std::string> asked_names(const Lesson& lesson) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& asked) {
    if (std::find(names.begin(), names.end(), asked) == names.end()) names.push_back(asked);
  };
  for (const Check& check : lesson.checks) {
    const Rule rule = rule_of(check.kind);
    for (const std::string_view key : rule.asks) add(check.value(key));
    if (!rule.needed.empty()) continue;
    for (const Setting& setting : check.settings) add(setting.key);
  }
  return names;
}

Lesson with_checks_of(const Lesson& lesson, const std::function<bool(const std::string& name)>& is_there) {
  Lesson part = lesson;
  for (Check& check : part.checks) {
    const Rule rule = rule_of(check.kind);
    if (rule.needed.empty())
      std::erase_if(check.settings, [&](const Setting& setting) { return !is_there(setting.key); });
  }
  std::erase_if(part.checks, [&](const Check& check) {
    const Rule rule = rule_of(check.kind);
    return check.settings.empty() || std::any_of(rule.asks.begin(), rule.asks.end(),
                                                 [&](std::string_view key) { return !is_there(check.value(key)); });
  });
  return part;
}

Read<Lesson> read_lesson(std::string_view text, const std::string& file) {
  Reader reader;
  if (const Faulty fault = reader.read(text)) {
    return {std::nullopt, fmt::format("{}:{}: {}", file, fault->line, fault->what)};
  }
  reader.lesson.file = file;
  reader.lesson.name = name_of_file(file);
  reader.lesson.title = trimmed(reader.lesson.title);
  return {std::move(reader.lesson), {}};
}

}  // namespace tessera::repl
