// The processes of a launch, and the same changes as a program would make them by hand with MPI. In a build without MPI
// there is one process, and nothing to compare with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/mpi.hpp>

namespace tessera::bench {

// The boxes that ranks hold of an array, one each.
using Boxes = std::vector<Box>;

class Peers {
 public:
  explicit Peers(const Launch& launch);

  int rank() const { return rank_; }
  int size() const { return size_; }
  // Waits until all have come so far.
  void wait() const;
  // The same, and leaves the processor to the others meanwhile.
  void rest() const;
  // The greatest of what each gives, and the sum.
  double most(double mine) const;
  double sum(double mine) const;

  // Moves f32 from boxes to boxes; each element has one owner before and one after. Nothing in a build without MPI.
  using Move = std::function<void(const float* from, float* to)>;
  // MPI_Alltoallw with a derived type for every pair.
  Move with_types(const Boxes& from, const Boxes& to) const;
  // Packed, MPI_Alltoallv, unpacked.
  Move with_packing(const Boxes& from, const Boxes& to) const;

 private:
  int rank_;
  int size_;
  std::optional<int> communicator_;
};

}  // namespace tessera::bench
