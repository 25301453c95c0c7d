#include "repl/course/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "repl/letters.hpp"

namespace tessera::repl {

namespace {

template <class T>
Numbers read_as(const std::vector<std::byte>& bytes) {
  Numbers result;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T item{};
    std::memcpy(&item, bytes.data() + at, sizeof(T));
    result.push_back(static_cast<double>(item));
  }
  return result;
}

double of_f16(std::uint16_t bits) {
  const int exponent = bits >> 10U & 31U;
  const int fraction = bits & 1023U;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  return (bits & 0x8000U) != 0 ? -size : size;
}

Numbers read_halves(Element element, const std::vector<std::byte>& bytes) {
  Numbers result = read_as<std::uint16_t>(bytes);
  for (double& number : result) {
    const auto bits = static_cast<std::uint16_t>(number);
    number = element == Element::f16 ? of_f16(bits) : double{std::bit_cast<float>(std::uint32_t{bits} << 16U)};
  }
  return result;
}

Numbers read_elements(Element element, const std::vector<std::byte>& bytes) {
  switch (element) {
    case Element::boolean: return read_as<std::uint8_t>(bytes);
    case Element::i32: return read_as<std::int32_t>(bytes);
    case Element::i64: return read_as<std::int64_t>(bytes);
    case Element::f32: return read_as<float>(bytes);
    case Element::f64: return read_as<double>(bytes);
    case Element::f16:
    case Element::bf16: return read_halves(element, bytes);
    case Element::i8: return read_as<std::int8_t>(bytes);
    case Element::u8: return read_as<std::uint8_t>(bytes);
    case Element::i16: return read_as<std::int16_t>(bytes);
    case Element::u16: return read_as<std::uint16_t>(bytes);
    case Element::u32: return read_as<std::uint32_t>(bytes);
    case Element::c64: return read_as<float>(bytes);
    case Element::c128: return read_as<double>(bytes);
  }
  return {};
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `x=1` as the axis' place in the mesh and the coordinate.
std::optional<std::pair<std::size_t, std::int64_t>> coordinate(const MeshAxes& mesh, std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const auto at = whole_number(trimmed(text.substr(std::min(equals + 1, text.size()))));
  for (std::size_t i = 0; at && i < mesh.size(); ++i) {
    if (mesh[i].name == trimmed(text.substr(0, equals)) && *at >= 0 && *at < mesh[i].size) return std::pair(i, *at);
  }
  return std::nullopt;
}

}  // namespace

Numbers numbers_of(const Array& array) { return read_elements(array.element(), array.bytes()); }

Numbers numbers_on(const Array& array, std::int64_t device) {
  const auto tile = array.tile(device);
  return tile ? read_elements(array.element(), tile->bytes) : Numbers{};
}

bool same_numbers(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && !first_difference(a, b).has_value();
}

std::optional<std::size_t> first_difference(const Numbers& a, const Numbers& b) {
  // A sum of large summands may be small, and is no more exact than they are.
  double largest = 0;
  for (const double number : b) largest = std::max(largest, std::isfinite(number) ? std::abs(number) : 0);
  const auto close = [&](double one, double other) {
    return one == other || (std::isnan(one) && std::isnan(other)) ||
           std::abs(one - other) <= 1e-5 * std::max(std::abs(one), std::abs(other)) + 1e-6 * largest;
  };
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(), close);
  if (at == a.end()) return std::nullopt;
  return static_cast<std::size_t>(at - a.begin());
}

std::string text_of(const Numbers& numbers) {
  constexpr std::size_t kShown = 12;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < numbers.size() && i < kShown; ++i) {
    const bool is_whole = std::floor(numbers[i]) == numbers[i];
    texts.push_back(is_whole ? fmt::format("{}", numbers[i]) : fmt::format("{:.6g}", numbers[i]));
  }
  if (numbers.size() == 1) return texts[0];
  return fmt::format("[{}{}]", fmt::join(texts, ", "), numbers.size() > kShown ? ", ..." : "");
}

