#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tessera::bench {

namespace {

constexpr std::size_t kNameWidth = 34;
constexpr std::size_t kFigureWidth = 10;

std::size_t width(const std::string& column) { return std::max(kFigureWidth, column.size() + 2); }

std::string in_json(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return quoted + '"';
}
std::string in_json(const std::optional<double>& figure) { return figure ? fmt::format("{:.6g}", *figure) : "null"; }

}  // namespace

Report::Report(std::string about, std::vector<std::string> columns, bool json)
    : about_(std::move(about)), columns_(std::move(columns)), json_(json) {
  if (json_) return;
  fmt::print("{:<{}}", about_, kNameWidth);
  for (const std::string& column : columns_) fmt::print("{:>{}}", column, width(column));
  fmt::print("\n");
}

void Report::row(const std::string& name, const std::vector<std::optional<double>>& figures) const {
  if (json_) {
    fmt::print("{{\"about\":{},\"name\":{}", in_json(about_), in_json(name));
    for (std::size_t c = 0; c < figures.size(); ++c) fmt::print(",{}:{}", in_json(columns_[c]), in_json(figures[c]));
    fmt::print("}}\n");
  } else {
    fmt::print("{:<{}}", name, kNameWidth);
    for (std::size_t c = 0; c < figures.size(); ++c) {
      const std::string text = figures[c] ? fmt::format("{:.2f}", *figures[c]) : "-";
      fmt::print("{:>{}}", text, width(columns_[c]));
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

}  // namespace tessera::bench
