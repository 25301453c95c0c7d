#include "typeck/typed/closed_records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace tessera::typeck {

std::vector<Grouped> grouped(const std::vector<Path>& paths) {
  std::vector<Grouped> all;
  for (std::size_t k = 0; k < paths.size();) {
    const std::size_t point = paths[k].names.find('.');
    const std::string head = paths[k].names.substr(0, point);
    if (point == std::string::npos) {
      all.push_back({head, paths[k++].text});
      continue;
    }
    std::vector<Path> inner;
    for (; k < paths.size() && paths[k].names.starts_with(head + "."); ++k)
      inner.push_back({paths[k].names.substr(point + 1), paths[k].text});
    std::vector<std::string> fields;
    for (const Grouped& field : grouped(inner)) fields.push_back(fmt::format("{}: {}", field.name, field.text));
    all.push_back({head, fmt::format("{{{}}}", fmt::join(fields, ", "))});
  }
  return all;
}

std::string results_text(const std::vector<std::string>& names, const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  std::vector<Path> paths;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const bool is_field = k < names.size() && !names[k].empty();
    paths.push_back({is_field ? names[k] : "-", texts[k]});
  }
  for (Grouped& one : grouped(paths)) all.push_back(std::move(one.text));
  return all.size() == 1 ? all[0] : fmt::format("({})", fmt::join(all, ", "));
}

}  // namespace tessera::typeck
