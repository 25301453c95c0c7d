#include "base/check.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tessera::base {

namespace {

// Only the folder and the file: a report must not depend on where the project was built.
std::string_view short_path(std::string_view path) {
  const auto last = path.rfind('/');
  if (last == std::string_view::npos) return path;
  const auto before = path.rfind('/', last - 1);
  return before == std::string_view::npos ? path : path.substr(before + 1);
}

}  // namespace

void fail_check(const char* condition, const char* file, int line, const std::string& message) {
  throw InternalError(fmt::format("{} ({}:{}: {})", message, short_path(file), line, condition));
}

}  // namespace tessera::base
