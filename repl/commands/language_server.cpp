// `tessera lsp`: the language server on standard input and output.
#include <unistd.h>

#include <filesystem>

#include "repl/commands/commands.hpp"
#include "repl/language_server/server.hpp"

namespace tessera::repl {

int perform(const LanguageServerOptions& options, Console&) {
  std::error_code none;
  const std::string machine =
      options.machine_file ? std::filesystem::absolute(*options.machine_file, none).string() : "";
  return LanguageServer(STDIN_FILENO, STDOUT_FILENO, machine).run();
}

}  // namespace tessera::repl
