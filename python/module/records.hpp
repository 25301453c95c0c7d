// Records as dicts of Python's: a field is an item, a record in a record a dict in a dict.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "tessera/function.hpp"

namespace tessera::python {

namespace nb = nanobind;

// Is it a dict, or a mapping that is none?
bool is_record(nb::handle value);
// The items of a dict and of those in it, in order, each with its path, `layer.w`. TypeError for a key that is no str,
// ValueError for a dict without items; `who` is what messages call it.
using Leaves = std::vector<std::pair<std::string, nb::object>>;
Leaves leaves(nb::handle dict, const std::string& who);
// The dict of these items, the inverse of leaves().
nb::dict nested(const Leaves& items);
// What stands in a dict and in a dict of types under the same keys: the path, the item and its type. TypeError where
// one has a key that the other lacks, and for what is no dict.
struct Pair {
  std::string path;
  nb::object item;
  std::string type;
};
std::vector<Pair> paired(nb::handle dict, nb::handle types);
// `{w: f32[8], layer: {b: f32}}`, from a dict of types; a type alone is itself.
std::string type_of(nb::handle types, const std::string& who);

// What stands behind the arrays of a call, parameters or results: an item of each, a dict for a record.
nb::list items_of(const std::vector<Function::Part>& parts, const std::vector<nb::object>& arrays);
// The arguments of a call as its arrays; TypeError for one that is none of what the function takes.
std::vector<Array> arrays_of(const Function& function, const nb::args& arguments);

}  // namespace tessera::python
