#include "runtime/device/write/access.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/text/division.hpp"

namespace tessera::device {

Nest nest_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
  Nest nest;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    if (!nest.extents.empty() && nest.strides.back() == strides[d] * extents[d]) {
      nest.extents.back() *= extents[d];
      nest.strides.back() = strides[d];
    } else {
      nest.extents.push_back(extents[d]);
      nest.strides.push_back(strides[d]);
    }
  }
  const bool is_one = std::all_of(nest.strides.begin(), nest.strides.end(), [](std::int64_t s) { return s == 0; });
  return is_one ? Nest{} : nest;
}

Access access_of(const Nest& nest, std::int64_t side) {
  Access access;
  access.rank = static_cast<int>(nest.extents.size());
  if (access.rank == 0) return access;
  const std::int64_t stride = nest.strides.back();
  access.inner =
      stride == 0 ? Access::Inner::repeated : (stride == 1 ? Access::Inner::consecutive : Access::Inner::strided);
  access.is_together = access.rank == 1 || nest.extents.back() % side == 0;
  return access;
}

Access joined(const Access& a, const Access& b) {
  Access both = a;
  both.rank = std::max(a.rank, b.rank);
  if (a.rank != b.rank) both.is_together = false;
  if (a.inner != b.inner) both.inner = Access::Inner::strided;
  both.is_together = both.is_together && a.is_together && b.is_together;
  both.is_aligned = a.is_aligned && b.is_aligned;
  return both;
}

bool are_aligned(const Nest& nest, std::int64_t begin, std::int64_t element_bytes, std::int64_t side) {
  const std::int64_t bytes = std::min<std::int64_t>(16, element_bytes * side);
  if (begin % bytes != 0) return false;
  for (std::size_t d = 0; d + 1 < nest.strides.size(); ++d) {
    if (nest.strides[d] * element_bytes % bytes != 0) return false;
  }
  return true;
}

void append_words(std::vector<std::int64_t>& words, const Access& access, const Nest& nest) {
  if (access.rank == 0) return;
  const auto rank = static_cast<std::size_t>(access.rank);
  std::vector<std::int64_t> extents(rank, 1);
  std::vector<std::int64_t> strides(rank, 0);
  std::copy_backward(nest.extents.begin(), nest.extents.end(), extents.end());
  std::copy_backward(nest.strides.begin(), nest.strides.end(), strides.end());
  for (std::size_t d = 1; d < rank; ++d) {
    const kernel::Divisor divisor = kernel::divisor_of(extents[d]);
    words.push_back(static_cast<std::int64_t>(divisor.value | std::uint64_t{divisor.magic} << 32U));
    words.push_back(divisor.shift);
  }
  words.insert(words.end(), strides.begin(), strides.end());
}

namespace {

// Every element by its own number.
std::string each_text(const Access& access, const Group& group, const std::string& number, const std::string& last) {
  const std::string own =
      last.empty() ? fmt::format("{} + k", number) : fmt::format("std::min({} + k, {})", number, last);
  return fmt::format("gathered<{}, {}>({}, [&](std::uint32_t k) {{ return {}; }})", group.type, group.side,
                     group.address, place_text(access, own));
}

}  // namespace

std::string load_text(const Access& access, const Group& group, const std::string& number, const std::string& last) {
  using Inner = Access::Inner;
  const std::string place = place_text(access, number);
  const auto call = [&](std::string_view function) {
    return fmt::format("{}<{}, {}>({}, {})", function, group.type, group.side, group.address, place);
  };
  if (access.rank == 0) return call("repeated");
  if (!last.empty() || !access.is_together) return each_text(access, group, number, last);
  if (access.inner == Inner::repeated) return call("repeated");
  if (access.inner == Inner::consecutive && access.is_aligned) return call("side_by_side");
  if (access.is_plain() || access.rank == 1) return each_text(access, group, number, last);
  const int stride = access.word + access.words() - 1;
  return fmt::format("gathered<{}, {}>({}, [&, place = {}](std::uint32_t k) {{ return place + k * row[{}]; }})",
                     group.type, group.side, group.address, place, stride);
}

std::string store_text(const Access& access, const Group& group, const std::string& number, const std::string& value) {
  return fmt::format("scatter<{}, {}>({}, {}, {}, [&](std::uint32_t k) {{ return {}; }});", group.type, group.side,
                     group.address, value, group.side, place_text(access, number + " + k"));
}

std::string store_text(bool is_aligned, const Group& group, const std::string& number, const std::string& count,
                       const std::string& value) {
  if (is_aligned && count.empty())
    return fmt::format("put_side_by_side<{}, {}>({}, {}, {});", group.type, group.side, group.address, number, value);
  return fmt::format("scatter<{}, {}>({}, {}, {}, [&](std::uint32_t k) {{ return {} + k; }});", group.type, group.side,
                     group.address, value, count.empty() ? std::to_string(group.side) : count, number);
}

std::string place_text(const Access& access, const std::string& number) {
  if (access.rank == 0) return "0";
  if (access.is_plain()) return number;
  return fmt::format("place_in<{}>(row, {}, {})", access.rank, access.word, number);
}

}  // namespace tessera::device
