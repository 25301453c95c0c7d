// The ranks of a test run: started by a launcher, they all go through the same tests in the same order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tessera/mpi.hpp>

namespace tessera::ranks {

class Crew {
 public:
  explicit Crew(Launch launch);

  int rank() const { return launch_.rank(); }
  int size() const { return launch_.ranks(); }
  // As MPI_Comm_c2f gives it. There is one, because a crew of one has nobody to talk to.
  int communicator() const { return launch_.communicator().value(); }
  // Not by TESSERA_SHARED_MEMORY=off.
  static bool shares_memory();
  // A session's configuration for all ranks.
  Config together(Config config) const;
  // Waits until all ranks have come so far.
  void meet();
  // The texts of all ranks, each by its rank.
  std::vector<std::string> share(std::string mine);
  // The name of a folder that is new, and the same on all ranks. Rank 0 makes and removes it.
  std::string next_folder();

 private:
  Launch launch_;
  Session session_;  // to meet in
  std::int64_t folders_ = 0;
};

}  // namespace tessera::ranks
