#include "tests/device/host_compiler.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
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

// What every compilation is asked for. A kernel may move nonsense of which nothing comes, also as a bool. With
// TESSERA_EMULATED_PLAIN kernels are compiled without the build's sanitizers, in less time and to quicker code.
std::string options() {
  const bool is_checked = std::string_view(TESSERA_HOST_FLAGS).find("-fsanitize=") != std::string_view::npos;
  const bool is_plain = is_checked && std::getenv("TESSERA_EMULATED_PLAIN") != nullptr;
  return fmt::format("-std=c++20 -O1 -fPIC -ffp-contract=off {} '-I{}'{}", TESSERA_HOST_FLAGS, kRoot,
                     is_plain     ? " -fno-sanitize=all"
                     : is_checked ? " -fno-sanitize=bool"
                                  : "");
}

// The place of what is made of a text, by its own letters, those of the headers that it includes, and the options.
std::string place_of(const std::string& text, std::string_view ending) {
  std::set<std::string> seen;
  std::string all = std::string(kCompiler) + options() + text;
  append_headers(text, seen, all);
  std::filesystem::create_directories(kKept);
  return fmt::format("{}/{:016x}{}", kKept, hash_of(all), ending);
}

// A name that no other process has, and no other thread.
std::string own_name(const std::string& place) {
  static std::atomic<int> names = 0;
  return fmt::format("{}.{}.{}", place, getpid(), names++);
}

// Runs the compiler over a text. What it makes is written beside its place and then renamed, so that nobody sees half
// of it.
base::Status compile(const std::string& text, std::string_view how, const std::string& place) {
  const std::string own = own_name(place);
  std::ofstream(own + ".cpp") << text;
  const std::string command =
      fmt::format("'{}' {} {} -o '{}' '{}.cpp' > '{}.log' 2>&1", kCompiler, options(), how, own, own, own);
  if (std::system(command.c_str()) != 0) {
    return base::make(base::Kind::internal, fmt::format("{}.cpp does not compile:\n{}", own, content_of(own + ".log")));
  }
  std::filesystem::rename(own, place);
  std::filesystem::remove(own + ".cpp");
  std::filesystem::remove(own + ".log");
  return base::Done{};
}

std::string up_to_line_at(const std::string& text, std::size_t at) { return text.substr(0, text.find('\n', at) + 1); }

// Lines that many kernels begin with. Kernels of the library have their first header in common, and <cmath>, which
// takes longest of the rest: NVRTC knows its functions without a header. Those that are written for chains of steps
// have few sets of headers, so that theirs are taken as a whole.
std::string first_lines(const std::string& text) {
  constexpr std::string_view kInclude = "#include \"";
  const std::size_t first = text.find(kInclude);
  if (first == std::string::npos) return "";
  const std::size_t second = text.find(kInclude, first + 1);
  const std::size_t last = text.rfind(kInclude);
  return last == second || last == first ? up_to_line_at(text, first) + "#include <cmath>\n"
                                         : up_to_line_at(text, last);
}

// A header of these lines, beside which it lies precompiled: reading them takes most of the time of a small kernel.
base::Result<std::string> precompiled(const std::string& lines) {
  const std::string header = place_of(lines, ".hpp");
  if (std::filesystem::exists(header + ".gch")) return header;
  const std::string own = own_name(header);
  std::ofstream(own) << lines;
  std::filesystem::rename(own, header);
  TESSERA_TRY_STATUS(compile(lines, "-x c++-header", header + ".gch"));
  return header;
}

}  // namespace

base::Result<std::string> compiled_library(const std::string& source) {
  const std::string library = place_of(source, ".so");
  if (std::filesystem::exists(library)) return library;
  TESSERA_TRY(header, precompiled(first_lines(source)));
  TESSERA_TRY_STATUS(compile(source, fmt::format("-shared -include '{}'", header), library));
  return library;
}

base::Result<EmulatedKernel> emulated_kernel(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = handle == nullptr ? nullptr : dlsym(handle, std::string(kEntry).c_str());
  if (entry == nullptr) return base::make(base::Kind::internal, fmt::format("{} cannot be opened", library));
  return EmulatedKernel{reinterpret_cast<decltype(EmulatedKernel::run)>(entry)};
}

}  // namespace tessera::device
