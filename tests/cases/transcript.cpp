#include "tests/cases/transcript.hpp"

#include <filesystem>
#include <sstream>

#include "repl/session/interpreter.hpp"

namespace tessera::cases {

namespace {

constexpr std::string_view kPrompt = "> ";
constexpr std::string_view kPromptInside = ". ";
constexpr int kColumns = 100;

repl::Screen screen_into(std::string& text) {
  repl::Screen screen;
  screen.out = [&text](std::string_view answer) { text += answer; };
  screen.err = screen.out;
  screen.columns = [] { return kColumns; };
  screen.detailed = true;
  return screen;
}

// A session's own files (`:save`) are where the process is.
class InFolder {
 public:
  explicit InFolder(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  ~InFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
  }

 private:
  std::filesystem::path before_;
};

}  // namespace

std::string replay(std::string_view transcript, const Settings& settings) {
  const RunFolder folder(settings);
  const InFolder inside(folder.path());
  std::string text;
  repl::Interpreter interpreter(configuration(settings, folder, KeepValues::yes, text), screen_into(text), "input");
  std::istringstream lines{std::string(transcript)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kPrompt) && !line.starts_with(kPromptInside)) continue;
    if (interpreter.left()) break;
    text += interpreter.in_statement() ? kPromptInside : kPrompt;
    text += line.substr(kPrompt.size()) + "\n";
    interpreter.take(line.substr(kPrompt.size()));
  }
  return text;
}

}  // namespace tessera::cases
