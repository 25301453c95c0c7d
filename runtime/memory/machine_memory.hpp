// How much memory there is for this process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::runtime {

// Bytes of memory that the machine has, or the container that the process is in; found out once.
std::int64_t machine_memory_bytes();

// The limit of the process's address space (`ulimit -v`); kBytesMax where there is none.
std::int64_t address_space_bytes();

// The least limit of memory on the way from a process's control group to the root, in both versions of control groups;
// kBytesMax where there is none. `groups` is what /proc/self/cgroup says, `mount` where the groups are mounted. A
// container sees its own group at the root of the mount, whatever it is called outside.
//
// Example: `0::/jobs/seven` reads `memory.max` below MOUNT/jobs/seven, MOUNT/jobs and MOUNT; `4:memory:/jobs/seven`
// reads `memory.limit_in_bytes` below MOUNT/memory/jobs/seven, MOUNT/memory/jobs and MOUNT/memory.
std::int64_t limit_of_groups(std::string_view groups, const std::string& mount);

}  // namespace tessera::runtime
