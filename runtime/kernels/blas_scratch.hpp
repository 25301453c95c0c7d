// BLAS called by several threads at once, whichever build of OpenBLAS the machine has.
//
// OpenBLAS keeps a list of scratch buffers, one for each call that runs. Debian's build without threads is also built
// without the lock on that list: two threads that enter at the same moment may be given the same buffer, and both then
// compute wrong products. The library calls its own `blas_memory_alloc` the way any program would, through the dynamic
// linker, so that a function of ours can come before it, which takes a lock and calls theirs: in a program that links
// the library by its name (blas_linked.cpp), in a copy of our own by its entry in the copy's table (blas_private.cpp).
//
//   thread 1   cblas_sgemm --> our blas_memory_alloc --lock--> theirs: buffer 0
//   thread 2   cblas_sgemm --> our blas_memory_alloc --waits-> theirs: buffer 1
//
// Where ours does not come first, calls of such a build run one at a time.
#pragma once

#include <mutex>

namespace tessera::runtime {

// Locked by each thread while it looks at the list.
std::mutex& scratch_list();

// Lives for the length of one call of BLAS. Holds a lock only if nothing else keeps calls apart.
class BlasCall {
 public:
  BlasCall();

 private:
  std::unique_lock<std::mutex> alone_;
};

// Makes the library map one buffer more than it has. A call that finds none free maps one itself, and tries for ever if
// that fails. So a program that has made sure of the memory has it mapped here, before other threads take that memory.
void map_scratch_buffer();

}  // namespace tessera::runtime
