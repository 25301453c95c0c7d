#include "repl/session/answerer.hpp"

#include <utility>

namespace tessera::repl {

LocalAnswerer::LocalAnswerer(Config config, const Screen& screen, std::string name, Ranks ranks)
    : progress_(screen.err, config.clock),
      interpreter_(with_progress(std::move(config), screen), after_progress(screen), std::move(name),
                   std::move(ranks)) {}

Config LocalAnswerer::with_progress(Config config, const Screen& screen) {
  if (screen.progress) config.progress = [this](const tessera::Progress& progress) { progress_.tell(progress); };
  return config;
}

// The line is taken back before anything else is shown.
Screen LocalAnswerer::after_progress(const Screen& screen) {
  Screen result = screen;
  result.out = [this, out = screen.out](std::string_view text) {
    progress_.clear();
    out(text);
  };
  result.err = [this, err = screen.err](std::string_view text) {
    progress_.clear();
    err(text);
  };
  return result;
}

void LocalAnswerer::take(const std::string& line) {
  progress_.begin();
  interpreter_.take(line);
  progress_.clear();
}

Completion LocalAnswerer::complete(std::string_view before_cursor) {
  return repl::complete(before_cursor, interpreter_.state().session);
}

}  // namespace tessera::repl
