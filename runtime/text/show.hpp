// Shows as text who holds what.
#pragma once

#include <string>

#include "runtime/memory/gather.hpp"

namespace tessera::runtime {

// `label: type`, then the picture, with the elements of a small array.
std::string show_text(const Distributed& array, std::string_view label);

// Does the picture of an array of this type show its elements?
bool shows_elements(const synth::ArrayType& type);

// `0`, `0-3`, `0,2,5-7` or `0-12 by 4`.
std::string device_list(const std::vector<std::size_t>& devices);

}  // namespace tessera::runtime
