#include "repl/course/grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "repl/render/table.hpp"

namespace tessera::repl {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The entries of a folder by name. Hidden ones are none.
std::vector<fs::path> entries_of(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> found;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (!entry->path().filename().string().starts_with('.')) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_answer(const fs::path& path) {
  std::error_code error;
  return path.extension() == ".tess" && fs::is_regular_file(path, error);
}

// The place of the lesson whose number the file's name begins with.
std::optional<std::size_t> lesson_of(const fs::path& path, std::size_t lessons) {
  const std::string name = path.filename().string();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || number < 1 || number > lessons) return std::nullopt;
  return number - 1;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Read<AnswerFiles> answers_in(const std::string& folder, const std::vector<Lesson>& lessons,
                             std::optional<std::size_t> only) {
  AnswerFiles found;
  std::error_code error;
  const std::vector<fs::path> entries = entries_of(folder, error);
  if (error) return {std::nullopt, fmt::format("cannot read the folder {}: {}", folder, error.message())};
  for (const fs::path& entry : entries) {
    if (only && is_answer(entry)) found.files.push_back({entry.stem().string(), *only, entry.string()});
    if (!only && is_answer(entry)) found.strange.push_back(entry.string());
    if (only || !fs::is_directory(entry, error)) continue;
    for (const fs::path& path : entries_of(entry, error)) {
      if (!is_answer(path)) continue;
      const auto lesson = lesson_of(path, lessons.size());
      if (lesson) found.files.push_back({entry.filename().string(), *lesson, path.string()});
      if (!lesson) found.strange.push_back(path.string());
    }
  }
  std::stable_sort(found.files.begin(), found.files.end(), [](const AnswerFile& a, const AnswerFile& b) {
    return std::pair(a.student, a.lesson) < std::pair(b.student, b.lesson);
  });
  if (found.files.empty())
    return {std::nullopt,
            fmt::format(
                "there are no answers in {}: {}{}", folder,
                only ? "they are named STUDENT.tess" : "they are named STUDENT/NUMBER.tess, NUMBER being the lesson's",
                found.strange.empty() ? "" : "\n  help: if it is one student's, name the folder around it")};
  return {std::move(found), {}};
}

Grade grade_of(const AnswerFile& answer, const Lesson& lesson, int seconds) {
  const auto text = read_text(answer.path);
  if (!text.value) return {answer, lesson.title, {Checked::How::unfit, text.why + "\n", ""}};
  return {answer, lesson.title, check_answer(lesson, *text.value, seconds)};
}

std::string grade_text(const Grade& grade) {
  const bool is_right = grade.checked.how == Checked::How::right;
  return fmt::format("{}, lesson {}: {}{} ({})\n", grade.answer.student, grade.answer.lesson + 1,
                     name(grade.checked.how), is_right ? "" : ": " + first_line(grade.checked.reply),
                     fs::path(grade.answer.path).filename().string());
}

std::string grade_json(const Grade& grade) {
  json scores = json::array();
  for (const ScoreLine& line : grade.checked.scores)
    scores.push_back({{"name", line.name}, {"own", line.own}, {"par", line.par}});
  const json object = {
      {"student", grade.answer.student}, {"lesson", grade.answer.lesson + 1},  {"title", grade.title},
      {"file", grade.answer.path},       {"outcome", name(grade.checked.how)}, {"scores", std::move(scores)},
      {"reply", grade.checked.reply},    {"diagnostics", grade.checked.said}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void Grades::add(const Grade& grade) {
  bool& is_right = by_student_[grade.answer.student][grade.answer.lesson];
  is_right = is_right || grade.checked.how == Checked::How::right;
}

std::string Grades::text() const {
  struct Answers {
    int right = 0;
    int all = 0;
    std::string failed = {};
  };
  std::map<std::size_t, Answers> by_lesson;
  std::vector<std::vector<std::string>> students;
  for (const auto& [student, lessons] : by_student_) {
    int right = 0;
    for (const auto& [lesson, is_right] : lessons) {
      Answers& answers = by_lesson[lesson];
      ++answers.all;
      right += is_right ? 1 : 0;
      answers.right += is_right ? 1 : 0;
      if (!is_right) answers.failed += (answers.failed.empty() ? "  not " : ", ") + student;
    }
    students.push_back({student, fmt::format("{} of {} right", right, lessons.size())});
  }
  std::string lessons;
  for (const auto& [lesson, answers] : by_lesson) {
    lessons += fmt::format("lesson {:<2}  {} of {} right{}\n", lesson + 1, answers.right, answers.all, answers.failed);
  }
  return "\n" + table(students) + "\n" + lessons;
}

}  // namespace tessera::repl
