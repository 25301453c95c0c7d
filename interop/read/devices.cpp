#include "interop/read/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/kinds.hpp"

namespace tessera::interop {

namespace {

base::Diagnostic no_grid(const Scanner& scanner, std::uint32_t begin, std::string_view why) {
  return base::make(Kind::interop_devices, why).at(scanner.span(begin));
}

// Reads `[4,2]`: sizes that multiply to a number of devices.
base::Result<std::vector<std::int64_t>> read_sizes(Scanner& scanner, std::int64_t& product) {
  TESSERA_TRY_STATUS(scanner.expect("["));
  const std::uint32_t begin = scanner.offset();
  std::vector<std::int64_t> sizes;
  product = 1;
  do {
    const auto size = scanner.number();
    if (!size) return scanner.wrong("a number of devices is wanted here");
    if (*size == 0) return no_grid(scanner, begin, "an extent is 0");
    if (*size > synth::kDevicesMax / product) return no_grid(scanner, begin, "there are more than 65,536");
    product *= *size;
    sizes.push_back(*size);
    if (sizes.size() > synth::kRankMax + 4) return scanner.wrong("an array has at most 16 dimensions");
  } while (scanner.take(","));
  TESSERA_TRY_STATUS(scanner.expect("]"));
  return sizes;
}

// Reads `(1,0)`; `interop-devices` unless it has each of 0 to count - 1 once.
base::Result<std::vector<std::size_t>> read_permutation(Scanner& scanner, std::size_t count) {
  const std::uint32_t begin = scanner.offset();
  TESSERA_TRY_STATUS(scanner.expect("("));
  std::vector<std::size_t> permutation;
  std::vector<bool> seen(count, false);
  do {
    const auto item = scanner.number();
    if (!item) return scanner.wrong("the number of an axis is wanted here");
    const auto axis = static_cast<std::size_t>(*item);
    if (axis >= count || seen[axis])
      return no_grid(scanner, begin, fmt::format("T(..) has not each of 0 to {} once", count - 1));
    seen[axis] = true;
    permutation.push_back(axis);
  } while (scanner.take(","));
  TESSERA_TRY_STATUS(scanner.expect(")"));
  if (permutation.size() != count)
    return no_grid(scanner, begin, fmt::format("T(..) has not each of 0 to {} once", count - 1));
  return permutation;
}

// Sorts the members of neighbouring blocks of `size` places whose order says nothing: by the first of each of the
// `parts`.
void sort_blocks(std::vector<std::int32_t>& order, std::size_t parts, std::size_t size) {
  std::vector<std::vector<std::int32_t>> members(parts);
  for (std::size_t begin = 0; begin + parts * size <= order.size(); begin += parts * size) {
    for (std::size_t i = 0; i < parts; ++i) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin + i * size);
      members[i].assign(first, first + static_cast<std::ptrdiff_t>(size));
    }
    std::sort(members.begin(), members.end());
    auto out = order.begin() + static_cast<std::ptrdiff_t>(begin);
    for (const auto& member : members) out = std::copy(member.begin(), member.end(), out);
  }
}

}  // namespace

std::optional<Digits> digits_of_order(const std::vector<std::int32_t>& order) {
  if (order.front() != 0) return std::nullopt;
  Digits minor_first;
  std::size_t block = 1;
  while (block < order.size()) {
    const std::int64_t stride = order[block];
    std::size_t size = 1;
    while (size * block < order.size() && order[size * block] == static_cast<std::int64_t>(size) * stride) ++size;
    if (size == 1 || order.size() % (size * block) != 0) return std::nullopt;
    for (std::size_t i = block; i < size * block; ++i) {
      if (order[i] != order[i % block] + static_cast<std::int64_t>(i / block) * stride) return std::nullopt;
    }
    minor_first.push_back({static_cast<std::int64_t>(size), stride});
    block *= size;
  }
  return Digits(minor_first.rbegin(), minor_first.rend());
}

