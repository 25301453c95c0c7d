// The classes of the module, each bound in a file of its name.
#pragma once

#include <nanobind/nanobind.h>

#include "tessera/tessera.hpp"

namespace tessera::python {

namespace nb = nanobind;

void bind_array(nb::module_& m);
void bind_function(nb::module_& m);
void bind_layouts(nb::module_& m);   // of other systems
void bind_programs(nb::module_& m);  // Report, Program and what they list
void bind_plans(nb::module_& m);     // Plan, plan, compare, verify
void bind_session(nb::module_& m);
void bind_texts(nb::module_& m);  // explain, format, is_incomplete, operations

// Choices of layouts as dictionaries, with the keys of `tessera choose --json`.
nb::list dicts_of(const std::vector<Choice>& choices);
// A machine as Python gives it: a file's name, its text or its list; None is the default.
Machine machine_of(const nb::object& given);
// A placement: `auto`, a matrix as text or as lists; None is none.
std::string place_of(const nb::object& given);
// `64MiB` or a number of bytes.
std::optional<std::int64_t> bytes_from(const nb::object& given);

}  // namespace tessera::python
