// Messages of one sort between this rank and all others. Between two ranks those of a channel keep their order, and
// never wait for those of another channel.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/mpi/calls.hpp"
#include "runtime/mpi/lanes.hpp"
#include "runtime/ranks/messenger.hpp"

namespace tessera::runtime {

class Channel {
 public:
  // All ranks make their channels on one communicator, each with a tag of its own.
  Channel(MPI_Comm communicator, int tag, int size)
      : communicator_(communicator),
        tag_(tag),
        outgoing_(size, kSendsAtOnce, [this](int rank, std::span<const std::byte> piece) { return send(rank, piece); }),
        incoming_(size, kReceivesAtOnce,
                  [this](int rank, std::span<std::byte> piece) { return receive(rank, piece); }) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() = default;

  struct Message {
    bool goes_out = false;
    int rank = 0;
    std::int64_t number = 0;  // of its last piece, in its lane
  };
  // Receives first.
  std::vector<Message> begin(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) {
    std::vector<Message> begun;
    for (const Incoming& message : incoming) begun.push_back({false, message.rank, add(incoming_, message)});
    for (const Outgoing& message : outgoing) begun.push_back({true, message.rank, add(outgoing_, message)});
    return begun;
  }
  void advance() {
    incoming_.advance();
    outgoing_.advance();
  }
  bool has_ended(const Message& message) {
    return message.goes_out ? outgoing_.has_ended(message.rank, message.number)
                            : incoming_.has_ended(message.rank, message.number);
  }

  // Looks once for messages that have ended.
  void look() {
    incoming_.look();
    outgoing_.look();
  }
  bool is_known_ended(const Message& message) const {
    return message.goes_out ? outgoing_.is_known_ended(message.rank, message.number)
                            : incoming_.is_known_ended(message.rank, message.number);
  }

  // Called on all ranks. Every rank learns how many pieces every other has sent: pieces still to come are received, and
  // receives of pieces that will not come are cancelled.
  void settle() {
    const std::vector<std::int64_t>& sent = outgoing_.begun();
    std::vector<std::int64_t> coming(sent.size());
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ialltoall(sent.data(), 1, MPI_INT64_T, coming.data(), 1, MPI_INT64_T, communicator_, &request),
              "MPI_Ialltoall");
    wait(request);
    incoming_.settle([&](int rank, MPI_Request& awaited) {
      const auto r = static_cast<std::size_t>(rank);
      if (incoming_.ended()[r] >= coming[r]) check_mpi(MPI_Cancel(&awaited), "MPI_Cancel");
    });
    for (std::size_t r = 0; r < coming.size(); ++r) {
      for (std::int64_t received = incoming_.ended()[r]; received < coming[r]; ++received)
        throw_away(static_cast<int>(r));
    }
    incoming_.restart(std::move(coming));
    outgoing_.settle([](int, const MPI_Request&) {});
  }

 private:
  // Pieces under way from rank to rank. More are awaited than are sent, so that each finds its place ready.
  static constexpr std::size_t kSendsAtOnce = 2;
  static constexpr std::size_t kReceivesAtOnce = 4;

  template <class Byte, class M>
  static std::int64_t add(Lanes<Byte>& lanes, const M& message) {
    return message.pieces != nullptr ? lanes.add(message.rank, message.pieces) : lanes.add(message.rank, message.bytes);
  }

  MPI_Request send(int rank, std::span<const std::byte> piece) const {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto bytes = static_cast<int>(piece.size());
    check_mpi(MPI_Isend(piece.data(), bytes, MPI_BYTE, rank, tag_, communicator_, &request), "MPI_Isend");
    return request;
  }
  MPI_Request receive(int rank, std::span<std::byte> piece) const {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto bytes = static_cast<int>(piece.size());
    check_mpi(MPI_Irecv(piece.data(), bytes, MPI_BYTE, rank, tag_, communicator_, &request), "MPI_Irecv");
    return request;
  }
  void throw_away(int rank) const {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    for (int there = 0; there == 0; std::this_thread::yield())
      check_mpi(MPI_Improbe(rank, tag_, communicator_, &there, &message, &status), "MPI_Improbe");
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    std::vector<std::byte> content(static_cast<std::size_t>(bytes));
    check_mpi(MPI_Mrecv(content.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  }

  MPI_Comm communicator_;
  int tag_;
  Lanes<const std::byte> outgoing_;
  Lanes<std::byte> incoming_;
};

}  // namespace tessera::runtime
