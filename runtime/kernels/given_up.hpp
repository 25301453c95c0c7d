// Long walks that parallel_ranges does not cut.
#pragma once

#include <oneapi/tbb/task_group.h>

namespace tessera::runtime {

// Has the work of this thread been given up? If so nobody will read its results. Loops ask every few thousand elements;
// once true, it stays true.
inline bool is_given_up() { return tbb::is_current_task_group_canceling(); }

}  // namespace tessera::runtime
