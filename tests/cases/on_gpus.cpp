#include "tests/cases/on_gpus.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstring>

namespace tessera::cases {

namespace {

// Does a number's pattern stand for a NaN, with so many bits of fraction below its exponent and sign?
bool is_nan(std::uint64_t bits, int fraction, int width) {
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (width - 1)) - 1);
  const std::uint64_t infinity = magnitude >> fraction << fraction;
  const std::uint64_t all_ones = ((std::uint64_t{1} << (width - 1)) - 1) >> fraction << fraction;
  return infinity == all_ones && magnitude != infinity;
}

struct Format {
  int fraction = 0;
  int width = 0;  // in bits; 0: no float
};
Format format_of(Element element) {
  switch (element) {
    case Element::f32: return {23, 32};
    case Element::f64: return {52, 64};
    case Element::f16: return {10, 16};
    case Element::bf16: return {7, 16};
    case Element::boolean:
    case Element::i32:
    case Element::i64:
    case Element::i8:
    case Element::u8:
    case Element::i16:
    case Element::u16:
    case Element::u32:
    case Element::c64:
    case Element::c128: return {};
  }
  return {};
}

std::uint64_t bits_at(const std::vector<std::byte>& bytes, std::size_t at, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + at, size);
  return bits;
}

// The first element that differs, or nothing.
std::optional<std::size_t> first_difference(const BoundArray& a, const BoundArray& b) {
  if (a.bytes == b.bytes) return std::nullopt;
  const Format format = format_of(a.element);
  if (format.width == 0) {
    for (std::size_t at = 0; at < a.bytes.size(); ++at) {
      if (a.bytes[at] != b.bytes[at]) return at;
    }
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(format.width) / 8;
  for (std::size_t at = 0; at + size <= a.bytes.size(); at += size) {
    const std::uint64_t x = bits_at(a.bytes, at, size);
    const std::uint64_t y = bits_at(b.bytes, at, size);
    const bool both_nan = is_nan(x, format.fraction, format.width) && is_nan(y, format.fraction, format.width);
    if (x != y && !both_nan) return at / size;
  }
  return std::nullopt;
}

std::string told(const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return "it succeeds";
  return fmt::format("[{}] {}", diagnostics.front().slug, diagnostics.front().message);
}

Faults differences_on_gpus(const RunRecord& host, const RunRecord& there) {
  if (told(host.diagnostics) != told(there.diagnostics))
    return {fmt::format("{}; there: {}", told(host.diagnostics), told(there.diagnostics))};
  Faults faults;
  if (host.output != there.output)
    faults.push_back(fmt::format("prints\n{}there it prints\n{}", host.output, there.output));
  for (const auto& [name, array] : host.values) {
    const auto found = there.values.find(name);
    if (found == there.values.end()) {
      faults.push_back(fmt::format("`{}` is not bound there", name));
    } else if (array.element != found->second.element || array.shape != found->second.shape ||
               array.bytes.size() != found->second.bytes.size()) {
      faults.push_back(fmt::format("`{}` has another type there", name));
    } else if (const auto at = first_difference(array, found->second)) {
      faults.push_back(fmt::format("`{}` differs there from element {} on", name, *at));
    }
  }
  return faults;
}

}  // namespace

OnGpus compared_on_gpus(const CaseFile& file, const Settings& settings, std::string_view name, std::string_view gpus) {
  const Section* const source = file.find(SectionKind::source);
  if (source == nullptr || file.skipped(Check::run).has_value()) return {};
  const std::string text(content(*source));
  std::string ignored;
  const RunFolder folder(settings);
  if (!Session(configuration(settings, folder, KeepValues::no, ignored)).check(text, name)) return {};
  Settings on_host = settings;
  on_host.products = Products::ordered;
  Settings on_gpu = on_host;
  on_gpu.gpus = gpus;
  const RunRecord expected = run_text(text, name, on_host, KeepValues::yes);
  const RunRecord actual = run_text(text, name, on_gpu, KeepValues::yes);
  return {true, differences_on_gpus(expected, actual), actual.host_steps};
}

}  // namespace tessera::cases
