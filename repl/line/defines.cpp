#include "repl/line/defines.hpp"

#include <fmt/format.h>

#include "repl/line/misuse.hpp"

namespace tessera::repl {

void add_define_option(CLI::App* command, std::vector<std::string>& target) {
  command->add_option("--define", target, "replace the value of a top-level `let N = ...`; may be repeated")
      ->type_name("N=V")
      ->allow_extra_args(false);
}

std::optional<Answer> read_defines(const std::vector<std::string>& written,
                                   std::map<std::string, std::string>& defines) {
  for (const std::string& define : written) {
    const std::size_t equals = define.find('=');
    if (equals == 0 || equals == std::string::npos)
      return misused(fmt::format("--define needs NAME=VALUE, not `{}`", define));
    defines[define.substr(0, equals)] = define.substr(equals + 1);
  }
  return std::nullopt;
}

}  // namespace tessera::repl
