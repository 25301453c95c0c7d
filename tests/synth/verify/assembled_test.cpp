// Parts of arrays: copies of all kinds of placements are taken, and whatever is changed in them is refused.
#include "synth/verify/assembled.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "synth/moves/collective/moves.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// What the verifier says of copies as they are made.
std::optional<std::string> fault_of(const ArrayType& part, const ArrayType& result, const Offset& offset,
                                    const std::vector<BoxCopy>& copies, std::int64_t received_elements) {
  std::vector<LaidElements> laid;
  for (const Shift& shift : offset) laid.push_back({shift.offset, shift.step, shift.add, shift.spread});
  std::vector<GivenBox> given;
  for (const BoxCopy& copy : copies) given.push_back({copy.source, copy.target, copy.box});
  return fault_of_part(part, result, laid, given, received_elements);
}

std::int64_t received(const std::vector<BoxCopy>& copies) {
  std::int64_t count = 0;
  for (const BoxCopy& copy : copies) count += copy.source == copy.target ? 0 : elements(copy.box);
  return count;
}

TEST(ExampleOf, Assembled) {
  const ArrayType part = type("f32[4@x]", "x:2");
  const Offset offset = {Shift(3, -1)};
  const auto fault = [&](const std::vector<BoxCopy>& copies) {
    return fault_of(part, part, offset, copies, 4).value_or("");
  };
  EXPECT_EQ(fault({{1, 0, {{0, 2}}}, {0, 1, {{2, 4}}}}), "");
  EXPECT_EQ(fault({{1, 0, {{0, 2}}}, {1, 0, {{0, 2}}}, {0, 1, {{2, 4}}}}), "device 0: it gets an element twice");
  EXPECT_EQ(fault({{1, 0, {{0, 2}}}}), "device 1: elements of its tile are missing");
  EXPECT_EQ(fault({{1, 0, {{0, 2}}}, {1, 1, {{2, 4}}}}), "device 1: device 1 does not have what it sends");
}

struct Placed {
  ArrayType part;
  ArrayType result;
  Offset offset;
  std::vector<BoxCopy> copies;
};

// A part in any layout, laid into a result of any other with steps, reversed, spread, and beyond its ends.
std::optional<Placed> random_placed(Random& random) {
  const MeshRef on =
      mesh(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
  Shape of_part;
  Shape of_result;
  Offset offset;
  for (std::size_t d = 0; d <= random.below(3); ++d) {
    of_part.push_back(static_cast<std::int64_t>(1 + random.below(11)));
    of_result.push_back(static_cast<std::int64_t>(1 + random.below(11)));
    const auto step = std::array<std::int64_t, 6>{1, 1, 2, 3, -1, -2}[random.below(6)];
    const auto first = static_cast<std::int64_t>(random.below(13)) - 4;
    const auto add = random.below(3) == 0 ? static_cast<std::int64_t>(random.below(4)) : 0;
    const auto spread = add == 0 ? 1 : static_cast<std::int64_t>(1 + random.below(3));
    offset.push_back(spread == 1 ? Shift(first, step) : Shift(first, step, add, spread));
  }
  const Layout from = any_layout(*on, of_part.size(), true, random);
  const Layout loose = any_layout(*on, of_part.size(), false, random);
  const auto to = Layout::make(*on, loose.splits(), from.pending(), from.reduce());
  if (!to.ok()) return std::nullopt;
  const auto part = ArrayType::make(ElementType::f32, of_part, on, from);
  const auto result = ArrayType::make(ElementType::f32, of_result, on, *to);
  if (!part.ok() || !result.ok()) return std::nullopt;
  Placed placed{*part, *result, offset, copies(*part, *result, &offset)};
  return placed.copies.empty() ? std::nullopt : std::optional(std::move(placed));
}

// Every position of every device's tile that the part covers, and where it comes from: one element at a time.
using Arrivals = std::map<std::pair<std::int32_t, std::vector<std::int64_t>>, std::vector<std::int32_t>>;

void for_numbers(const Box& box, std::vector<std::int64_t>& at, const std::function<void()>& f) {
  if (at.size() == box.size()) return f();
  for (std::int64_t k = box[at.size()].begin; k < box[at.size()].end; ++k) {
    at.push_back(k);
    for_numbers(box, at, f);
    at.pop_back();
  }
}

bool lies_in(const Box& tile, const Offset& offset, const std::vector<std::int64_t>& number, bool of_part) {
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const Shift& shift = offset[d];
    const std::int64_t at = of_part ? shift.offset + shift.step * number[d] : shift.add + shift.spread * number[d];
    if (at < tile[d].begin || at >= tile[d].end) return false;
  }
  return true;
}

