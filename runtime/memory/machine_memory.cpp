#include "runtime/memory/machine_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

// The number in a file; kBytesMax where there is no such file or it says `max`.
std::int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  return file >> number && number > 0 ? number : kBytesMax;
}

std::int64_t least_on_the_way(const std::string& root, std::string group, const char* file) {
  std::int64_t least = number_in(root + "/" + file);
  for (; group.size() > 1; group.resize(group.rfind('/')))
    least = std::min(least, number_in(root + group + "/" + file));
  return least;
}

bool has_controller(std::string_view controllers, std::string_view wanted) {
  std::istringstream names{std::string(controllers)};
  for (std::string name; std::getline(names, name, ',');) {
    if (name == wanted) return true;
  }
  return false;
}

std::int64_t physical_bytes() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page : kBytesMax;
}

}  // namespace

std::int64_t limit_of_groups(std::string_view groups, const std::string& mount) {
  std::int64_t least = kBytesMax;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos || line.compare(second + 1, 1, "/") != 0) continue;
    const std::string group = line.substr(second + 1);
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) {
      least = std::min(least, least_on_the_way(mount, group, "memory.max"));
    } else if (has_controller(controllers, "memory")) {
      least = std::min(least, least_on_the_way(mount + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::int64_t machine_memory_bytes() {
  static const std::int64_t bytes = [] {
    std::ifstream file("/proc/self/cgroup");
    std::ostringstream groups;
    groups << file.rdbuf();
    return std::min(physical_bytes(), limit_of_groups(groups.str(), "/sys/fs/cgroup"));
  }();
  return bytes;
}

std::int64_t address_space_bytes() {
  struct rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kBytesMax;
  return static_cast<std::int64_t>(std::min(limit.rlim_cur, static_cast<rlim_t>(kBytesMax)));
}

}  // namespace tessera::runtime
