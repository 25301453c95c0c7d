// Messages between ranks: the one interface that MPI stands behind (runtime/mpi/). Nothing here waits: callers ask
// until a message is done, and can look at other things meanwhile (Team::wait).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tessera::runtime {

// No step of a program.
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// The most bytes of a piece; longer messages go in several.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

// A message whose pieces are made when they begin, or taken when they have come: so packing and unpacking overlap with
// other pieces on their way, and a few buffers suffice for a message of any length. Both ranks cut it alike. The
// messenger holds it until it is over.
class PieceByPiece {
 public:
  PieceByPiece() = default;
  PieceByPiece(const PieceByPiece&) = delete;
  PieceByPiece& operator=(const PieceByPiece&) = delete;
  virtual ~PieceByPiece() = default;

  virtual std::size_t pieces() const = 0;
  // The memory of a piece until its end: the bytes to send, or room for those that come. Called once for each piece, in
  // order, as end() is, by the thread that goes on with the messages.
  virtual std::span<std::byte> begin(std::size_t piece) = 0;
  virtual void end(std::size_t piece) = 0;
};

// Bytes to send to a rank, or the memory for bytes from one; or a message that is made or taken piece by piece.
struct Outgoing {
  int rank = 0;
  std::span<const std::byte> bytes;
  std::shared_ptr<PieceByPiece> pieces = nullptr;
};
struct Incoming {
  int rank = 0;
  std::span<std::byte> bytes;
  std::shared_ptr<PieceByPiece> pieces = nullptr;
};

// Thrown where MPI itself fails; Team's functions turn it into a diagnostic.
struct MessagesFailed {
  std::string why;
};

class Messenger {
 public:
  Messenger() = default;
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;
  virtual ~Messenger() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // For every rank the lowest rank of the machine it runs on.
  virtual const std::vector<int>& machines() const = 0;

  // Called on all ranks: each gives some bytes, all equally many, and all get everyone's, in the order of the ranks.
  virtual void begin_sharing(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual bool is_shared() = 0;
  // Begins a batch of messages, receives first. Between two ranks messages arrive in the order in which they were sent.
  // Their memory may not be touched before they are done. Batches are counted from 1.
  virtual void begin_messages(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) = 0;
  // Are all messages of that batch and those before it done? Goes on with all.
  virtual bool is_done(std::int64_t batch) = 0;

  // Begins messages that go on beside the batches, and that is_done does not ask about; returns their number. Between
  // two ranks they keep their order among themselves, but not with the others.
  virtual std::int64_t begin_beside(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) = 0;
  // Are all messages of that number done? Goes on with all.
  virtual bool is_done_beside(std::int64_t number) = 0;
  // May another thread than the one that began MPI go on with the messages, one at a time?
  virtual bool serves_threads() const = 0;

  // Tells ranks that this one has failed at a step; and the least step that any has told this one.
  virtual void send_notice(std::int64_t step, const std::vector<int>& ranks) = 0;
  virtual std::optional<std::int64_t> noticed() = 0;
  // Called on all ranks after a failure: messages that nobody waits for any more are taken in and thrown away, and what
  // was begun is ended. `notifiers` are the ranks that sent a notice to this one.
  virtual void settle(const std::vector<int>& notifiers) = 0;
};

}  // namespace tessera::runtime