std::optional<std::vector<Digits>> dealt(const Digits& digits, const std::vector<std::int64_t>& extents) {
  std::vector<Digits> result(extents.size());
  Digits rest(digits.rbegin(), digits.rend());  // the next one is last
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::int64_t wanted = extents[i];
    while (wanted > 1) {
      if (rest.empty()) return std::nullopt;
      const Digit next = rest.back();
      rest.pop_back();
      if (wanted % next.size == 0) {
        result[i].push_back(next);
        wanted /= next.size;
      } else if (next.size % wanted == 0) {
        result[i].push_back({wanted, next.stride * (next.size / wanted)});
        rest.push_back({next.size / wanted, next.stride});
        wanted = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  return result;
}

base::Result<DeviceArray> DeviceArray::read(Scanner& scanner) {
  DeviceArray result;
  scanner.sees("");
  result.begin_ = scanner.offset();
  TESSERA_TRY_STATUS(result.read_extents(scanner));
  if (scanner.take("<=")) {
    TESSERA_TRY_STATUS(result.read_formula(scanner));
  } else {
    TESSERA_TRY_STATUS(result.read_list(scanner));
  }
  return result;
}

base::Status DeviceArray::read_extents(Scanner& scanner) {
  TESSERA_TRY(extents, read_sizes(scanner, devices_));
  extents_ = std::move(extents);
  return base::Done{};
}

base::Status DeviceArray::read_formula(Scanner& scanner) {
  std::int64_t devices = 1;
  TESSERA_TRY(sizes, read_sizes(scanner, devices));
  if (devices != devices_)
    return no_grid(scanner, begin_,
                   fmt::format("the extents multiply to {}, the numbers behind <= to {}", devices_, devices));
  std::vector<std::size_t> permutation;
  if (scanner.take("T")) {
    TESSERA_TRY(read, read_permutation(scanner, sizes.size()));
    permutation = std::move(read);
  } else {
    for (std::size_t i = 0; i < sizes.size(); ++i) permutation.push_back(i);
  }
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  for (const std::size_t axis : permutation) formula_.push_back({sizes[axis], strides[axis]});
  formula_ = merged(formula_);
  return base::Done{};
}

base::Status DeviceArray::read_list(Scanner& scanner) {
  std::vector<bool> seen(static_cast<std::size_t>(devices_), false);
  do {
    scanner.sees("");
    const std::uint32_t begin = scanner.offset();
    const auto device = scanner.number();
    if (!device) return scanner.wrong("`<=` or a list of devices is wanted here");
    if (*device >= devices_)
      return no_grid(scanner, begin, fmt::format("{} of them have no device {}", devices_, *device));
    if (seen[static_cast<std::size_t>(*device)])
      return no_grid(scanner, begin, fmt::format("device {} is there twice", *device));
    seen[static_cast<std::size_t>(*device)] = true;
    order_.push_back(static_cast<std::int32_t>(*device));
  } while (scanner.take(","));
  if (static_cast<std::int64_t>(order_.size()) != devices_)
    return no_grid(scanner, begin_,
                   fmt::format("the extents multiply to {}, and {} are listed", devices_, order_.size()));
  return base::Done{};
}

base::Result<Grid> DeviceArray::grid(const Scanner& scanner, const std::vector<Trailing>& trailing) {
  std::optional<Digits> digits = formula_;
  if (!order_.empty()) {
    std::size_t size = 1;
    for (std::size_t i = 0; i < trailing.size();) {
      std::size_t parts = 1;
      const Trailing kind = trailing[trailing.size() - 1 - i];
      for (; i < trailing.size() && trailing[trailing.size() - 1 - i] == kind; ++i)
        parts *= static_cast<std::size_t>(extents_[extents_.size() - 1 - i]);
      sort_blocks(order_, parts, size);
      size *= parts;
    }
    digits = digits_of_order(order_);
  }
  const auto shares = digits ? dealt(merged(*digits), extents_) : std::nullopt;
  if (!shares) return base::make(Kind::interop_no_mesh, "this order of devices").at(scanner.span(begin_));
  return Grid{extents_, *shares, devices_};
}

}  // namespace tessera::interop
