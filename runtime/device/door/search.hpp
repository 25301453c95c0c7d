// Where libraries of GPUs are looked for, and what came of it. Nothing of them is linked.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tessera::device {

// A place that was looked at, and why it would not do; empty: it did.
struct LookedAt {
  std::string place;
  std::string why_not;
};
struct Search {
  std::string library;  // what it is: `the driver`, `NVRTC`, `cuBLAS`
  std::string found;    // the file or the name by which it was opened; empty: nowhere
  std::vector<LookedAt> places = {};
};
// One place a line, as errors and `tessera gpu` show it.
std::string text_of(const Search& search);

// Folders to look in. An empty string is none.
struct Folders {
  std::string first;                // TESSERA_CUDA: before anything else
  std::string toolkit;              // CUDA_HOME
  std::vector<std::string> beside;  // what the host adds, as `nvidia/cu13/lib` beside a Python package
};
Folders folders_of_environment();

// What is opened stays open for the life of the process: other threads, and what stands in it, may still use it.
// The driver, of which there is one on a machine.
void* open_driver(const Folders& folders, Search& search);
// A library of the toolkit, `libNAME.so.MAJOR`, with the driver's major version or an older one down to 12. `with` are
// the libraries that it needs beside it, by the beginnings of their names.
void* open_toolkit(const Folders& folders, const std::string& name, int major, std::span<const std::string> with,
                   Search& search);

}  // namespace tessera::device
