// MPI's own sum, to race against.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::ranks {

// The ranks that say the same number are a group, in the order of `place`. All ranks of the communicator, given as
// MPI_Comm_c2f gives it, make one together.
class AllReduce {
 public:
  AllReduce(int communicator, int group, int place);
  ~AllReduce();
  AllReduce(const AllReduce&) = delete;
  AllReduce& operator=(const AllReduce&) = delete;

  // The sum of the group's arrays, by MPI_Allreduce.
  void sum(const std::vector<std::int32_t>& mine, std::vector<std::int32_t>& all) const;
  // Until all ranks have come so far.
  void wait() const;

 private:
  struct Communicators;
  std::unique_ptr<Communicators> communicators_;
};

}  // namespace tessera::ranks
