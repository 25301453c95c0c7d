#include "repl/render/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "repl/render/table.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

using nlohmann::ordered_json;

std::string proof_text(const Choice& choice) {
  constexpr double kClosed = 1e-6;
  if (choice.gap < kClosed && choice.proof != "limit")
    return fmt::format("no layouts take less (proved by {})", choice.proof);
  return fmt::format("no layouts take less than {}: {:.2g}% are open", seconds_text(choice.bound_seconds),
                     100 * choice.gap);
}

std::string how_chosen(const Choice::Value& value) {
  if (value.role == Choice::Role::parameter) return value.is_chosen ? "chosen" : "as the argument lies";
  if (value.role == Choice::Role::result) return value.lies_as.empty() ? "chosen" : "lies as " + value.lies_as;
  return "";
}

std::string values_text(const Choice& choice) {
  std::size_t names = 0;
  std::size_t types = 0;
  const auto name = [](const Choice::Value& value) { return value.name.empty() ? std::string("result") : value.name; };
  for (const Choice::Value& value : choice.values) {
    names = std::max(names, name(value).size());
    types = std::max(types, value.type.size());
  }
  std::string text;
  for (const Choice::Value& value : choice.values) {
    std::string line = fmt::format("  {:<{}}  {:<{}}  {}", name(value), names, value.type, types, how_chosen(value));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string conversion_text(const Choice::Conversion& one) {
  const std::string times = one.executions == 1 ? "" : fmt::format("{:.6g}x ", one.executions);
  const std::string where = one.place.line == 0 ? "" : fmt::format(" at line {}", one.place.line);
  return fmt::format("  {}{}: {} -> {}, {}, for `{}`{}\n", times, one.value, one.from, one.to,
                     seconds_text(one.seconds), one.because, where);
}

// The largest peak; where devices say what they hold, of the one that has the least left, or lacks the most.
std::string peaks_text(const Choice& choice) {
  const auto peak = std::ranges::max_element(choice.peak_bytes);
  std::size_t device = choice.peak_bytes.size();
  for (std::size_t d = 0; d < choice.memory_bytes.size(); ++d) {
    const auto left = [&](std::size_t own) { return choice.memory_bytes[own] - choice.peak_bytes[own]; };
    if (choice.memory_bytes[d] > 0 && (device == choice.peak_bytes.size() || left(d) < left(device))) device = d;
  }
  std::string text = fmt::format("peak per device: {}", bytes_text(*peak));
  if (device == choice.peak_bytes.size()) return text + "\n";
  const std::string held = bytes_text(choice.memory_bytes[device]);
  if (choice.fits)
    return text + fmt::format("; device {} needs {} of its {}\n", device, bytes_text(choice.peak_bytes[device]), held);
  return text + fmt::format("; it does not fit: device {} needs {} and holds {}\n", device,
                            bytes_text(choice.peak_bytes[device]), held);
}

std::string rivals_text(const Choice& choice) {
  std::string text;
  for (const Choice::Rival& rival : choice.rivals) {
    if (!rival.seconds) {
      text += fmt::format("  {}: there is no such program\n", rival.name);
      continue;
    }
    const double more = choice.seconds > 0 ? *rival.seconds / choice.seconds - 1 : 0;
    text += fmt::format("  {}: {} ({:+.1f}%)\n", rival.name, seconds_text(*rival.seconds), 100 * more);
  }
  return text;
}

ordered_json conversions_json(const std::vector<Choice::Conversion>& conversions) {
  ordered_json all = ordered_json::array();
  for (const Choice::Conversion& one : conversions) {
    all.push_back({{"value", one.value},
                   {"from", one.from},
                   {"to", one.to},
                   {"seconds", one.seconds},
                   {"executions", one.executions},
                   {"received_bytes_total", one.received_bytes_total},
                   {"because", one.because},
                   {"line", one.place.line},
                   {"column", one.place.column}});
  }
  return all;
}

ordered_json values_json(const Choice& choice) {
  ordered_json all = ordered_json::array();
  for (const Choice::Value& value : choice.values) {
    all.push_back({{"name", value.name.empty() ? ordered_json(nullptr) : ordered_json(value.name)},
                   {"type", value.type},
                   {"line", value.place.line},
                   {"column", value.place.column}});
  }
  return all;
}

}  // namespace

std::string choice_text(const Choice& choice, const Machine& machine) {
  std::string text = fmt::format("`{}`, called at line {}, over {} of {}: {}\n", choice.function, choice.place.line,
                                 choice.over.empty() ? "no axis" : fmt::format("{}", fmt::join(choice.over, ", ")),
                                 choice.mesh.empty() ? "one device" : choice.mesh, seconds_text(choice.seconds));
  text += proof_text(choice) + "\n\n" + values_text(choice);
  text += fmt::format("\nlocal steps take {}\n", seconds_text(choice.local_seconds));
  text += choice.conversions.empty() ? "nothing is moved\n" : "moved:\n";
  for (const Choice::Conversion& one : choice.conversions) text += conversion_text(one);
  if (!choice.arrivals.empty()) text += "brought by the call, and not counted:\n";
  for (const Choice::Conversion& one : choice.arrivals) text += conversion_text(one);
  if (!choice.peak_bytes.empty()) text += peaks_text(choice);
  if (!choice.rivals.empty()) text += "others:\n" + rivals_text(choice);
  return text + modelled_text(machine) + "\n";
}

std::string prices_text(const std::vector<LayoutPrice>& prices) {
  const auto chosen = std::ranges::find_if(prices, &LayoutPrice::is_chosen);
  std::vector<Row> rows = {{"layout", "seconds", "more", ""}};
  for (const LayoutPrice& one : prices) {
    const bool is_known = chosen != prices.end() && chosen->seconds > 0;
    const std::string more = is_known ? fmt::format("{:+.1f}%", 100 * (one.seconds / chosen->seconds - 1)) : "-";
    rows.push_back({one.type, seconds_text(one.seconds), more, one.is_chosen ? "chosen" : ""});
  }
  return table(rows);
}

std::string choice_json(const Choice& choice) {
  ordered_json rivals = ordered_json::array();
  for (const Choice::Rival& rival : choice.rivals)
    rivals.push_back(
        {{"name", rival.name}, {"seconds", rival.seconds ? ordered_json(*rival.seconds) : ordered_json()}});
  const ordered_json line = {{"function", choice.function},
                             {"mesh", choice.mesh},
                             {"over", choice.over},
                             {"line", choice.place.line},
                             {"column", choice.place.column},
                             {"weights", nullptr},
                             {"seconds", choice.seconds},
                             {"bound_seconds", choice.bound_seconds},
                             {"gap", choice.gap},
                             {"proof", choice.proof},
                             {"operations", choice.operations},
                             {"choices", choice.choices},
                             {"plans", choice.plans},
                             {"values", values_json(choice)},
                             {"conversions", conversions_json(choice.conversions)},
                             {"arrivals", conversions_json(choice.arrivals)},
                             {"local_seconds", choice.local_seconds},
                             {"peak_bytes", choice.peak_bytes},
                             {"memory_bytes", choice.memory_bytes},
                             {"fits", choice.fits},
                             {"rivals", std::move(rivals)},
                             {"verified", choice.verified}};
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace tessera::repl
