// Integers of 8, 16 and 32 bits: widened to i64 as they are, and stored by their lowest bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/kernels/map.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

// Every 16-bit number, those about the ends of 32 and 64 bits, and numbers far from both.
std::vector<std::int64_t> numbers_to_store() {
  std::vector<std::int64_t> all;
  for (std::int64_t i = -70'000; i <= 70'000; ++i) all.push_back(i);
  for (const std::int64_t end : {std::int64_t{1} << 31U, std::int64_t{1} << 32U, std::int64_t{1} << 62U}) {
    for (std::int64_t i = -300; i <= 300; ++i) {
      all.push_back(end + i);
      all.push_back(-end + i);
    }
  }
  all.push_back(std::numeric_limits<std::int64_t>::min());
  all.push_back(std::numeric_limits<std::int64_t>::max());
  return all;
}

TEST(StoredIntegers, KeepTheLowestBits) {
  const std::vector<std::int64_t> numbers = numbers_to_store();
  const Shape shape{static_cast<std::int64_t>(numbers.size())};
  const Array<std::int64_t> from(shape, numbers);
  for (const ElementType element :
       {ElementType::i8, ElementType::u8, ElementType::i16, ElementType::u16, ElementType::u32}) {
    std::vector<std::byte> stored(numbers.size() * static_cast<std::size_t>(synth::bytes_of(element)));
    Array<std::int64_t> back(shape);
    const TileView view = from.view();
    ASSERT_FALSE(map(synth::MapOp::cast, std::span(&view, 1), TileOut{element, shape, stored.data()}).has_value());
    const TileView again = dense_view(element, shape, stored.data());
    ASSERT_FALSE(map(synth::MapOp::cast, std::span(&again, 1), back.out()).has_value());
    const auto [least, greatest] = synth::range_of(element);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t own = back[static_cast<std::int64_t>(i)];
      ASSERT_TRUE(own >= least && own <= greatest) << synth::name(element);
      const auto difference = static_cast<std::uint64_t>(own) - static_cast<std::uint64_t>(numbers[i]);
      ASSERT_EQ(difference % (std::uint64_t{1} << (8U * static_cast<unsigned>(synth::bytes_of(element)))), 0U)
          << synth::name(element) << " of " << numbers[i];
    }
  }
}

}  // namespace
}  // namespace tessera::runtime::test
