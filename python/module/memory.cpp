#include "python/module/memory.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "python/module/errors.hpp"

namespace tessera::python {

namespace {

// A buffer that C++ may let go of on any thread.
std::shared_ptr<const void> kept(const Py_buffer& buffer) {
  return {new Py_buffer(buffer), [](const void* held) {
            auto* const view = static_cast<Py_buffer*>(const_cast<void*>(held));
            if (Py_IsInitialized() != 0) {
              const nb::gil_scoped_acquire locked;
              PyBuffer_Release(view);
            }
            delete view;
          }};
}

// The element type of a buffer's format, `<f` say; none that is ours.
std::optional<Element> element_of(const char* format, Py_ssize_t bytes) {
  std::string_view code = format == nullptr ? "B" : format;
  if (code.starts_with('@') || code.starts_with('=') || code.starts_with('<')) code.remove_prefix(1);
  if (code == "?") return Element::boolean;
  const bool is_integer = code == "i" || code == "l" || code == "q";
  if (is_integer && bytes == 4) return Element::i32;
  if (is_integer && bytes == 8) return Element::i64;
  if (code == "b") return Element::i8;
  if (code == "B") return Element::u8;
  if (code == "h") return Element::i16;
  if (code == "H") return Element::u16;
  if ((code == "I" || code == "L") && bytes == 4) return Element::u32;
  if (code == "e") return Element::f16;
  if (code == "f") return Element::f32;
  if (code == "d") return Element::f64;
  if (code == "Zf") return Element::c64;
  if (code == "Zd") return Element::c128;
  return std::nullopt;
}

std::optional<Element> element_of(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return std::nullopt;
  const auto is = [&](Code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits;
  };
  if (is(Code::Bool, 8)) return Element::boolean;
  if (is(Code::Int, 32)) return Element::i32;
  if (is(Code::Int, 64)) return Element::i64;
  if (is(Code::Int, 8)) return Element::i8;
  if (is(Code::Int, 16)) return Element::i16;
  if (is(Code::UInt, 8)) return Element::u8;
  if (is(Code::UInt, 16)) return Element::u16;
  if (is(Code::UInt, 32)) return Element::u32;
  if (is(Code::Float, 16)) return Element::f16;
  if (is(Code::Float, 32)) return Element::f32;
  if (is(Code::Float, 64)) return Element::f64;
  if (is(Code::Bfloat, 16)) return Element::bf16;
  if (is(Code::Complex, 64)) return Element::c64;
  if (is(Code::Complex, 128)) return Element::c128;
  return std::nullopt;
}

std::string text_of(const nb::object& object) { return nb::cast<std::string>(nb::str(object)); }

// `numpy.ndarray of float64`, of whatever was given.
std::string description(nb::handle object) {
  std::string text = type_text(object);
  if (nb::hasattr(object, "dtype")) text += " of " + text_of(object.attr("dtype"));
  return text;
}

const char* numpy_name(Element element) {
  switch (element) {
    case Element::boolean: return "bool";
    case Element::i32: return "int32";
    case Element::i64: return "int64";
    case Element::f32: return "float32";
    case Element::f64: return "float64";
    case Element::f16: return "float16";
    case Element::bf16: return "uint16";  // its bits
    case Element::i8: return "int8";
    case Element::u8: return "uint8";
    case Element::i16: return "int16";
    case Element::u16: return "uint16";
    case Element::u32: return "uint32";
    case Element::c64: return "complex64";
    case Element::c128: return "complex128";
  }
  return "";
}

[[noreturn]] void wrong_element(nb::handle object, const Element* wanted) {
  const std::string is = "this is a " + description(object);
  if (wanted == nullptr) {
    throw nb::type_error(
        (is +
         ", and Tessera's element types are bool, i8 to i64, u8 to u32, f32, f64, f16, bf16, c64 and c128: convert it, "
         "`x.astype(\"float32\")` say")
            .c_str());
  }
  const std::string to =
      *wanted == Element::bf16 ? "ml_dtypes.bfloat16" : std::string("\"") + numpy_name(*wanted) + "\"";
  throw nb::type_error(
      (is + ", and the type wants " + name_of(*wanted) + ": convert it, `x.astype(" + to + ")`").c_str());
}

bool is_bfloat16(nb::handle object) {
  if (!nb::hasattr(object, "dtype") || !nb::hasattr(object, "view")) return false;
  const nb::object type = object.attr("dtype");
  return nb::hasattr(type, "name") && nb::cast<std::string>(nb::str(type.attr("name"))) == "bfloat16";
}

std::optional<HostArray> by_buffer(nb::handle object) {
  Py_buffer view{};
  if (PyObject_CheckBuffer(object.ptr()) == 0) return std::nullopt;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto keep = kept(view);
  const auto element = element_of(view.format, view.itemsize);
  if (!element) return std::nullopt;
  HostArray array{{view.buf, {}}, *element, {}, keep};
  for (int d = 0; d < view.ndim; ++d) {
    array.shape.push_back(view.shape[d]);
    if (view.strides != nullptr) array.memory.strides_bytes.push_back(view.strides[d]);  // none: row-major, dense
  }
  return array;
}

// The GPU that an object says it lies on; -1: none.
int gpu_of(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return -1;
  const nb::object device = object.attr("__dlpack_device__")();
  const bool is_gpu = nb::cast<int>(nb::object(device[0])) == nb::device::cuda::value;
  return is_gpu ? nb::cast<int>(nb::object(device[1])) : -1;
}

// Its owner puts an event of its own work before what our stream does next.
nb::object handed_over(nb::handle object, int gpu, const Session& session) {
  void* const stream = session.gpu_stream(gpu);
  if (stream == nullptr) {
    throw nb::type_error(("this array lies on GPU " + std::to_string(gpu) +
                          ", where the session has no device: make the session with it, `tessera.Session(gpu=\"" +
                          std::to_string(gpu) + "\")`, or copy the array first, `x.cpu()` or `jax.device_get(x)`")
                             .c_str());
  }
  return object.attr("__dlpack__")(nb::arg("stream") = reinterpret_cast<std::uintptr_t>(stream));
}

std::optional<HostArray> by_dlpack(nb::handle object, const Session& session) {
  if (!nb::hasattr(object, "__dlpack__")) return std::nullopt;
  nb::ndarray<nb::ro> view;
  const int gpu = gpu_of(object);
  const nb::object given = gpu < 0 ? nb::borrow(object) : handed_over(object, gpu, session);
  if (!nb::try_cast(given, view)) return std::nullopt;
  const bool is_as_said = gpu < 0 ? view.device_type() == nb::device::cpu::value
                                  : view.device_type() == nb::device::cuda::value && view.device_id() == gpu;
  if (!is_as_said) {
    throw nb::type_error(
        "this array lies on a device that is neither a processor nor a GPU of the session's: copy it first, `x.cpu()` "
        "or `jax.device_get(x)`");
  }
  const auto element = element_of(view.dtype());
  if (!element) return std::nullopt;
  HostArray array{{view.data(), {}, gpu}, *element, {}, nullptr};
  for (std::size_t d = 0; d < view.ndim(); ++d) {
    array.shape.push_back(static_cast<std::int64_t>(view.shape(d)));
    // Without strides it is row-major and dense.
    if (view.stride_ptr() != nullptr) array.memory.strides_bytes.push_back(view.stride(d) * bytes_of(*element));
  }
  auto* const held = new nb::ndarray<nb::ro>(std::move(view));
  array.keep = {static_cast<const void*>(held), [held](const void*) {
                  if (Py_IsInitialized() == 0) return;
                  const nb::gil_scoped_acquire locked;
                  delete held;
                }};
  return array;
}

}  // namespace

std::string type_text(nb::handle object) {
  const nb::handle type = object.type();
  const std::string module = nb::cast<std::string>(nb::str(nb::object(type.attr("__module__"))));
  const std::string name = nb::cast<std::string>(nb::str(nb::object(type.attr("__qualname__"))));
  return module == "builtins" ? name : module + "." + name;
}

HostArray host_array(nb::handle object, const Session& session, const Element* wanted) {
  if (is_bfloat16(object) && gpu_of(object) < 0) {
    auto array = by_buffer(object.attr("view")("uint16").attr("view")("float16"));
    if (!array) array = by_dlpack(object, session);
    if (array) {
      array->element = Element::bf16;
      if (wanted != nullptr && *wanted != Element::bf16) wrong_element(object, wanted);
      return std::move(*array);
    }
  }
  auto array = gpu_of(object) < 0 ? by_buffer(object) : std::nullopt;
  if (!array) array = by_dlpack(object, session);
  if (!array && PyObject_CheckBuffer(object.ptr()) == 0 && !nb::hasattr(object, "__dlpack__")) {
    throw nb::type_error(("this is a " + description(object) +
                          ", which has neither a buffer nor __dlpack__: make an array of it, `numpy.asarray(x)`")
                             .c_str());
  }
  if (!array || (wanted != nullptr && array->element != *wanted)) wrong_element(object, wanted);
  return std::move(*array);
}

void expect_shape(const HostArray& array, const std::vector<std::int64_t>& shape, const std::string& of) {
  if (array.shape == shape) return;
  const auto text = [](const std::vector<std::int64_t>& extents) {
    nb::list list;
    for (const std::int64_t extent : extents) list.append(extent);
    return nb::cast<std::string>(nb::repr(nb::tuple(list)));
  };
  throw nb::value_error(("the shape is " + text(array.shape) + ", and " + of + " wants " + text(shape)).c_str());
}

HostArray copied(const HostArray& array) {
  if (array.memory.gpu >= 0) {
    HostArray copy = array;
    copy.memory.copy = true;
    return copy;
  }
  const std::int64_t element_bytes = bytes_of(array.element);
  std::vector<std::int64_t> strides = array.memory.strides_bytes;
  if (strides.size() < array.shape.size()) {
    strides.assign(array.shape.size(), element_bytes);
    for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * array.shape[d];
  }
  std::size_t bytes = static_cast<std::size_t>(element_bytes);
  for (const std::int64_t extent : array.shape) bytes *= static_cast<std::size_t>(extent);
  const auto memory = std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  std::byte* to = memory.get();
  const auto copy = [&](const auto& self, std::size_t dimension, const std::byte* from) -> void {
    if (dimension == array.shape.size()) {
      std::memcpy(to, from, static_cast<std::size_t>(element_bytes));
      to += element_bytes;
      return;
    }
    const std::int64_t stride = strides[dimension];
    const bool is_row = dimension + 1 == array.shape.size() && stride == element_bytes;
    if (is_row) {
      const auto row = static_cast<std::size_t>(array.shape[dimension] * element_bytes);
      std::memcpy(to, from, row);
      to += row;
      return;
    }
    for (std::int64_t i = 0; i < array.shape[dimension]; ++i) self(self, dimension + 1, from + i * stride);
  };
  if (bytes > 0) copy(copy, 0, static_cast<const std::byte*>(array.memory.data));
  return {{memory.get(), {}}, array.element, array.shape, memory};
}

const char* name_of(Element element) {
  switch (element) {
    case Element::boolean: return "bool";
    case Element::i32: return "i32";
    case Element::i64: return "i64";
    case Element::f32: return "f32";
    case Element::f64: return "f64";
    case Element::f16: return "f16";
    case Element::bf16: return "bf16";
    case Element::i8: return "i8";
    case Element::u8: return "u8";
    case Element::i16: return "i16";
    case Element::u16: return "u16";
    case Element::u32: return "u32";
    case Element::c64: return "c64";
    case Element::c128: return "c128";
  }
  return "";
}

std::int64_t bytes_of(Element element) {
  switch (element) {
    case Element::boolean:
    case Element::i8:
    case Element::u8: return 1;
    case Element::i32:
    case Element::u32:
    case Element::f32: return 4;
    case Element::i64:
    case Element::f64:
    case Element::c64: return 8;
    case Element::c128: return 16;
    case Element::i16:
    case Element::u16:
    case Element::f16:
    case Element::bf16: return 2;
  }
  return 0;
}

namespace {

nb::dlpack::dtype dlpack_type(Element element, bool bf16_as_u16) {
  using Code = nb::dlpack::dtype_code;
  const auto type = [&](Code code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * bytes_of(element)), 1};
  };
  switch (element) {
    case Element::boolean: return type(Code::Bool);
    case Element::i8:
    case Element::i16:
    case Element::i32:
    case Element::i64: return type(Code::Int);
    case Element::u8:
    case Element::u16:
    case Element::u32: return type(Code::UInt);
    case Element::f32:
    case Element::f64:
    case Element::f16: return type(Code::Float);
    case Element::c64:
    case Element::c128: return type(Code::Complex);
    case Element::bf16: return type(bf16_as_u16 ? Code::UInt : Code::Bfloat);
  }
  return type(Code::Float);
}

