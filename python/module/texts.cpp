// What the library says about the language.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/module/classes.hpp"
#include "python/module/errors.hpp"
#include "tessera/units.hpp"

namespace tessera::python {

void bind_texts(nb::module_& m) {
  nb::class_<OperationHelp>(m, "Operation", "An operation that programs can call.")
      .def_ro("name", &OperationHelp::name, "Its name.")
      .def_ro("signature", &OperationHelp::signature, "How it is called, `sum(a, dim=)`.")
      .def_ro("does", &OperationHelp::does, "What it does.")
      .def_ro("layouts", &OperationHelp::layouts, "What happens to layouts; may be empty.")
      .def("__repr__", [](const OperationHelp& o) { return "<" + o.signature + ">"; });
  m.def(
      "explain", [](const std::string& slug) { return taken(explain(slug)); }, nb::arg("slug"),
      "The error index about a slug, as Markdown.");
  m.def(
      "format", [](const std::string& text) { return taken(format(text)); }, nb::arg("text"),
      "A program in the canonical layout.");
  m.def(
      "is_incomplete", [](const std::string& text) { return is_incomplete(text); }, nb::arg("text"),
      "Does the text end where another line may complete it?");
  m.def("operations", &operations, "Every operation that programs can call.");
  m.def("_bytes_text", &bytes_text);
  m.def("_seconds_text", &seconds_text);
  m.def("_keywords", &keywords);
  m.def("_slugs", &all_slugs);
  m.def("_version", [] { return std::string(version()); });
}

}  // namespace tessera::python
