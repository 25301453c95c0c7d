#include "tests/device/host_compiler.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/diagnostic.hpp"
#include "runtime/device/steps/launcher.hpp"

namespace tessera::device {

namespace {

constexpr std::string_view kRoot = TESSERA_SOURCE_DIR;
constexpr std::string_view kKept = TESSERA_KERNELS_DIR;
constexpr std::string_view kCompiler = TESSERA_HOST_COMPILER;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// Appends the headers of ours that the text includes, and those that they include, each once.
void append_headers(const std::string& text, std::set<std::string>& seen, std::string& all) {
  constexpr std::string_view kBegin = "#include \"";
  for (std::size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at)) {
    at += kBegin.size();
    const std::string name = text.substr(at, text.find('"', at) - at);
    if (!seen.insert(name).second) continue;
    const std::string header = content_of(fmt::format("{}/{}", kRoot, name));
    all += header;
    append_headers(header, seen, all);
  }
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::string command_of(const std::string& source, const std::string& library, const std::string& log) {
  return fmt::format("'{}' -std=c++20 -O1 -fPIC -shared -ffp-contract=off {} '-I{}' -o '{}' '{}' > '{}' 2>&1",
                     kCompiler, TESSERA_HOST_FLAGS, kRoot, library, source, log);
}

// Written beside its place and then renamed, so that nobody sees half of it.
base::Status compile(const std::string& source, const std::string& library) {
  const std::string own = fmt::format("{}.{}", library, getpid());
  std::ofstream(own + ".cpp") << source;
  if (std::system(command_of(own + ".cpp", own, own + ".log").c_str()) != 0) {
    return base::make(base::Kind::internal, fmt::format("{}.cpp does not compile:\n{}", own, content_of(own + ".log")));
  }
  std::filesystem::rename(own, library);
  std::filesystem::remove(own + ".cpp");
  std::filesystem::remove(own + ".log");
  return base::Done{};
}

}  // namespace

base::Result<std::string> compiled_library(const std::string& source) {
  std::set<std::string> seen;
  std::string all = command_of("", "", "") + source;
  append_headers(source, seen, all);
  std::filesystem::create_directories(kKept);
  const std::string library = fmt::format("{}/{:016x}.so", kKept, hash_of(all));
  if (!std::filesystem::exists(library)) TESSERA_TRY_STATUS(compile(source, library));
  return library;
}

base::Result<EmulatedKernel> emulated_kernel(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = handle == nullptr ? nullptr : dlsym(handle, std::string(kEntry).c_str());
  if (entry == nullptr) return base::make(base::Kind::internal, fmt::format("{} cannot be opened", library));
  return EmulatedKernel{reinterpret_cast<decltype(EmulatedKernel::run)>(entry)};
}

}  // namespace tessera::device
