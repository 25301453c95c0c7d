// class Array: a value on its devices, for Python to read.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <string>

#include "python/module/classes.hpp"
#include "python/module/errors.hpp"
#include "python/module/memory.hpp"

namespace tessera::python {

namespace {

nb::tuple tuple_of(const std::vector<std::int64_t>& numbers) {
  nb::list list;
  for (const std::int64_t number : numbers) list.append(number);
  return nb::tuple(list);
}

std::int64_t count(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

// Does every device hold the whole array? All ranks say the same.
bool is_whole(const Array& array) {
  if (array.type().find('{') != std::string::npos) return false;  // parts of a sum
  return array.placement().tile == array.shape();
}

// The first device whose tile this process has.
std::int64_t device_here(const Array& array) {
  for (std::int64_t device = 0; device < array.devices(); ++device) {
    if (array.view_in_place(device)) return device;
  }
  return 0;
}

nb::tuple box_of(const Array& array, std::int64_t device) {
  nb::list slices;
  const nb::object slice = nb::borrow(reinterpret_cast<PyObject*>(&PySlice_Type));
  for (const auto& [begin, end] : taken(array.view_in_place(device)).box) slices.append(slice(begin, end));
  return nb::tuple(slices);
}

nb::object to_numpy(const Array& array, nb::handle dtype, nb::handle copy) {
  const bool must = !copy.is_none() && nb::cast<bool>(copy);
  const bool must_not = !copy.is_none() && !must;
  const bool whole = is_whole(array);
  if (must_not && !whole) {
    throw nb::value_error(("a " + array.type() +
                           " lies on several devices, and gathering it is a copy: take its tiles, `a.tiles`, or leave "
                           "out copy=False")
                              .c_str());
  }
  nb::object made = whole ? numpy_tile(array, device_here(array)) : gathered(array);
  if (whole && must) made = made.attr("copy")();
  if (dtype.is_none() || made.attr("dtype").equal(dtype)) return made;
  if (must_not) {
    throw nb::value_error(("the elements are " + std::string(name_of(array.element())) +
                           ", and another dtype is a copy: leave out copy=False")
                              .c_str());
  }
  return made.attr("astype")(dtype);
}

// Does whoever asks want the elements in a processor's memory, wherever they are?
bool wants_processor(const nb::kwargs& options) {
  if (!options.contains("dl_device")) return false;
  const nb::object device = nb::object(options["dl_device"]);
  return !device.is_none() && nb::cast<int>(nb::object(device[0])) == nb::device::cpu::value;
}

// The protocol's numbers of streams. Whatever the stream, it finds the elements there: runs end when their work has.
void check_stream(const nb::kwargs& options) {
  if (!options.contains("stream")) return;
  const nb::object stream = nb::object(options["stream"]);
  if (stream.is_none()) return;
  if (!nb::isinstance<nb::int_>(stream))
    throw nb::type_error("`stream` is a number: that of a CUDA stream, 1, 2 or -1");
  if (stream.equal(nb::int_(0)))
    throw nb::value_error("`stream` 0 could be two streams: 1 is the default stream, 2 that of each thread");
}

nb::object dlpack(const nb::object& self, const nb::kwargs& options) {
  const Array& array = nb::cast<const Array&>(self);
  if (!is_whole(array)) {
    PyErr_SetString(PyExc_BufferError, ("a " + array.type() +
                                        " lies on several devices: gather it, `numpy.asarray(a)`, or export one of "
                                        "`a.tiles`")
                                           .c_str());
    throw nb::python_error();
  }
  if (wants_processor(options)) {
    nb::kwargs rest = nb::cast<nb::kwargs>(nb::object(options.attr("copy")()));
    rest.attr("pop")("stream", nb::none());
    return tile_in_place(array, device_here(array), false).attr("__dlpack__")(**rest);
  }
  check_stream(options);
  return tile_where_it_lies(array, device_here(array)).attr("__dlpack__")(**options);
}

// Of an array on GPUs the one that has the first tile here.
nb::tuple dlpack_device(const Array& array) {
  const auto view = array.view_in_place(device_here(array));
  if (!view || view->gpu < 0) return nb::make_tuple(nb::device::cpu::value, 0);
  return nb::make_tuple(nb::device::cuda::value, view->gpu);
}

nb::object complex_number(std::complex<double> number) {
  return nb::steal(PyComplex_FromDoubles(number.real(), number.imag()));
}

// A scalar as one of Python's numbers.
nb::object scalar(const Array& array, const char* wanted) {
  if (!array.shape().empty()) {
    throw nb::type_error(
        ("a " + array.type() + " is no scalar: " + wanted + "() takes an array of shape (), as `sum(a)` is").c_str());
  }
  if (array.element() == Element::f16 || array.element() == Element::bf16)
    return nb::float_(taken(array.to_vector<float>()).front());
  std::byte bytes[16] = {};
  done(array.copy_to(bytes));
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  switch (array.element()) {
    case Element::boolean: return nb::bool_(read(std::uint8_t{}) != 0);
    case Element::i32: return nb::int_(read(std::int32_t{}));
    case Element::i64: return nb::int_(read(std::int64_t{}));
    case Element::f32: return nb::float_(read(float{}));
    case Element::f64: return nb::float_(read(double{}));
    case Element::i8: return nb::int_(read(std::int8_t{}));
    case Element::u8: return nb::int_(read(std::uint8_t{}));
    case Element::i16: return nb::int_(read(std::int16_t{}));
    case Element::u16: return nb::int_(read(std::uint16_t{}));
    case Element::u32: return nb::int_(read(std::uint32_t{}));
    case Element::c64: return complex_number(read(std::complex<float>{}));
    case Element::c128: return complex_number(read(std::complex<double>{}));
    case Element::f16:
    case Element::bf16: break;
  }
  return nb::none();
}

nb::object drawn(const nb::object& self, const char* by) {
  return nb::module_::import_("tessera._pictures").attr(by)(self);
}

nb::dict mesh_of(const Array& array) {
  nb::dict axes;
  for (const MeshAxis& axis : array.mesh()) axes[nb::str(axis.name.c_str())] = axis.size;
  return axes;
}

nb::list tiles_of(const Array& array) {
  nb::list tiles;
  for (std::int64_t device = 0; device < array.devices(); ++device)
    tiles.append(array.view(device) ? numpy_tile(array, device) : nb::object(nb::none()));
  return tiles;
}

}  // namespace

void bind_memory(nb::class_<Array>& c) {
  c.def("tile", &numpy_tile, nb::arg("device"), nb::sig("def tile(self, device: int) -> typing.Any"),
        "What one device holds, in place: a read-only numpy array that keeps this one alive.");
  c.def("box", &box_of, nb::arg("device"), nb::sig("def box(self, device: int) -> tuple[slice, ...]"),
        "Where a device's tile lies in the whole array: numpy.asarray(a)[a.box(d)] equals a.tile(d).");
  c.def_prop_ro("tiles", &tiles_of, nb::sig("def tiles(self, /) -> list[typing.Any]"),
                "The tile of every device, by number; None where another rank has it.");
  c.def("__array__", &to_numpy, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
        nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any"),
        "The whole array as numpy's: in place and read-only where every device has all of it, else gathered.");
  c.def("__dlpack__", &dlpack, nb::sig("def __dlpack__(self, **kwargs: typing.Any) -> typing.Any"),
        "In place, where every device has all of the array; of a split one a BufferError.");
  c.def("__dlpack_device__", &dlpack_device, nb::sig("def __dlpack_device__(self) -> tuple[int, int]"),
        "A processor's memory, (1, 0), or that of a GPU, (2, its number).");
}

void bind_array(nb::module_& m) {
  nb::class_<Array> c(m, "Array",
                      "An array on its devices. Immutable; made by Session.array, by programs and by functions.");
  c.def_prop_ro("type", &Array::type, "The type, `f32[8@x, 4]`.");
  c.def_prop_ro(
      "shape", [](const Array& a) { return tuple_of(a.shape()); }, nb::sig("def shape(self, /) -> tuple[int, ...]"),
      "The extents of the whole array.");
  c.def_prop_ro(
      "dtype", [](const Array& a) { return numpy_dtype(a.element()); }, nb::sig("def dtype(self, /) -> typing.Any"),
      "numpy's type of the elements; of bf16 ml_dtypes'.");
  c.def_prop_ro("ndim", [](const Array& a) { return a.shape().size(); }, "The number of dimensions.");
  c.def_prop_ro("size", [](const Array& a) { return count(a.shape()); }, "The number of elements.");
  c.def_prop_ro("mesh", &mesh_of, nb::sig("def mesh(self, /) -> dict[str, int]"),
                "The axes of its mesh, outermost first.");
  c.def_prop_ro("devices", &Array::devices, "The number of devices of its mesh.");
  c.def_prop_ro("borrowed", &Array::borrowed, "True if all tiles are read where the host has them.");
  c.def("picture", &Array::picture, nb::arg("columns") = 100, "Who holds what, as `show` draws it.");
  bind_memory(c);
  c.def("__int__", [](const Array& a) { return nb::int_(scalar(a, "int")); }, "A scalar as Python's number.");
  c.def("__float__", [](const Array& a) { return nb::float_(scalar(a, "float")); }, "A scalar as Python's number.");
  c.def("__bool__", [](const Array& a) { return nb::bool_(scalar(a, "bool")); }, "A scalar's truth.");
  c.def(
      "__repr__", [](const nb::object& self) { return drawn(self, "array_text"); },
      nb::sig("def __repr__(self) -> str"));
  c.def("_text", &Array::text);
  c.def(
      "_repr_svg_", [](const nb::object& self) { return drawn(self, "array_svg"); },
      nb::sig("def _repr_svg_(self) -> str | None"), "Who holds what, as a picture for notebooks.");
}

}  // namespace tessera::python
