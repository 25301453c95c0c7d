// Layouts of other systems; tessera/interop.py has the public side.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/module/classes.hpp"
#include "python/module/errors.hpp"
#include "tessera/interop.hpp"

namespace tessera::python {

namespace {

// Format, text, mesh, shape, devices.
using Words = std::tuple<std::string, std::string, std::string, std::string, std::int64_t>;
// Mesh, type, devices, notes.
using Answer = std::tuple<std::string, std::string, std::int64_t, std::vector<std::string>>;

ForeignLayout layout_of(const Words& words, std::optional<std::int64_t> leaf = std::nullopt) {
  ForeignLayout layout;
  std::tie(layout.format, layout.text, layout.mesh, layout.shape, layout.devices) = words;
  layout.leaf = leaf;
  return layout;
}

Answer answer_of(ReadLayout read) {
  return {std::move(read.mesh), std::move(read.type), read.devices, std::move(read.notes)};
}

}  // namespace

void bind_layouts(nb::module_& m) {
  m.def("_layout_formats", [] { return layout_formats(); });
  m.def(
      "_read_layout",
      [](const Words& words, std::optional<std::int64_t> leaf) {
        return answer_of(taken(read_layout(layout_of(words, leaf))));
      },
      nb::arg("words"), nb::arg("leaf") = nb::none());
  m.def(
      "_read_layouts",
      [](const Words& from, const Words& to) {
        auto [source, target] = taken(read_layouts(layout_of(from), layout_of(to)));
        return std::pair(answer_of(std::move(source)), answer_of(std::move(target)));
      },
      nb::arg("from_"), nb::arg("to"));
  m.def(
      "_write_layout",
      [](const std::string& mesh, const std::string& type, const std::string& format) {
        WrittenLayout written = taken(write_layout(mesh, type, format));
        return std::pair(std::move(written.text), std::move(written.mesh));
      },
      nb::arg("mesh"), nb::arg("type"), nb::arg("format"));
}

}  // namespace tessera::python
