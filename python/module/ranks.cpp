// tessera._tessera_mpi: the ranks of a communicator, for Session(comm=...). Linked with one MPI.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "tessera/mpi.hpp"

NB_MODULE(_tessera_mpi, m) {
  namespace nb = nanobind;
  nb::set_leak_warnings(false);
  m.doc() = "Sessions on the ranks of an MPI communicator.";
  m.def(
      "team",
      [](int communicator) {
        return nb::capsule(new tessera::Team(tessera::mpi::team(communicator)),
                           [](void* team) noexcept { delete static_cast<tessera::Team*>(team); });
      },
      nb::arg("communicator"), "The ranks of a communicator, as `py2f` gives it.");
  m.def("name", &tessera::mpi::name, "`Open MPI` or `MPICH`.");
}
