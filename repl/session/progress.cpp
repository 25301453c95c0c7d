#include "repl/session/progress.hpp"

#include <fmt/format.h>

#include <utility>

#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

constexpr double kFirstSeconds = 1;
constexpr double kEverySeconds = 0.1;
constexpr std::string_view kBlankLine = "\r\x1B[K";

}  // namespace

ProgressLine::ProgressLine(std::function<void(std::string_view)> draw, std::function<double()> clock)
    : draw_(std::move(draw)), clock_(std::move(clock)) {}

void ProgressLine::begin() { next_ = clock_() + kFirstSeconds; }

void ProgressLine::tell(const Progress& progress) {
  const double now = clock_();
  if (now < next_) return;
  next_ = now + kEverySeconds;
  drawn_ = true;
  draw_(fmt::format("{}step {} of {}, {} received", kBlankLine, progress.step, progress.steps,
                    bytes_text(progress.received_bytes)));
}

void ProgressLine::clear() {
  if (drawn_) draw_(kBlankLine);
  drawn_ = false;
}

}  // namespace tessera::repl
