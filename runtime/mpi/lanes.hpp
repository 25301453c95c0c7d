// Messages to other ranks, or from them, in pieces of which few are under way at once from rank to rank. Over TCP, MPI
// queues each message as a whole: a rank that sends and receives would announce its receives only after everything that
// it sends, and the link would carry one direction at a time. Besides, MPI counts in int.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/mpi/calls.hpp"
#include "runtime/ranks/messenger.hpp"

namespace tessera::runtime {

template <class Byte>
class Lanes {
 public:
  // Gives the request of a piece that is begun.
  using Begin = std::function<MPI_Request(int rank, std::span<Byte> piece)>;

  Lanes(int ranks, std::size_t at_once, Begin begin)
      : at_once_(at_once),
        begin_(std::move(begin)),
        begun_(static_cast<std::size_t>(ranks), 0),
        ended_(static_cast<std::size_t>(ranks), 0) {}

  // Messages of one rank keep their order. One of no bytes is a message, too. It is done when `has_ended` says so of
  // the number that this gives.
  std::int64_t add(int rank, std::span<Byte> bytes) {
    Lane& lane = lanes_[rank];
    do {
      const std::size_t piece = std::min(kPieceBytes, bytes.size());
      lane.waiting.push_back({bytes.first(piece), nullptr, 0});
      bytes = bytes.subspan(piece);
    } while (!bytes.empty());
    return begin_added(rank, lane);
  }
  std::int64_t add(int rank, const std::shared_ptr<PieceByPiece>& pieces) {
    Lane& lane = lanes_[rank];
    for (std::size_t number = 0; number < pieces->pieces(); ++number) lane.waiting.push_back({{}, pieces, number});
    return begin_added(rank, lane);
  }
  bool has_ended(int rank, std::int64_t number) {
    if (ended_[static_cast<std::size_t>(rank)] < number) advance(lanes_.find(rank));
    return ended_[static_cast<std::size_t>(rank)] >= number;
  }

  // Looks once at the first piece in each lane: a look lets all of MPI progress, and may give the core away.
  void look() {
    for (auto lane = lanes_.begin(); lane != lanes_.end();) {
      const auto next = std::next(lane);
      if (is_complete(lane->second.under_way.front().request)) end_first(lane);
      lane = next;
    }
  }
  // Had it ended when it was looked at last?
  bool is_known_ended(int rank, std::int64_t number) const { return ended_[static_cast<std::size_t>(rank)] >= number; }

  // Begins pieces that wait. Pieces that have begun are looked at only when somebody asks about them.
  void advance() {
    for (auto lane = lanes_.begin(); lane != lanes_.end();) {
      const auto next = std::next(lane);
      if (!lane->second.waiting.empty()) advance(lane);
      lane = next;
    }
  }

  // Ends what has begun, and forgets the rest. `prepare` may cancel a request before it is waited for.
  template <class F>
  void settle(const F& prepare) {
    for (auto& [rank, lane] : lanes_) {
      for (UnderWay& one : lane.under_way) {
        prepare(rank, one.request);
        wait(one.request);
        ++ended_[static_cast<std::size_t>(rank)];
      }
    }
    lanes_.clear();
  }

  // Pieces since the beginning, by rank.
  const std::vector<std::int64_t>& begun() const { return begun_; }
  const std::vector<std::int64_t>& ended() const { return ended_; }
  // Expects that nothing is under way. `ended` is the number of pieces that have come from every rank: cancelled ones
  // count as not begun.
  void restart(std::vector<std::int64_t> ended) {
    begun_ = ended;
    ended_ = std::move(ended);
  }

 private:
  struct Piece {
    std::span<Byte> bytes;
    std::shared_ptr<PieceByPiece> of;  // where it is made, or taken, by itself
    std::size_t number = 0;            // in it
  };
  struct UnderWay {
    MPI_Request request = MPI_REQUEST_NULL;
    Piece piece;
  };
  struct Lane {
    std::deque<Piece> waiting;
    std::deque<UnderWay> under_way;
  };

  // Gives the number of the last piece.
  std::int64_t begin_added(int rank, Lane& lane) {
    begin(rank, lane);
    return begun_[static_cast<std::size_t>(rank)] + static_cast<std::int64_t>(lane.waiting.size());
  }
  void begin(int rank, Lane& lane) {
    for (; !lane.waiting.empty() && lane.under_way.size() < at_once_; lane.waiting.pop_front()) {
      Piece& piece = lane.waiting.front();
      if (piece.of != nullptr) piece.bytes = piece.of->begin(piece.number);
      lane.under_way.push_back({begin_(rank, piece.bytes), std::move(piece)});
      ++begun_[static_cast<std::size_t>(rank)];
    }
  }

  void advance(typename std::map<int, Lane>::iterator at) {
    while (is_complete(at->second.under_way.front().request)) {
      if (end_first(at)) return;
    }
  }
  // Was it the last?
  bool end_first(typename std::map<int, Lane>::iterator at) {
    auto& [rank, lane] = *at;
    const Piece piece = std::move(lane.under_way.front().piece);
    lane.under_way.pop_front();
    if (piece.of != nullptr) piece.of->end(piece.number);
    ++ended_[static_cast<std::size_t>(rank)];
    begin(rank, lane);
    if (!lane.under_way.empty()) return false;
    lanes_.erase(at);
    return true;
  }

  std::size_t at_once_;
  Begin begin_;
  std::map<int, Lane> lanes_;
  std::vector<std::int64_t> begun_, ended_;
};

}  // namespace tessera::runtime
