// Long walks that parallel_ranges does not cut.
#pragma once

#include <oneapi/tbb/task_group.h>

namespace tessera::runtime {

// Has the work that this thread is at been given up? What it writes is then nonsense that nobody will read. Asked every
// few thousand elements; true from some moment on.
inline bool is_given_up() { return tbb::is_current_task_group_canceling(); }

}  // namespace tessera::runtime
