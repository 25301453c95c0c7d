#include "tests/mpi/all_reduce.hpp"

#include <mpi.h>

namespace tessera::ranks {

struct AllReduce::Communicators {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm group = MPI_COMM_NULL;
};

AllReduce::AllReduce(int communicator, int group, int place) : communicators_(std::make_unique<Communicators>()) {
  communicators_->all = MPI_Comm_f2c(communicator);
  MPI_Comm_split(communicators_->all, group, place, &communicators_->group);
}

AllReduce::~AllReduce() { MPI_Comm_free(&communicators_->group); }

void AllReduce::sum(const std::vector<std::int32_t>& mine, std::vector<std::int32_t>& all) const {
  all.resize(mine.size());
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT32_T, MPI_SUM, communicators_->group);
}

void AllReduce::wait() const { MPI_Barrier(communicators_->all); }

}  // namespace tessera::ranks
