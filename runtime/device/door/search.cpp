#include "runtime/device/door/search.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tessera::device {

namespace {

constexpr int kOldestMajor = 12;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The entries of a folder whose names begin so, the greatest first.
std::vector<std::string> entries(const std::string& folder, const std::string& beginning) {
  std::vector<std::string> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename().string().starts_with(beginning)) found.push_back(at->path().string());
  }
  std::ranges::sort(found, std::greater<>());
  return found;
}

// The loader's words without the name that they begin with.
std::string reason_of(const std::string& place) {
  const char* const said = dlerror();
  std::string reason = said == nullptr ? "cannot be opened" : said;
  if (reason.starts_with(place + ": ")) reason.erase(0, place.size() + 2);
  return reason;
}

void* open_at(const std::string& place, Search& search) {
  void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  search.places.push_back({place, library == nullptr ? reason_of(place) : ""});
  if (library != nullptr) search.found = place;
  return library;
}

// A library that is asked for by its name alone later on is found then, as it is open already.
void open_beside(const std::string& folder, std::span<const std::string> with) {
  for (const std::string& beginning : with) {
    for (const std::string& path : entries(folder, beginning)) {
      if (path.find(".alt.") == std::string::npos) dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL);
    }
  }
}

// A folder of libraries itself, or one that has such folders.
std::vector<std::string> library_folders(const std::string& folder) {
  if (folder.empty()) return {};
  return {folder, folder + "/lib64", folder + "/lib"};
}

// In a folder where no such file is there is nothing to say but that.
void* open_in(const std::string& folder, const std::string& file, std::span<const std::string> with, Search& search) {
  const std::string path = folder + "/" + file;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    search.places.push_back({path, "no such file"});
    return nullptr;
  }
  open_beside(folder, with);
  return open_at(path, search);
}

std::vector<std::string> toolkit_folders(const Folders& folders) {
  std::vector<std::string> all = library_folders(folders.toolkit);
  for (const std::string& version : entries("/usr/local", "cuda")) all.push_back(version + "/lib64");
  all.insert(all.end(), folders.beside.begin(), folders.beside.end());
  return all;
}

}  // namespace

std::string text_of(const Search& search) {
  std::string text;
  for (const LookedAt& at : search.places) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", at.place, at.why_not.empty() ? "found" : at.why_not);
  }
  return text;
}

Folders folders_of_environment() { return {environment("TESSERA_CUDA"), environment("CUDA_HOME"), {}}; }

void* open_driver(const Folders& folders, Search& search) {
  const std::string file = "libcuda.so.1";
  for (const std::string& folder : library_folders(folders.first)) {
    if (void* const library = open_in(folder, file, {}, search)) return library;
  }
  return open_at(file, search);
}

void* open_toolkit(const Folders& folders, const std::string& name, int major, std::span<const std::string> with,
                   Search& search) {
  const std::vector<std::string> first = library_folders(folders.first);
  const std::vector<std::string> others = toolkit_folders(folders);
  const auto in_folders = [&](const std::vector<std::string>& where, const std::string& file) -> void* {
    for (const std::string& folder : where) {
      if (void* const library = open_in(folder, file, with, search)) return library;
    }
    return nullptr;
  };
  for (int version = major; version >= kOldestMajor; --version) {
    const std::string file = fmt::format("lib{}.so.{}", name, version);
    if (void* const library = in_folders(first, file)) return library;
    if (void* const library = open_at(file, search)) return library;
    if (void* const library = in_folders(others, file)) return library;
  }
  return nullptr;
}

}  // namespace tessera::device
