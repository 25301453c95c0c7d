// A session's settings as Python gives them.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "python/module/classes.hpp"
#include "tessera/tessera.hpp"

namespace tessera::python {

Reshard reshard_of(const std::string& text);
// `"all"`, `"0,2"`, `0` or `[0, 2]`.
std::string gpus_of(const nb::object& given);
Products products_of(const std::string& text);
// `files` as Python gives it; a function is the callbacks' to install.
FilePolicy files_of(const nb::object& given);
std::map<std::string, std::string> texts_of(const nb::object& defines);
// The limits, by their names; another name is a mistake in the call.
void set_limits(Config& config, const nb::kwargs& limits);

}  // namespace tessera::python
