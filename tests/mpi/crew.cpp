#include "tests/mpi/crew.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace tessera::ranks {

Crew::Crew(Launch launch) : launch_(std::move(launch)), session_(together(Config{})) {}

Config Crew::together(Config config) const {
  const char* const sharing = std::getenv("TESSERA_SHARED_MEMORY");
  config.communicator = launch_.communicator();
  config.share_memory = sharing == nullptr || std::string_view(sharing) != "off";
  return config;
}

void Crew::meet() { session_.run("").value(); }

// The launcher's process, which all ranks of the machine have in common, tells runs apart.
std::string Crew::next_folder() {
  return std::filesystem::temp_directory_path() / fmt::format("tessera-ranks-{}-{}", getppid(), ++folders_);
}

}  // namespace tessera::ranks