// ml_dtypes' type, which numpy lacks.
nb::object bfloat16() {
  try {
    return nb::module_::import_("ml_dtypes").attr("bfloat16");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;
  }
  throw nb::type_error("numpy has no bf16: `pip install ml_dtypes`, or take `f32(a)` in the program");
}

nb::module_ numpy() { return nb::module_::import_("numpy"); }

}  // namespace

nb::object numpy_dtype(Element element) {
  return numpy().attr("dtype")(element == Element::bf16 ? bfloat16() : nb::object(nb::str(numpy_name(element))));
}

namespace {

nb::object exported(const Array& array, const Array::View& view, bool bf16_as_u16) {
  std::vector<std::size_t> shape(view.shape.begin(), view.shape.end());
  std::vector<std::int64_t> strides;
  for (const std::int64_t stride : view.strides_bytes) strides.push_back(stride / bytes_of(array.element()));
  static std::byte nothing[64];
  const void* const data = view.data == nullptr ? nothing : view.data;
  const nb::capsule owner(new Array(array), [](void* held) noexcept { delete static_cast<Array*>(held); });
  const int type = view.gpu < 0 ? nb::device::cpu::value : nb::device::cuda::value;
  nb::ndarray<nb::ro, nb::array_api> made(data, shape.size(), shape.data(), owner, strides.data(),
                                          dlpack_type(array.element(), bf16_as_u16), type, std::max(view.gpu, 0));
  return nb::cast(made);
}

}  // namespace

nb::object tile_in_place(const Array& array, std::int64_t device, bool bf16_as_u16) {
  return exported(array, taken(array.view(device)), bf16_as_u16);
}

nb::object tile_where_it_lies(const Array& array, std::int64_t device) {
  return exported(array, taken(array.view_in_place(device)), false);
}

nb::object numpy_tile(const Array& array, std::int64_t device) {
  const nb::object made = numpy().attr("asarray")(tile_in_place(array, device, true));
  return array.element() == Element::bf16 ? made.attr("view")(bfloat16()) : made;
}

nb::object gathered(const Array& array) {
  nb::list shape;
  for (const std::int64_t extent : array.shape()) shape.append(extent);
  const nb::object made = numpy().attr("empty")(nb::tuple(shape), numpy_name(array.element()));
  auto* const to = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(made.attr("ctypes").attr("data")));
  const Status copied = [&] {
    const nb::gil_scoped_release unlocked;
    return array.copy_to(to);
  }();
  done(copied);
  return array.element() == Element::bf16 ? made.attr("view")(bfloat16()) : made;
}

}  // namespace tessera::python
