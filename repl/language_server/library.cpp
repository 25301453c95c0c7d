#include "repl/language_server/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "repl/process/files.hpp"

namespace tessera::repl {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFoldersMax = 16;
constexpr std::array kMachineFiles = {"tessera.machine", ".tessera.json"};

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_code =
        text[at] == '%' && at + 2 < text.size() && digit(text[at + 1]) >= 0 && digit(text[at + 2]) >= 0;
    result += is_code ? static_cast<char>(16 * digit(text[at + 1]) + digit(text[at + 2])) : text[at];
    if (is_code) at += 2;
  }
  return result;
}

// Tells a file from what it was before: its name, when it was written, and its size.
std::string stamp_of(const std::string& file) {
  std::error_code none;
  if (file.empty() || !fs::is_regular_file(file, none)) return file;
  const auto written = fs::last_write_time(file, none).time_since_epoch().count();
  return fmt::format("{} {} {}", file, written, fs::file_size(file, none));
}

}  // namespace

std::string path_of(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::string(uri);
  const std::string_view rest = uri.substr(kFile.size());
  return decoded(rest.substr(std::min(rest.find('/'), rest.size())));
}

void TextLibrary::open(const std::string& uri, std::string text, std::int64_t version) {
  texts_[uri] = OpenText{std::move(text), version, nullptr};
}

void TextLibrary::change(const std::string& uri, const nlohmann::json& changes, std::int64_t version) {
  const auto found = texts_.find(uri);
  if (found == texts_.end()) return;
  OpenText& own = found->second;
  own.version = version;
  own.view = nullptr;
  for (const nlohmann::json& change : changes) {
    std::string text = change.at("text").get<std::string>();
    const auto range = change.find("range");
    if (range == change.end()) {
      own.text = std::move(text);
      continue;
    }
    const Lines lines(own.text, units);
    const std::uint32_t begin = lines.offset(range->at("start"));
    const std::uint32_t end = std::max(begin, lines.offset(range->at("end")));
    own.text.replace(begin, end - begin, text);
  }
}

std::optional<std::int64_t> TextLibrary::version(const std::string& uri) const {
  const auto found = texts_.find(uri);
  return found == texts_.end() ? std::nullopt : std::optional(found->second.version);
}

void TextLibrary::forget_views() {
  folders_.clear();
  for (auto& [uri, text] : texts_) text.view = nullptr;
}

std::string TextLibrary::machine_file_of(const std::string& folder) const {
  if (!settings.machine_file.empty()) return (fs::path(folder) / settings.machine_file).string();
  std::error_code none;
  for (const char* const name : kMachineFiles) {
    const fs::path file = fs::path(folder) / name;
    if (fs::is_regular_file(file, none)) return file.string();
  }
  return "";
}

TextLibrary::Folder TextLibrary::made(const std::string& stamp, const std::string& machine_file,
                                      const std::string& folder) {
  Config config;
  if (!machine_file.empty()) {
    const auto text = read_text(machine_file);
    if (!text.value) {
      say_(text.why);
    } else if (auto machine = parse_machine(text.value->text, machine_file)) {
      config.machine = std::move(*machine);
    } else {
      say_(fmt::format("{}: {}", machine_file, machine.diagnostics().front().message));
    }
  }
  config.files.kind = FilePolicy::Kind::allowed;
  config.files.root = root.empty() ? folder : root;
  Machine machine = config.machine;
  return {stamp, std::move(machine), Analyst(std::move(config))};
}

TextLibrary::Folder& TextLibrary::folder_of(const std::string& uri) {
  const std::string folder = fs::path(path_of(uri)).parent_path().string();
  const std::string machine_file = machine_file_of(folder);
  const std::string stamp = stamp_of(machine_file);
  const auto found = folders_.find(folder);
  if (found != folders_.end() && found->second.stamp == stamp) return found->second;
  if (found == folders_.end() && folders_.size() >= kFoldersMax) folders_.clear();
  return folders_.insert_or_assign(folder, made(stamp, machine_file, folder)).first->second;
}

std::optional<Analysis> TextLibrary::analyse(const std::string& uri, const std::string& text, const StopToken& stop) {
  auto analysis = folder_of(uri).analyst.analyse(text, path_of(uri), stop);
  if (analysis) return std::move(*analysis);
  if (stop.asked()) return std::nullopt;
  say_(fmt::format("{}: {}", path_of(uri), analysis.diagnostics().front().message));
  Analysis failed;
  failed.failed = true;
  failed.diagnostics = analysis.diagnostics();
  return failed;
}

std::shared_ptr<const View> TextLibrary::view(const std::string& uri, const StopToken& stop) {
  const auto found = texts_.find(uri);
  if (found == texts_.end()) return nullptr;
  if (found->second.view != nullptr) return found->second.view;
  auto analysis = analyse(uri, found->second.text, stop);
  if (!analysis) return nullptr;
  found->second.view =
      std::make_shared<const View>(uri, found->second.text, units, std::move(*analysis), folder_of(uri).machine);
  return found->second.view;
}

Config TextLibrary::config_for(const std::string& uri) {
  Config config;
  config.machine = folder_of(uri).machine;
  config.files.kind = FilePolicy::Kind::allowed;
  config.files.root = root.empty() ? fs::path(path_of(uri)).parent_path().string() : root;
  return config;
}

}  // namespace tessera::repl