std::string device_text(const MeshAxes& mesh, std::int64_t device, std::optional<std::int64_t> of_run) {
  std::vector<std::string> coordinates;
  std::int64_t rest = device;
  for (auto axis = mesh.rbegin(); axis != mesh.rend(); ++axis) {
    coordinates.insert(coordinates.begin(), fmt::format("{}={}", axis->name, rest % axis->size));
    rest /= axis->size;
  }
  const std::int64_t shown = of_run.value_or(device);
  if (coordinates.empty()) return fmt::format("device {}", shown);
  return fmt::format("device {} ({})", shown, fmt::join(coordinates, ", "));
}

std::optional<std::int64_t> device_at(const MeshAxes& mesh, std::string_view text) {
  std::vector<std::int64_t> at(mesh.size(), 0);
  for (const std::string& part : parts_of(text, ',')) {
    const auto one = coordinate(mesh, part);
    if (!one) return std::nullopt;
    at[one->first] = one->second;
  }
  std::int64_t device = 0;
  for (std::size_t i = 0; i < mesh.size(); ++i) device = device * mesh[i].size + at[i];
  return device;
}

std::string device_text(const Plan::Moment& moment, const Plan::Holding& held) {
  return device_text(moment.mesh, &held - moment.devices.data(), held.device);
}

const Plan::Holding* held_by(const Plan::Moment& moment, std::int64_t device_of_run) {
  const auto is_it = [&](const Plan::Holding& held) { return held.device == device_of_run; };
  const auto found = std::find_if(moment.devices.begin(), moment.devices.end(), is_it);
  return found == moment.devices.end() ? nullptr : &*found;
}

std::string box_text(const Box& box) {
  std::vector<std::string> sides;
  for (const auto& [begin, end] : box) {
    if (begin >= end) return "nothing";
    sides.push_back(fmt::format("{}:{}", begin, end));
  }
  return fmt::format("[{}]", fmt::join(sides, ", "));
}

std::string type_on_its_mesh(const Array& array) {
  const std::string type = array.type();
  return type.substr(0, type.find(" on "));
}

std::string mesh_text(const MeshAxes& mesh) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh) axes.push_back(fmt::format("{}:{}", axis.name, axis.size));
  return fmt::format("{}", fmt::join(axes, ","));
}

std::string picture_of(const Array& array, std::string_view name, int columns) {
  const std::string picture = array.picture(columns);
  return fmt::format("{}{}", name, picture.substr(std::min(picture.find(": "), picture.size())));
}

Read<Array> value_of(const Session& session, std::string_view expression) {
  Session fork = session.fork();
  const auto done = fork.run(fmt::format("let asked_value_ = {}\n", expression), "lesson");
  if (!done) return {std::nullopt, message_of(done.diagnostics())};
  const auto value = fork.get("asked_value_");
  if (!value) return {std::nullopt, message_of(value.diagnostics())};
  return {*value, {}};
}

Read<std::vector<Plan>> changes_of(const Session& session, std::string_view expression) {
  Session fork = session.fork();
  const auto program = fork.check(fmt::format("let asked_value_ = {}\n", expression), "lesson");
  if (!program) return {std::nullopt, message_of(program.diagnostics())};
  std::vector<Plan> plans;
  for (const Redistribution& one : program->redistributions()) plans.push_back(one.plan);
  return {std::move(plans), {}};
}

std::string message_of(const Diagnostics& diagnostics) {
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : diagnostics) messages.push_back(diagnostic.message);
  return fmt::format("{}", fmt::join(messages, "; "));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_in_word(text[end])) ++end;
    if (end > at && is_letter(text[at])) words.emplace_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == ' ' || c == '\t'; });
  return result;
}

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) result += fmt::format("    {}", text.substr(0, end));
    result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace tessera::repl
