// A lesson: what its file says. docs/teaching.md describes the format for those who write one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/process/files.hpp"

namespace tessera::repl {

// FOREACH(identifier, "name in a lesson's file"): what an answer can be held against.
//   numbers   NAME: FACT                   numbers that are measured of given arrays and changes (measures.hpp)
//   holds     NAME: ARRAY on x=1, y=0      the elements that one device holds
//   cuts      NAME: ARRAY along 0          the positions at which a dimension is cut, both ends included
//   type      NAME: TYPE                   a value of this type
//   plan      from: A, to: B, type: T      B has A's elements and this type, at no more than the planner's price
//   golf      from: A, to: B               the same for two layouts of the learner's choice
//   error     name: C, slug: S             `let C = ...` is refused with this diagnostic
//   program   result: Y, equals: E         Y is E, with exactly the collectives in `counts`, within modelled `seconds`
#define TESSERA_CHECKS(FOREACH) \
  FOREACH(numbers, "numbers")   \
  FOREACH(holds, "holds")       \
  FOREACH(cuts, "cuts")         \
  FOREACH(type, "type")         \
  FOREACH(plan, "plan")         \
  FOREACH(golf, "golf")         \
  FOREACH(error, "error")       \
  FOREACH(program, "program")

enum class CheckKind : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_CHECKS(MEMBER)
#undef MEMBER
};
std::string_view name(CheckKind kind);
std::optional<CheckKind> check_by_name(std::string_view name);

// `key: value`
struct Setting {
  std::string key;
  std::string value;
  int line = 0;
};

struct Check {
  CheckKind kind = CheckKind::numbers;
  std::vector<Setting> settings;
  int line = 0;  // of its heading

  const Setting* find(std::string_view key) const;
  // The value of a setting, or `otherwise`.
  std::string value(std::string_view key, std::string_view otherwise = "") const;
};

// A wrong answer that is known, with what to say about it.
struct Mistake {
  std::string subject;  // a name, or `error`
  std::string value;    // an expression, a type or a slug
  std::string reply;
  int line = 0;
};

struct Lesson {
  std::string file;
  std::string name;  // of its file, without the number: `rows-become-columns`
  std::string title;
  std::string picture;      // expressions, one a line, that are drawn before the text
  std::string text;         // what it teaches
  std::string given;        // a program, run before the learner's
  std::string judged_with;  // run after `given` where an answer is judged: other data of the same types
  std::string goal;
  std::vector<std::string> hints;
  std::string answer;  // the key: a program
  std::vector<Check> checks;
  std::vector<Mistake> mistakes;
  int given_line = 1;  // of the file, at which that program begins
  int judged_with_line = 1;
};

// The names that an answer has to bind, in the order of the checks, each once.
std::vector<std::string> asked_names(const Lesson& lesson);

// The lesson without the checks whose names are not there.
Lesson with_checks_of(const Lesson& lesson, const std::function<bool(const std::string& name)>& is_there);

// Reads a lesson's file; `file` stands for it in what is said about a fault: `FILE:LINE: what is wrong; what to write`.
Read<Lesson> read_lesson(std::string_view text, const std::string& file);

}  // namespace tessera::repl
