// How the elements of an array are reached by one number: that of an element in its tile or its row, or that of a row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernels/tile.hpp"

namespace tessera::device {

// Dimensions merged where they may be, the last one innermost; none: one element for all numbers.
struct Nest {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
};
Nest nest_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides);

// What a text knows of an array's nests on all devices.
struct Access {
  enum class Inner : std::uint8_t { repeated, consecutive, strided };
  int rank = 0;
  Inner inner = Inner::repeated;
  bool is_together = true;  // elements whose numbers are a group's are on one line of the innermost dimension,
  bool is_aligned = true;   // and aligned
  int word = 0;             // where divisors and strides stand in a table's row

  int words() const { return rank == 0 ? 0 : 3 * rank - 2; }
  bool is_plain() const { return rank == 0 || (rank == 1 && inner == Inner::consecutive); }
};
// Groups of `side` elements.
Access access_of(const Nest& nest, std::int64_t side);
// What suits both.
Access joined(const Access& a, const Access& b);
// Are the groups of `side` elements of an array aligned, if it begins there?
bool are_aligned(const Nest& nest, std::int64_t begin, std::int64_t element_bytes, std::int64_t side);

// The words that the access needs of this nest.
void append_words(std::vector<std::int64_t>& words, const Access& access, const Nest& nest);

// Elements of an array, as text: their type, how many side by side, the address where the array begins.
struct Group {
  std::string_view type;
  std::int64_t side = 1;
  std::string address;
};
// Those from the number on. `last` is that of the last element there is, if others have to be left out, or empty.
std::string load_text(const Access& access, const Group& group, const std::string& number, const std::string& last);
// Writes `value` to an array that is not dense, from the number on.
std::string store_text(const Access& access, const Group& group, const std::string& number, const std::string& value);
// Writes `value` to a dense array. `count` of them are there, if it is not empty.
std::string store_text(bool is_aligned, const Group& group, const std::string& number, const std::string& count,
                       const std::string& value);

// The place of the element with a number, as text.
std::string place_text(const Access& access, const std::string& number);

}  // namespace tessera::device
