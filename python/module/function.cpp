// class Function.
#include "python/module/function.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/module/classes.hpp"
#include "python/module/collected.hpp"
#include "python/module/records.hpp"
#include "python/module/work.hpp"

namespace tessera::python {

namespace {

nb::object call(PyFunction& self, const nb::args& arguments, const nb::kwargs& named) {
  if (!named.empty()) {
    throw nb::type_error(
        ("the arguments of `" + self.function().name() + "` have no names here: write them in their order, f(x, w)")
            .c_str());
  }
  self.callbacks().lend();
  const std::vector<Array> arrays = arrays_of(self.function(), arguments);
  std::vector<Array> results;
  if (Interruptible::is_main_thread()) {
    StopToken token;
    results = worked(nullptr, &token, [&] { return self.function().call(arrays, token); });
  } else {
    results = worked(nullptr, nullptr, [&] { return self.function().call(arrays); });
  }
  std::vector<nb::object> objects;
  for (Array& result : results) objects.push_back(nb::cast(std::move(result)));
  const nb::list list = items_of(self.function().result_parts(), objects);
  if (nb::len(list) == 1) return list[0];
  return nb::tuple(list);
}

// The types of a call's parameters or results: a text each, a dict of texts for a record.
nb::list types_of(const std::vector<std::string>& types, const std::vector<Function::Part>& parts) {
  std::vector<nb::object> texts;
  for (const std::string& type : types) texts.emplace_back(nb::str(type.c_str()));
  return items_of(parts, texts);
}

// As the language writes them: `f32[4], {w: f32[4, 2], b: f32[2]}`.
std::string text_of(const nb::list& types) {
  std::vector<std::string> texts;
  for (const nb::handle type : types) texts.push_back(type_of(type, "a type"));
  return joined(texts);
}

}  // namespace

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

void bind_function(nb::module_& m) {
  nb::class_<PyFunction> f(m, "Function", nb::type_slots(kCollected<PyFunction>),
                           "A compiled function: call it with Arrays, from any number of threads.");
  f.def("__call__", &call, nb::sig("def __call__(self, *arguments: Array | dict[str, typing.Any]) -> typing.Any"),
        "The result, or a tuple of results; a record is a dict of Arrays.");
  f.def("__repr__", [](const PyFunction& self) {
    const Function& f = self.function();
    return "<Function " + f.name() + "(" + text_of(types_of(f.parameters(), f.parameter_parts())) + ") -> " +
           text_of(types_of(f.results(), f.result_parts())) + ">";
  });
  f.def_prop_ro("name", [](const PyFunction& self) { return self.function().name(); }, "Its name.");
  f.def_prop_ro(
      "parameters",
      [](const PyFunction& self) { return types_of(self.function().parameters(), self.function().parameter_parts()); },
      nb::sig("def parameters(self) -> list[typing.Any]"), "Their types; of a record a dict of them.");
  f.def_prop_ro(
      "results",
      [](const PyFunction& self) { return types_of(self.function().results(), self.function().result_parts()); },
      nb::sig("def results(self) -> list[typing.Any]"), "Their types; of a record a dict of them.");
}

}  // namespace tessera::python
