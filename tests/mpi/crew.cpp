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
  config.team = launch_.team();
  config.share_memory = sharing == nullptr || std::string_view(sharing) != "off";
  return config;
}

void Crew::meet() { session_.run("").value(); }

// The first rank's process tells runs apart.
std::string Crew::next_folder() {
  const std::string mine =
      std::filesystem::temp_directory_path() / fmt::format("tessera-ranks-{}-{}", getpid(), ++folders_);
  return session_.share(mine).value().front();
}

}  // namespace tessera::ranks
