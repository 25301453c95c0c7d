#include "python/module/errors.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include "repl/render/diagnostic.hpp"

namespace tessera::python {

namespace {

nb::module_ python_side() { return nb::module_::import_("tessera._errors"); }

nb::object to_python(const Label& label) {
  const Place& place = label.place;
  return python_side().attr("Label")(place.file, place.line, place.column, place.length, label.text, label.primary);
}

}  // namespace

nb::object to_python(const Diagnostic& diagnostic) {
  nb::list labels;
  for (const Label& label : diagnostic.labels) labels.append(to_python(label));
  std::string text = repl::render(diagnostic, repl::Colour::no);
  if (text.ends_with('\n')) text.pop_back();
  return python_side().attr("Diagnostic")(diagnostic.slug, repl::name(diagnostic.severity),
                                          static_cast<int>(diagnostic.blame), diagnostic.message, diagnostic.help,
                                          nb::tuple(labels), text);
}

void raise(const Diagnostics& why) {
  nb::list diagnostics;
  for (const Diagnostic& diagnostic : why) diagnostics.append(to_python(diagnostic));
  const nb::object error = python_side().attr("error_of")(nb::tuple(diagnostics));
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

void raise_bad_call(std::string_view message, std::string_view help) {
  Diagnostic diagnostic;
  diagnostic.slug = "bad-call";
  diagnostic.blame = Blame::command;
  diagnostic.message = message;
  diagnostic.help = help;
  raise({diagnostic});
}

}  // namespace tessera::python
