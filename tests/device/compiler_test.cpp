// How texts are compiled, with a compiler that is none.
#include "runtime/device/gpu/compiler.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::device {
namespace {

// What it was asked for last, and how it answers.
struct AskedOfCompiler {
  std::vector<std::string> options;
  int times = 0;
  int stack_when_saving = 0;
  int stack_at_most = 0;  // with all registers
  std::string log;
  std::string code;
};
AskedOfCompiler was_asked;

int compile_nothing(void* /*program*/, int count, const char* const* options) {
  was_asked.options.assign(options, options + count);
  ++was_asked.times;
  const bool saves = was_asked.options.back() != "--define-macro=TESSERA_ALL_REGISTERS";
  const int stack = saves ? was_asked.stack_when_saving : was_asked.stack_at_most;
  was_asked.log = "ptxas info    : Function properties for tessera_kernel\nptxas         .     " +
                  std::to_string(stack) + " bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
  was_asked.code = saves ? "saving" : "all";
  return 0;
}
int give_text(const std::string& text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return 0;
}

std::shared_ptr<const Nvrtc> no_compiler() {
  auto nvrtc = std::make_shared<Nvrtc>();
  nvrtc->version = 13000;
  nvrtc->calls.new_program = [](void** program, const char*, const char*, int, const char* const*, const char* const*) {
    *program = &was_asked;
    return 0;
  };
  nvrtc->calls.end_program = [](void** program) {
    *program = nullptr;
    return 0;
  };
  nvrtc->calls.compile = compile_nothing;
  nvrtc->calls.log_size = [](void*, std::size_t* bytes) {
    *bytes = was_asked.log.size();
    return 0;
  };
  nvrtc->calls.log = [](void*, char* text) { return give_text(was_asked.log, text); };
  nvrtc->calls.code_size = [](void*, std::size_t* bytes) {
    *bytes = was_asked.code.size();
    return 0;
  };
  nvrtc->calls.code = [](void*, char* code) { return give_text(was_asked.code, code); };
  return nvrtc;
}

std::string code_of(int stack_when_saving, int stack_at_most) {
  was_asked = {};
  was_asked.stack_when_saving = stack_when_saving;
  was_asked.stack_at_most = stack_at_most;
  const auto code = Compiler(no_compiler(), 90, KernelFiles("/proc/nothing")).code_of("a text");
  EXPECT_TRUE(code.ok());
  return code.ok() ? *code : "";
}

TEST(Compiler, ATextThatNeedsNoStackIsCompiledOnce) {
  EXPECT_EQ(code_of(0, 0), "saving");
  EXPECT_EQ(was_asked.times, 1);
  EXPECT_EQ(was_asked.options[7], "--gpu-architecture=sm_90");
}

TEST(Compiler, ATextThatNeedsStackHasAllRegisters) {
  EXPECT_EQ(code_of(16, 0), "all");
  EXPECT_EQ(was_asked.times, 2);
}

TEST(Compiler, WhereThatIsNoHelpRegistersAreSaved) {
  EXPECT_EQ(code_of(160, 8), "saving");
  EXPECT_EQ(was_asked.times, 2);
}

}  // namespace
}  // namespace tessera::device
