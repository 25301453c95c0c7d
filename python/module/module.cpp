// tessera._tessera: the library for Python. The package beside it says what is public.
#include <nanobind/nanobind.h>

#include "python/module/classes.hpp"

NB_MODULE(_tessera, m) {
  using namespace tessera::python;
  // Objects that live as long as the interpreter are the host's to keep.
  nb::set_leak_warnings(false);
  m.doc() = "The library behind the package `tessera`.";
  bind_array(m);
  bind_function(m);
  bind_layouts(m);
  bind_plans(m);
  bind_programs(m);
  bind_session(m);
  bind_texts(m);
}
