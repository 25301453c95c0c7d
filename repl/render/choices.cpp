#include "repl/render/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "repl/render/table.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

std::string proof_text(const Choice& choice) {
  constexpr double kClosed = 1e-6;
  if (choice.gap < kClosed && choice.proof != "limit" && choice.proof != "memory")
    return fmt::format("no layouts take less (proved by {})", choice.proof);
  if (choice.proof == "memory")
    return fmt::format(
        "no layouts were found that fit: these need the least memory. None take less than {}, fit or not",
        seconds_text(choice.bound_seconds));
  return fmt::format("no layouts take less than {}: {:.2g}% are open", seconds_text(choice.bound_seconds),
                     100 * choice.gap);
}

std::string weights_text(const Choice::CutWeights& own) {
  const bool is_exact = own.proof == "exact";
  return fmt::format("`{}.{}` is cut {}: {}\n", own.axis, own.name, fmt::join(own.weights, ":"),
                     is_exact ? "no other shares take less, but for rounding them" : "the " + own.proof);
}

std::string how_chosen(const Choice::Value& value) {
  if (value.role == Choice::Role::parameter) return value.is_chosen ? "chosen" : "as the argument lies";
  if (value.role == Choice::Role::result) return value.lies_as.empty() ? "chosen" : "lies as " + value.lies_as;
  return "";
}

std::string values_text(const Choice& choice) {
  std::size_t names = 0;
  std::size_t types = 0;
  const auto name = [](const Choice::Value& value) {
    if (value.role != Choice::Role::result) return value.name;
    return value.name.empty() ? std::string("result") : "result " + value.name;
  };
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

// Those that take and need the same have one line.
std::string rivals_text(const Choice& choice) {
  std::string text;
  for (auto rival = choice.rivals.begin(); rival != choice.rivals.end();) {
    std::string names;
    const auto first = rival;
    for (; rival != choice.rivals.end() && rival->seconds == first->seconds && rival->peak_bytes == first->peak_bytes;
         ++rival)
      names += (names.empty() ? "" : ", ") + rival->name;
    if (!first->seconds) {
      text += fmt::format("  {}: there is no such program\n", names);
      continue;
    }
    const double more = choice.seconds > 0 ? *first->seconds / choice.seconds - 1 : 0;
    const std::string peak =
        first->peak_bytes.empty() ? "" : ", peak " + bytes_text(*std::ranges::max_element(first->peak_bytes));
    text += fmt::format("  {}: {} ({:+.1f}%){}{}\n", names, seconds_text(*first->seconds), 100 * more, peak,
                        first->fits ? "" : ", which does not fit");
  }
  return text;
}

// An expression of several lines as the beginning of one.
std::string in_a_line(std::string_view expression) {
  constexpr int kColumns = 40;
  std::string text;
  for (const char c : expression) {
    if (c != ' ' || !text.ends_with(' ')) text += c;
  }
  return beginning(text, kColumns);
}

std::string reader_text(const ValueReader& reader, const std::string& made) {
  std::string how = fmt::format("as {}, {} away", reader.type, seconds_text(reader.seconds));
  if (reader.seconds == 0) how = reader.type == made ? "as it lies" : fmt::format("its part {}", reader.type);
  const std::string where = reader.place.line == 0 ? "" : fmt::format(" at line {}", reader.place.line);
  const std::string what = reader.place.line == 0 ? reader.reader : fmt::format("`{}`", in_a_line(reader.reader));
  return fmt::format("  {}: for {}{}{}\n", how, reader.is_backward ? "the gradient of " : "", what, where);
}

// What it takes beyond the chosen one: at most that, where no search has proved that nothing takes less.
std::string more_text(const LayoutPrice& price, double chosen) {
  constexpr double kProved = 1 - 1e-6;
  if (chosen <= 0) return "-";
  const bool is_exact = price.bound_seconds >= kProved * price.seconds;
  return fmt::format("{}{:+.1f}%", is_exact ? "" : "at most ", 100 * (price.seconds / chosen - 1));
}

std::string prices_text(const std::vector<LayoutPrice>& prices) {
  const auto chosen = std::ranges::find_if(prices, &LayoutPrice::is_chosen);
  const double least = chosen == prices.end() ? 0 : chosen->seconds;
  std::vector<Row> rows = {{"layout", "seconds", "more", ""}};
  for (const LayoutPrice& one : prices)
    rows.push_back({one.type, seconds_text(one.seconds), more_text(one, least), one.is_chosen ? "chosen" : ""});
  return table(rows);
}

}  // namespace

std::string choice_text(const Choice& choice, const Machine& machine) {
  std::string text = fmt::format("`{}`, called at line {}, over {} of {}: {}\n", choice.function, choice.place.line,
                                 choice.over.empty() ? "no axis" : fmt::format("{}", fmt::join(choice.over, ", ")),
                                 choice.mesh.empty() ? "one device" : choice.mesh, seconds_text(choice.seconds));
  text += proof_text(choice) + "\n";
  if (choice.weights) text += weights_text(*choice.weights);
  text += "\n" + values_text(choice);
  text += fmt::format("\nlocal steps take {}\n", seconds_text(choice.local_seconds));
  text += choice.conversions.empty() ? "nothing is moved\n" : "moved:\n";
  for (const Choice::Conversion& one : choice.conversions) text += conversion_text(one);
  if (!choice.arrivals.empty()) text += "brought by the call, and not counted:\n";
  for (const Choice::Conversion& one : choice.arrivals) text += conversion_text(one);
  if (!choice.peak_bytes.empty()) text += peaks_text(choice);
  if (!choice.rivals.empty()) text += "others:\n" + rivals_text(choice);
  return text + modelled_text(machine) + "\n";
}

std::string explained_text(const ExplainedValue& value, const std::string& function) {
  std::string text = fmt::format("{} of `{}`: {}\n", value.name, function, value.type);
  text += value.readers.empty() ? "nobody reads it\n" : "";
  for (const ValueReader& reader : value.readers) text += reader_text(reader, value.type);
  return text + prices_text(value.layouts);
}

}  // namespace tessera::repl
