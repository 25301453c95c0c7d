// A host program whose state the library must leave alone: signal handlers, locale, floating-point mode, and a BLAS of
// the same soname as the one that the library uses (stand_in_blas.c), which it must neither call nor configure.
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <tessera/tessera.hpp>
#include <vector>

extern "C" {
int stand_in_calls();
int openblas_get_num_threads();
}

namespace {

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  std::printf("the library has changed %s\n", what);
  ++failures;
}

std::vector<struct sigaction> handlers() {
  std::vector<struct sigaction> all;
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction one{};
    if (sigaction(signal, nullptr, &one) == 0) all.push_back(one);
  }
  return all;
}

bool same(const std::vector<struct sigaction>& a, const std::vector<struct sigaction>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].sa_handler != b[i].sa_handler || a[i].sa_flags != b[i].sa_flags) return false;
  }
  return true;
}

}  // namespace

int main() {
  std::setlocale(LC_ALL, "C.UTF-8");
  std::fesetround(FE_UPWARD);
  std::signal(SIGINT, SIG_IGN);
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const auto before = handlers();
  const int threads = openblas_get_num_threads();
  {
    tessera::Session session;
    const auto done =
        session.run("mesh m = [x: 4]\nlet a = iota(f32[64@x, 64])\nlet b = a @ iota(f32[64, 64])\nlet s = sum(b)\n");
    expect(done.ok(), "nothing, but a product failed");
    for (const auto& mistake : done.diagnostics()) std::printf("%s\n", mistake.message.c_str());
    expect(!session.run("let c = ").ok(), "its mind about a text that is not complete");
  }
  expect(locale == std::setlocale(LC_ALL, nullptr), "the locale");
  expect(std::fegetround() == FE_UPWARD, "the rounding mode");
  expect(same(before, handlers()), "a signal handler");
  expect(openblas_get_num_threads() == threads && threads == 7, "the threads of the host's BLAS");
  expect(stand_in_calls() == 0, "something by a call of the host's BLAS");
  return failures == 0 ? 0 : 1;
}
