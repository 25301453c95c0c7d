#include "tests/mpi/crew.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace tessera::ranks {

Crew::Crew(Launch launch) : launch_(std::move(launch)), session_(together(Config{})) {}

bool Crew::shares_memory() {
  const char* const sharing = std::getenv("TESSERA_SHARED_MEMORY");
  return sharing == nullptr || std::string_view(sharing) != "off";
}

Config Crew::together(Config config) const {
  config.team = launch_.team();
  config.share_memory = shares_memory();
  return config;
}

void Crew::meet() { session_.run("").value(); }

std::vector<std::string> Crew::share(std::string mine) { return session_.share(std::move(mine)).value(); }

// The first rank's process tells runs apart.
std::string Crew::next_folder() {
  const std::string mine =
      std::filesystem::temp_directory_path() / fmt::format("tessera-ranks-{}-{}", getpid(), ++folders_);
  return share(mine).front();
}

}  // namespace tessera::ranks
