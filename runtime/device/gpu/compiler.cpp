#include "runtime/device/gpu/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <span>

#include "runtime/device/gpu/digest.hpp"
#include "runtime/device/text/texts.hpp"

namespace tessera::device {

namespace {

// Every text, always: floats are IEEE, step by step, as on the host.
std::vector<std::string> options_for(int architecture) {
  return {"--std=c++20",       "--fmad=false",
          "--ftz=false",       "--prec-div=true",
          "--prec-sqrt=true",  "--device-as-default-execution-space",
          "--device-int128",   fmt::format("--gpu-architecture=sm_{}", architecture),
          "--ptxas-options=-v"};
}

// Of a thread, as the log says it for `--ptxas-options=-v`; 0 where it says nothing.
int stack_bytes(const std::string& log) {
  const std::size_t end = log.find(" bytes stack frame");
  if (end == std::string::npos) return 0;
  const std::size_t begin = log.find_last_not_of("0123456789", end - 1);
  return std::atoi(log.c_str() + (begin == std::string::npos ? 0 : begin + 1));
}

const Text* find_text(std::string_view name) {
  const std::span<const Text> all = texts();
  const auto found = std::ranges::lower_bound(all, name, {}, &Text::name);
  return found == all.end() || found->name != name ? nullptr : &*found;
}

// Adds the texts that a text includes, and those that they include, each once, by their names.
void add_included(std::string_view text, std::set<std::string_view>& names) {
  constexpr std::string_view kBegin = "#include ";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at)) {
    at += kBegin.size() + 1;
    const std::size_t end = text.find_first_of("\">", at);
    const Text* const header = find_text(text.substr(at, end - at));
    if (header != nullptr && names.insert(header->name).second) add_included(header->text, names);
  }
}

// A program of the compiler's, ended when this is.
class Compilation {
 public:
  Compilation(const NvrtcCalls& calls, const std::string& source) : calls_(calls) {
    std::vector<const char*> headers;
    std::vector<const char*> names;
    for (const Text& text : texts()) {  // literals, so that each ends with a zero
      headers.push_back(text.text.data());
      names.push_back(text.name.data());
    }
    calls_.new_program(&program_, source.c_str(), "kernel.cu", static_cast<int>(headers.size()), headers.data(),
                       names.data());
  }
  ~Compilation() {
    if (program_ != nullptr) calls_.end_program(&program_);
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  int compile(const std::vector<std::string>& options) {
    if (program_ == nullptr) return -1;
    std::vector<const char*> given;
    for (const std::string& option : options) given.push_back(option.c_str());
    return calls_.compile(program_, static_cast<int>(given.size()), given.data());
  }
  std::string log() const { return text_by(calls_.log_size, calls_.log); }
  std::string code() const { return text_by(calls_.code_size, calls_.code); }

 private:
  template <class Size, class Get>
  std::string text_by(Size size_of, Get get) const {
    std::size_t size = 0;
    if (program_ == nullptr || size_of(program_, &size) != 0) return "";
    std::string text(size, '\0');
    return get(program_, text.data()) == 0 ? text : "";
  }

  const NvrtcCalls& calls_;
  void* program_ = nullptr;
};

}  // namespace

Compiler::Compiler(std::shared_ptr<const Nvrtc> nvrtc, int architecture, KernelFiles files)
    : nvrtc_(std::move(nvrtc)), options_(options_for(architecture)), files_(std::move(files)) {}

std::string Compiler::name_of(const std::string& source) const {
  std::set<std::string_view> names;
  add_included(source, names);
  std::string all = fmt::format("NVRTC {}\n", nvrtc_->version);
  for (const std::string& option : options_) all += option + "\n";
  for (const std::string_view name : names) all += fmt::format("{}\n{}\n", name, find_text(name)->text);
  return digest(all + source);
}

base::Result<std::string> Compiler::code_of(const std::string& source) const {
  const std::string name = name_of(source);
  const std::scoped_lock lock(known_->mutex);
  const auto known = known_->codes.find(name);
  if (known != known_->codes.end()) return known->second;
  auto kept = files_.read(name);
  if (!kept) {
    TESSERA_TRY(code, compile(source));
    files_.write(name, code);
    kept = std::move(code);
  }
  known_->codes.emplace(name, *kept);
  return *std::move(kept);
}

// The compiler saves registers, so that more blocks find room, and may go too far: a value that is kept in memory for
// that costs more. Such a text is compiled again, with as many as it wants.
base::Result<std::string> Compiler::compile(const std::string& source) const {
  TESSERA_TRY(compiled, compile_with(options_, source));
  if (!compiled.needs_stack) return std::move(compiled.code);
  std::vector<std::string> options = options_;
  options.emplace_back("--define-macro=TESSERA_ALL_REGISTERS");
  TESSERA_TRY(again, compile_with(options, source));
  return std::move(again.needs_stack ? compiled.code : again.code);
}

base::Result<Compiler::Compiled> Compiler::compile_with(const std::vector<std::string>& options,
                                                        const std::string& source) const {
  Compilation compilation(nvrtc_->calls, source);
  if (const int code = compilation.compile(options); code != 0) {
    return base::make(base::Kind::internal, fmt::format("a kernel does not compile (NVRTC's error {}):\n{}\n{}", code,
                                                        source.substr(0, 4000), compilation.log().c_str()));
  }
  std::string code = compilation.code();
  if (code.empty()) return base::make(base::Kind::internal, "the compiler of kernels gives no code");
  return Compiled{std::move(code), stack_bytes(compilation.log()) > 0};
}

}  // namespace tessera::device
