# OpenBLAS without threads of its own: the runtime cuts products over the cores itself. Debian puts it beside the other
# builds of the library, in a folder of its own. Gives the target OpenBLASSerial::OpenBLASSerial.
find_path(OpenBLASSerial_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-serial openblas)
find_library(OpenBLASSerial_LIBRARY openblas PATH_SUFFIXES openblas-serial)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLASSerial REQUIRED_VARS OpenBLASSerial_LIBRARY OpenBLASSerial_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libopenblas-serial-dev")
mark_as_advanced(OpenBLASSerial_INCLUDE_DIR OpenBLASSerial_LIBRARY)
if(OpenBLASSerial_FOUND AND NOT TARGET OpenBLASSerial::OpenBLASSerial)
  add_library(OpenBLASSerial::OpenBLASSerial UNKNOWN IMPORTED)
  set_target_properties(OpenBLASSerial::OpenBLASSerial PROPERTIES
    IMPORTED_LOCATION "${OpenBLASSerial_LIBRARY}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${OpenBLASSerial_INCLUDE_DIR}")
endif()
