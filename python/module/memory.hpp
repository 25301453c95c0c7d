// Memory of Python's: buffers and DLPack, in and out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/array_type.hpp"
#include "tessera/tessera.hpp"

namespace tessera::python {

namespace nb = nanobind;

// `numpy.ndarray`: what an object is.
std::string type_text(nb::handle object);

// An array of Python's, of one of our element types, in memory that a processor reads, or a GPU's.
struct HostArray {
  HostMemory memory;
  Element element = Element::f32;
  std::vector<std::int64_t> shape;
  std::shared_ptr<const void> keep;  // the object; let go of under the interpreter's lock
};

// By the buffer protocol, else by DLPack. Fails with TypeError for other objects and element types, which names what to
// type: `wanted` is the element type that is wanted, if there is one. What lies on a GPU is there before the work that
// the session does in its stream then; of a GPU that it has no device on a TypeError, too.
HostArray host_array(nb::handle object, const Session& session, const Element* wanted = nullptr);
// ValueError unless the array has the shape.
void expect_shape(const HostArray& array, const std::vector<std::int64_t>& shape, const std::string& of);
// A dense copy of it, in memory of its own; of a GPU's memory it is the session that copies, on the GPU.
HostArray copied(const HostArray& array);

const char* name_of(Element element);  // `f32`, as the language writes it
std::int64_t bytes_of(Element element);

// A tile in place as an object with __dlpack__ and a buffer, which keeps the array alive; bf16 as 16-bit numbers if
// `bf16_as_u16`.
nb::object tile_in_place(const Array& array, std::int64_t device, bool bf16_as_u16);
// The same of a tile where it was made, which may be on a GPU.
nb::object tile_where_it_lies(const Array& array, std::int64_t device);
// The array's number for numpy: bf16 is ml_dtypes'.
nb::object numpy_dtype(Element element);
// A numpy array of what tile_in_place gives.
nb::object numpy_tile(const Array& array, std::int64_t device);
// The whole array in new memory of numpy's.
nb::object gathered(const Array& array);

}  // namespace tessera::python
