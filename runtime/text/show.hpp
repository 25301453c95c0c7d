// Shows as text who holds what.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

struct Distributed;

// The columns of a picture unless its screen has others.
inline constexpr int kPictureColumns = 100;

// `label: type`, then the picture, with the elements of a small array. A screen may fold the picture between devices,
// so that on a narrower one than usual no device takes more than all its columns.
std::string show_text(const Distributed& array, std::string_view label, int columns = kPictureColumns);

// Does the picture of an array of this type show its elements?
bool shows_elements(const synth::ArrayType& type);

// `0`, `0-3`, `0,2,5-7` or `0-12 by 4`.
std::string device_list(const std::vector<std::size_t>& devices);

}  // namespace tessera::runtime
