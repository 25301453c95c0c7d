// What Python's collector asks an object that keeps callbacks, which may keep the object in their turn.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::python {

namespace nb = nanobind;

template <class T>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));  // which calls visit with arg
  return nb::inst_ready(self) ? nb::inst_ptr<T>(self)->callbacks().traverse(visit, arg) : 0;
}

template <class T>
int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<T>(self)->callbacks().clear();
  return 0;
}

// For a class with callbacks().
template <class T>
const PyType_Slot kCollected[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<T>)},
                                  {Py_tp_clear, reinterpret_cast<void*>(&clear<T>)},
                                  {0, nullptr}};

}  // namespace tessera::python
