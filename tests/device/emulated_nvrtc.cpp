// NVIDIA's compiler, emulated: the host's compiles, and the "machine code" is the path of the shared library that it
// made. Headers are those of the source tree; what a text includes has to be among those that it was given all the
// same. Texts are written to the folder TESSERA_EMULATED_TEXTS, too, with their headers and options, for another
// compiler. TESSERA_EMULATED_FAILURE makes a call fail (emulated_failures.hpp).
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "runtime/device/door/compiler_calls.hpp"
#include "tests/device/emulated_failures.hpp"
#include "tests/device/host_compiler.hpp"

#define DECLARE(member, symbol, parameters) extern "C" int symbol parameters;
TESSERA_NVRTC_FUNCTIONS(DECLARE)
#undef DECLARE

namespace {

constexpr int kInvalid = 3;
constexpr int kInvalidOption = 5;
constexpr int kCompilation = 6;

struct Program {
  std::string source;
  std::map<std::string, std::string> headers;  // by their names
  std::string log;
  std::string code;
};
Program& program_of(void* handle) { return *static_cast<Program*>(handle); }

// The first header that a text, or what it includes, includes and that was not given.
std::string missing_header(const Program& program, const std::string& text, std::set<std::string>& seen) {
  constexpr std::string_view kBegin = "\n#include ";
  const std::string lines = "\n" + text;
  for (std::size_t at = lines.find(kBegin); at != std::string::npos; at = lines.find(kBegin, at)) {
    at += kBegin.size();
    const std::size_t end = lines.find_first_of("\">", at + 1);
    std::string name = lines.substr(at + 1, end - at - 1);
    // Those are for the host: a GPU's compiler does not come to them.
    if (name == "runtime/device/text/emulation.hpp" || name.starts_with("synth/program/")) continue;
    if (!seen.insert(name).second) continue;
    const auto header = program.headers.find(name);
    if (header == program.headers.end()) return name;
    if (const std::string missing = missing_header(program, header->second, seen); !missing.empty()) return missing;
  }
  return "";
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

void write_texts(const Program& program, const std::set<std::string>& options, const std::filesystem::path& folder) {
  const std::size_t name = std::hash<std::string>()(program.source);
  write_file(folder / (std::to_string(name) + ".cu"), program.source);
  std::string lines;
  for (const std::string& option : options) lines += option + "\n";
  write_file(folder / "options", lines);
  if (std::filesystem::exists(folder / "headers")) return;
  for (const auto& [header, text] : program.headers) write_file(folder / "headers" / header, text);
}

}  // namespace

#define FAIL_IF_WANTED(symbol) \
  if (const int failure = tessera::emulated::failure_of_call(#symbol); failure != 0) return failure

extern "C" {

int tessera_emulated_has_failed();
int tessera_emulated_has_failed() { return tessera::emulated::failing_calls().has_failed() ? 1 : 0; }

int nvrtcVersion(int* major, int* minor) {
  FAIL_IF_WANTED(nvrtcVersion);
  *major = 13;
  *minor = 99;  // so that nobody takes its code for a real one's
  return 0;
}
int nvrtcCreateProgram(void** program, const char* source, const char* /*name*/, int count, const char* const* headers,
                       const char* const* names) {
  FAIL_IF_WANTED(nvrtcCreateProgram);
  auto* const made = new Program{source, {}, {}, {}};
  for (int i = 0; i < count; ++i) made->headers[names[i]] = headers[i];
  *program = made;
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  FAIL_IF_WANTED(nvrtcDestroyProgram);
  return 0;
}
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  FAIL_IF_WANTED(nvrtcCompileProgram);
  Program& compiled = program_of(program);
  const std::set<std::string> given(options, options + count);
  for (const char* const needed :
       {"--std=c++20", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"}) {
    if (!given.contains(needed)) return kInvalidOption;
  }
  std::set<std::string> seen;
  if (const std::string missing = missing_header(compiled, compiled.source, seen); !missing.empty()) {
    compiled.log = "there is no header " + missing;
    return kCompilation;
  }
  if (const char* const folder = std::getenv("TESSERA_EMULATED_TEXTS")) {
    write_texts(compiled, given, folder);
  }
  auto library = tessera::device::compiled_library(compiled.source);
  if (!library.ok()) {
    compiled.log = library.errors().front().message;
    return kCompilation;
  }
  compiled.code = "emulated " + *library;
  return 0;
}
int nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
  FAIL_IF_WANTED(nvrtcGetProgramLogSize);
  *bytes = program_of(program).log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(void* program, char* text) {
  FAIL_IF_WANTED(nvrtcGetProgramLog);
  std::strcpy(text, program_of(program).log.c_str());
  return 0;
}
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  FAIL_IF_WANTED(nvrtcGetCUBINSize);
  *bytes = program_of(program).code.size() + 1;
  return program_of(program).code.empty() ? kInvalid : 0;
}
int nvrtcGetCUBIN(void* program, char* code) {
  FAIL_IF_WANTED(nvrtcGetCUBIN);
  std::strcpy(code, program_of(program).code.c_str());
  return 0;
}

}  // extern "C"
