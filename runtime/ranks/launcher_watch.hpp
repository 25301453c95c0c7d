// Launchers end their ranks, but one that is killed cannot, and a rank that hangs in MPI's start or end would stay for
// ever.
#pragma once

namespace tessera::runtime {

// From now on the process ends, with this status, within seconds of the one that started it. A thread looks from time
// to time whether the parent is still the same. (PR_SET_PDEATHSIG would do without, but is about the parent's thread: a
// launcher may start its ranks from a thread that ends.) Where no thread can be started there is no watch.
void end_with_launcher(int status);

}  // namespace tessera::runtime