bool come_right(const Placed& own) {
  Arrivals arrivals;
  for (const BoxCopy& copy : own.copies) {
    if (copy.source < 0 || copy.source >= own.part.devices()) return false;
    if (copy.target < 0 || copy.target >= own.part.devices() || empty(copy.box)) return false;
    std::vector<std::int64_t> at;
    for_numbers(copy.box, at, [&] { arrivals[{copy.target, at}].push_back(copy.source); });
  }
  const AxisList& pending = own.part.layout().pending();
  std::size_t needed = 0;
  bool right = true;
  for (std::int32_t device = 0; device < own.part.devices(); ++device) {
    Box all;  // numbers that any element may have
    for (std::size_t d = 0; d < own.offset.size(); ++d) all.push_back({-16, 20});
    std::vector<std::int64_t> at;
    for_numbers(all, at, [&] {
      if (!lies_in(tile(own.result, device), own.offset, at, false)) return;
      if (!lies_in(whole(own.part.shape()), own.offset, at, true)) return;
      ++needed;
      const auto known = arrivals.find({device, at});
      if (known == arrivals.end() || known->second.size() != 1) return void(right = false);
      const std::int32_t source = known->second.front();
      const bool has_it = lies_in(tile(own.part, device), own.offset, at, true);
      if (!lies_in(tile(own.part, source), own.offset, at, true) || (has_it && source != device) ||
          position(own.part.mesh(), pending, source) != position(own.part.mesh(), pending, device))
        right = false;
    });
  }
  return right && needed == arrivals.size();
}

// A box dropped, sent twice, shifted, made longer or shorter, or from or to another device.
void spoil(std::vector<BoxCopy>& copies, std::int64_t devices, Random& random) {
  const std::size_t at = random.below(copies.size());
  const auto other = static_cast<std::int32_t>(random.below(static_cast<std::size_t>(devices) + 2)) - 1;
  Interval& side = copies[at].box[random.below(copies[at].box.size())];
  switch (random.below(7)) {
    case 0: copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: copies.push_back(copies[at]); break;
    case 2: side = {side.begin + 1, side.end + 1}; break;
    case 3: ++side.end; break;
    case 4: --side.end; break;
    case 5: copies[at].source = other; break;
    default: copies[at].target = other; break;
  }
}

TEST(Parts, AreLaidRightAndWrongCopiesAreRefused) {
  Random random(17);
  int refused = 0;
  int taken = 0;
  while (refused < 1000 && !HasFailure()) {
    auto own = random_placed(random);
    if (!own.has_value()) continue;
    const std::int64_t count = received(own->copies);
    const auto fault = [&](std::int64_t more) {
      return fault_of(own->part, own->result, own->offset, own->copies, count + more);
    };
    ASSERT_EQ(fault(0).value_or(""), "") << print(own->part) << " " << print(own->result);
    EXPECT_TRUE(fault(1).has_value());
    spoil(own->copies, own->part.devices(), random);
    const bool is_refused = fault(0).has_value();
    ASSERT_TRUE(is_refused || come_right(*own)) << print(own->part) << " " << print(own->result);
    ++(is_refused ? refused : taken);
  }
  EXPECT_LE(taken, 500);  // of two holders of one tile either may send
}

}  // namespace
}  // namespace tessera::synth::test
