#include "repl/session/completion.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "repl/session/commands.hpp"
#include "repl/session/glossary.hpp"
#include "repl/session/pages.hpp"

namespace tessera::repl {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesMax = 10'000;

// Letters beyond ASCII are taken for parts of names.
bool is_name_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Of a name, or of a field as `p.w`.
std::size_t name_begin(std::string_view line) {
  std::size_t begin = line.size();
  while (begin > 0 && (is_name_byte(line[begin - 1]) || line[begin - 1] == '.')) --begin;
  while (begin < line.size() && line[begin] == '.') ++begin;  // `{..p`
  return begin;
}

// The candidates that begin as the word does, each once.
Completion matching(std::string_view line, std::size_t begin, std::vector<std::string> candidates) {
  const std::string_view word = line.substr(begin);
  std::erase_if(candidates, [&](const std::string& candidate) { return !candidate.starts_with(word); });
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return {begin, std::move(candidates)};
}

std::vector<std::string> axes_of(const Session& session) {
  std::vector<std::string> result;
  for (const NamedMesh& mesh : session.meshes()) {
    for (const auto& [name, size] : mesh.axes) result.push_back(name);
  }
  return result;
}

std::vector<std::string> variables_of(const Session& session) {
  std::vector<std::string> result;
  for (const Binding& binding : session.names()) {
    result.push_back(binding.name);
    const std::size_t dot = binding.name.find('.');
    if (dot != std::string::npos) result.push_back(binding.name.substr(0, dot));
  }
  return result;
}

// Everything an expression may hold.
std::vector<std::string> candidates_of(const Session& session) {
  std::vector<std::string> result = variables_of(session);
  const auto add = [&](const std::vector<std::string>& more) { result.insert(result.end(), more.begin(), more.end()); };
  for (const std::string& function : session.functions()) result.push_back(function + "(");
  for (const OperationHelp& operation : operations()) result.push_back(operation.name + "(");
  for (const NamedMesh& mesh : session.meshes()) result.push_back(mesh.name);
  add(axes_of(session));
  add(keywords());
  add({"each(", "grad(", "again", "pipeline", "scan", "const", "auto", "over"});  // words of forms, and names elsewhere
  return result;
}

// Only axes may stand after `@`, in `@(x,` and in `{+x,` or `{*x,`.
bool wants_axis(std::string_view before) {
  std::size_t at = before.find_last_not_of(' ');
  while (at != std::string_view::npos && (before[at] == ',' || is_name_byte(before[at]) || before[at] == ' ')) {
    if (at == 0) return false;
    --at;
  }
  if (at == std::string_view::npos) return false;
  const std::string_view rest = before.substr(0, at + 1);
  return before.ends_with('@') || rest.ends_with("@(") || rest.ends_with("{+") || rest.ends_with("{*");
}

// The path that is being typed, if the line is inside of `load("` or behind a command that takes a file.
std::optional<std::size_t> path_begin(std::string_view line) {
  if (line.starts_with(':')) {
    const std::size_t blank = line.find(' ');
    const CommandInfo* command = find_command(line.substr(0, blank));
    if (blank == std::string_view::npos || command == nullptr || command->takes != Argument::file) return std::nullopt;
    return std::min(line.find_first_not_of(' ', blank), line.size());
  }
  const std::size_t quote = line.rfind('"');
  if (quote == std::string_view::npos) return std::nullopt;
  const std::string_view before = line.substr(0, line.find_last_not_of(' ', quote == 0 ? 0 : quote - 1) + 1);
  return before.ends_with("load(") ? std::optional(quote + 1) : std::nullopt;
}

// Is a string open at the end of the line? Names are not completed in one.
bool is_in_string(std::string_view line) {
  bool open = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (open && line[at] == '\\')
      ++at;
    else if (line[at] == '"')
      open = !open;
  }
  return open;
}

Completion files(std::string_view line, std::size_t begin) {
  const std::string path(line.substr(begin));
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  const bool hidden = path.substr(folder.size()).starts_with('.');
  std::vector<std::string> candidates;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (; !error && entry != fs::directory_iterator() && candidates.size() < kFilesMax; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') && !hidden) continue;
    std::error_code unknown;
    candidates.push_back(folder + name + (entry->is_directory(unknown) ? "/" : ""));
  }
  return matching(line, begin, std::move(candidates));
}

std::vector<std::string> command_names() {
  std::vector<std::string> result;
  for (const CommandInfo& command : commands()) result.emplace_back(command.name);
  return result;
}

std::vector<std::string> topics() {
  std::vector<std::string> result = all_slugs();
  for (const OperationHelp& operation : operations()) result.push_back(operation.name);
  for (std::string& word : glossary_words()) result.push_back(std::move(word));
  for (const Page& page : pages()) result.emplace_back(page.name);
  return result;
}

// `:help` takes commands with their colon or without it, and whatever `:doc` tells of.
std::vector<std::string> helpful_words(std::string_view word) {
  std::vector<std::string> result = command_names();
  if (word.empty() || word.starts_with(':')) return result;
  for (std::string& name : result) name.erase(0, 1);
  for (std::string& topic : topics()) result.push_back(std::move(topic));
  return result;
}

// After a command; nothing where an expression stands there.
std::optional<Completion> after_command(std::string_view line, const CommandInfo& command) {
  const std::size_t begin = line.rfind(' ') + 1;
  switch (command.takes) {
    case Argument::none:
    case Argument::lesson:
    case Argument::count: return Completion{line.size(), {}};
    case Argument::expression: return std::nullopt;
    case Argument::file: return files(line, begin);
    case Argument::topic: return matching(line, begin, topics());
    case Argument::setting: return matching(line, begin, {setting_names().begin(), setting_names().end()});
    case Argument::command: return matching(line, begin, helpful_words(line.substr(begin)));
  }
  return std::nullopt;
}

}  // namespace

Completion complete(std::string_view line, const Session& session) {
  if (const auto begin = path_begin(line)) return files(line, *begin);
  if (line.starts_with(':')) {
    if (line.find(' ') == std::string_view::npos) return matching(line, 0, command_names());
    const CommandInfo* command = find_command(line.substr(0, line.find(' ')));
    if (command == nullptr) return {line.size(), {}};
    if (auto completion = after_command(line, *command)) return std::move(*completion);
  }
  if (is_in_string(line)) return {line.size(), {}};
  const std::size_t begin = name_begin(line);
  return matching(line, begin, wants_axis(line.substr(0, begin)) ? axes_of(session) : candidates_of(session));
}

std::string common_beginning(const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  std::size_t length = candidates.front().size();
  for (const std::string& candidate : candidates) {
    std::size_t same = 0;
    while (same < std::min(length, candidate.size()) && candidate[same] == candidates.front()[same]) ++same;
    length = same;
  }
  const std::string& first = candidates.front();
  while (length > 0 && length < first.size() && (static_cast<unsigned char>(first[length]) & 0xC0U) == 0x80U) --length;
  return first.substr(0, length);
}

}  // namespace tessera::repl
