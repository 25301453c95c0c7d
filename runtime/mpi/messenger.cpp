#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <thread>

#include "runtime/kinds.hpp"
#include "runtime/mpi/calls.hpp"
#include "runtime/mpi/channel.hpp"
#include "runtime/mpi/mpi.hpp"

namespace tessera::runtime {

namespace {

// Tags.
constexpr int kMessage = 0;
constexpr int kNotice = 1;
constexpr int kBeside = 2;

// A duplicate of a communicator, whose errors come back as codes.
class Communicator {
 public:
  explicit Communicator(MPI_Comm host) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Comm_idup(host, &handle_, &request), "MPI_Comm_idup");
    wait(request);
    check_mpi(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    int over = 0;
    if (MPI_Finalized(&over) == MPI_SUCCESS && over == 0) MPI_Comm_free(&handle_);
  }
  MPI_Comm get() const { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm communicator) {
  int size = 0;
  check_mpi(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  return size;
}

// Machines are told apart by their names.
std::vector<int> machines_of(MPI_Comm communicator, int size) {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
  Name mine{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(mine.data(), &length), "MPI_Get_processor_name");
  std::vector<Name> names(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME,
                           MPI_CHAR, communicator, &request),
            "MPI_Iallgather");
  wait(request);
  std::vector<int> machines;
  for (const Name& name : names)
    machines.push_back(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
  return machines;
}

class MpiMessenger final : public Messenger {
 public:
  explicit MpiMessenger(MPI_Comm host)
      : communicator_(host),
        rank_(rank_in(communicator_.get())),
        size_(size_of(communicator_.get())),
        messages_(communicator_.get(), kMessage, size_),
        messages_beside_(communicator_.get(), kBeside, size_) {
    machines_ = machines_of(communicator_.get(), size_);
    has_notice_.assign(static_cast<std::size_t>(size_), false);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::vector<int>& machines() const override { return machines_; }

  void begin_sharing(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const auto bytes = static_cast<int>(mine.size());
    check_mpi(MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, communicator_.get(), &shared_),
              "MPI_Iallgather");
  }
  bool is_shared() override { return is_complete(shared_); }

  void begin_messages(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) override {
    ++batches_;
    for (const Channel::Message& message : messages_.begin(incoming, outgoing))
      under_way_.push_back({batches_, message});
  }

  bool is_done(std::int64_t batch) override {
    advance();
    for (; !under_way_.empty() && messages_.has_ended(under_way_.front().message); under_way_.pop_front()) {
    }
    return under_way_.empty() || under_way_.front().batch > batch;
  }

  std::int64_t begin_beside(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) override {
    beside_[++besides_] = messages_beside_.begin(incoming, outgoing);
    return besides_;
  }

  bool is_done_beside(std::int64_t number) override {
    advance();
    for (auto one = beside_.begin(); one != beside_.end();) {
      std::erase_if(one->second, [this](const auto& message) { return messages_beside_.is_known_ended(message); });
      one = one->second.empty() ? beside_.erase(one) : std::next(one);
    }
    return !beside_.contains(number);
  }

  bool serves_threads() const override {
    int level = MPI_THREAD_SINGLE;
    return MPI_Query_thread(&level) == MPI_SUCCESS && level >= MPI_THREAD_SERIALIZED;
  }

  void send_notice(std::int64_t step, const std::vector<int>& ranks) override {
    notice_ = step;
    for (const int rank : ranks) {
      notice_requests_.emplace_back();
      check_mpi(MPI_Isend(&notice_, 1, MPI_INT64_T, rank, kNotice, communicator_.get(), &notice_requests_.back()),
                "MPI_Isend");
    }
  }

  std::optional<std::int64_t> noticed() override {
    for (int there = 1; there != 0;) {
      MPI_Status status;
      check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kNotice, communicator_.get(), &there, &status), "MPI_Iprobe");
      if (there != 0) receive_notice(status.MPI_SOURCE);
    }
    return noticed_;
  }

  void settle(const std::vector<int>& notifiers) override {
    for (const int rank : notifiers) {
      if (!has_notice_[static_cast<std::size_t>(rank)]) receive_notice(rank);
    }
    messages_.settle();
    messages_beside_.settle();
    under_way_.clear();
    beside_.clear();
    for (MPI_Request& request : notice_requests_) wait(request);
    notice_requests_.clear();
    noticed_ = std::nullopt;
    std::fill(has_notice_.begin(), has_notice_.end(), false);
  }

 private:
  // A message that is not known to be done.
  struct UnderWay {
    std::int64_t batch = 0;
    Channel::Message message;
  };
  void advance() {
    messages_.advance();
    messages_beside_.look();
  }

  void receive_notice(int rank) {
    std::int64_t step = 0;
    check_mpi(MPI_Recv(&step, 1, MPI_INT64_T, rank, kNotice, communicator_.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    has_notice_[static_cast<std::size_t>(rank)] = true;
    noticed_ = std::min(step, noticed_.value_or(step));
  }

  Communicator communicator_;
  int rank_;
  int size_;
  std::vector<int> machines_;
  Channel messages_;
  Channel messages_beside_;
  std::deque<UnderWay> under_way_;  // by batch
  std::int64_t batches_ = 0;
  std::map<std::int64_t, std::vector<Channel::Message>> beside_;  // by number
  std::int64_t besides_ = 0;
  MPI_Request shared_ = MPI_REQUEST_NULL;
  std::int64_t notice_ = 0;
  std::deque<MPI_Request> notice_requests_;
  std::optional<std::int64_t> noticed_;
  std::vector<bool> has_notice_;
};

// MPICH 4.0 on UCX may wait in MPI_Finalize for ever where TCP joins machines: a rank whose own connections are closed
// waits in a barrier, without answering those who still close theirs. (The barrier was dropped in 2023, before 4.2.)
// Ranks that come there together, with nothing on its way, have not been seen to.
void settle_before_the_end() {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
  int size = 1;
  int near = 1;
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &near);
  MPI_Comm_free(&machine);
  int are_apart = near < size ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &are_apart, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (are_apart == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
#endif
}

}  // namespace

std::string_view mpi_name() { return TESSERA_MPI_NAME; }

base::Result<std::unique_ptr<Messenger>> make_messenger(int communicator) {
  try {
    return std::unique_ptr<Messenger>(std::make_unique<MpiMessenger>(MPI_Comm_f2c(communicator)));
  } catch (const MessagesFailed& failure) {
    return base::make(Kind::mpi_failed, failure.why);
  }
}

bool mpi_runs() {
  int begun = 0;
  int over = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && begun != 0 && MPI_Finalized(&over) == MPI_SUCCESS && over == 0;
}

base::Result<StartedMpi> start_mpi() {
  try {
    int provided = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    StartedMpi started;
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &started.rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &started.size), "MPI_Comm_size");
    started.communicator = MPI_Comm_c2f(MPI_COMM_WORLD);
    return started;
  } catch (const MessagesFailed& failure) {
    return base::make(Kind::mpi_failed, failure.why);
  }
}

void end_mpi() {
  settle_before_the_end();
  MPI_Finalize();
}

void abort_mpi(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

}  // namespace tessera::runtime
