#include "tests/runtime/crowd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {

namespace {

using Bytes = std::vector<std::byte>;
Bytes copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

// Who asks whether something has come sleeps a little if it has not: threads are many, cores few.
constexpr std::chrono::microseconds kPause{200};

// Messages of one sender keep their order; those beside all others have one of their own.
struct Way {
  int sender = 0;
  bool beside = false;
  friend auto operator<=>(const Way&, const Way&) = default;
};

// The messages that have been sent to one rank.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<Way, std::deque<Bytes>> messages;
  std::size_t unread = 0;
  std::deque<std::pair<int, std::int64_t>> notices;
};

// Values that all ranks give each other at once, in the same order; the next exchange may begin before all have taken.
struct Sharing {
  std::vector<Bytes> given;
  std::size_t came = 0;
  std::size_t took = 0;
};

class Switchboard {
 public:
  Switchboard(Machines machines, std::atomic<std::int64_t>* sent_bytes)
      : machines_(std::move(machines)), mailboxes_(machines_.size()), sent_bytes_(sent_bytes) {}

  const Machines& machines() const { return machines_; }
  void count_sent(std::size_t bytes) {
    if (sent_bytes_ != nullptr) *sent_bytes_ += static_cast<std::int64_t>(bytes);
  }
  Mailbox& mailbox(int rank) { return mailboxes_[static_cast<std::size_t>(rank)]; }

  void give(std::int64_t turn, int rank, std::span<const std::byte> mine) {
    const std::scoped_lock lock(mutex_);
    Sharing& sharing = sharings_[turn];
    sharing.given.resize(machines_.size());
    sharing.given[static_cast<std::size_t>(rank)] = copy_of(mine);
    if (++sharing.came == machines_.size()) all_came_.notify_all();
  }
  // Everyone's, one after another, once they are there.
  bool take(std::int64_t turn, std::span<std::byte> all) {
    std::unique_lock lock(mutex_);
    const auto is_complete = [&] { return sharings_[turn].came == machines_.size(); };
    if (!all_came_.wait_for(lock, kPause, is_complete)) return false;
    Sharing& sharing = sharings_[turn];
    for (const Bytes& given : sharing.given) {
      std::copy(given.begin(), given.end(), all.begin());
      all = all.subspan(given.size());
    }
    if (++sharing.took == machines_.size()) sharings_.erase(turn);
    return true;
  }

 private:
  Machines machines_;
  std::deque<Mailbox> mailboxes_;
  std::atomic<std::int64_t>* sent_bytes_;
  std::mutex mutex_;
  std::condition_variable all_came_;
  std::map<std::int64_t, Sharing> sharings_;
};

class ThreadMessenger final : public Messenger {
 public:
  ThreadMessenger(Switchboard& board, int rank, unsigned delays)
      : board_(board), rank_(rank), delays_(delays), random_(delays * 1000 + static_cast<unsigned>(rank)) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(board_.machines().size()); }
  const std::vector<int>& machines() const override { return board_.machines(); }

  void begin_sharing(std::span<const std::byte> mine, std::span<std::byte> all) override {
    board_.give(turn_, rank_, mine);
    all_ = all;
  }
  bool is_shared() override {
    if (!board_.take(turn_, all_)) return false;
    ++turn_;
    return true;
  }

  void begin_messages(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) override {
    begin(++batches_, incoming, outgoing);
  }
  bool is_done(std::int64_t batch) override {
    pause();
    if (!is_awaited(batch)) return true;
    Mailbox& box = board_.mailbox(rank_);
    std::unique_lock lock(box.mutex);
    const std::size_t seen = take_messages(box);
    if (!is_awaited(batch)) return true;
    box.changed.wait_for(lock, kPause, [&] { return box.unread != seen; });
    take_messages(box);
    return !is_awaited(batch);
  }

  std::int64_t begin_beside(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) override {
    begin(kBeside + besides_ + 1, incoming, outgoing);
    return ++besides_;
  }
  bool is_done_beside(std::int64_t number) override {
    is_done(batches_);
    const auto is_of_it = [&](const auto& message) { return message.batch == kBeside + number; };
    {
      Mailbox& box = board_.mailbox(rank_);
      const std::scoped_lock lock(box.mutex);
      take_messages(box);
    }
    return std::none_of(incoming_.begin(), incoming_.end(), [&](const auto& of_rank) {
      return std::any_of(of_rank.second.begin(), of_rank.second.end(), is_of_it);
    });
  }
  bool serves_threads() const override { return true; }

  void send_notice(std::int64_t step, const std::vector<int>& ranks) override {
    for (const int rank : ranks) {
      Mailbox& box = board_.mailbox(rank);
      const std::scoped_lock lock(box.mutex);
      box.notices.emplace_back(rank_, step);
    }
  }
  std::optional<std::int64_t> noticed() override {
    Mailbox& box = board_.mailbox(rank_);
    const std::scoped_lock lock(box.mutex);
    std::optional<std::int64_t> first;
    for (const auto& [rank, step] : box.notices) first = std::min(step, first.value_or(step));
    return first;
  }

  void settle(const std::vector<int>& notifiers) override {
    meet();
    Mailbox& box = board_.mailbox(rank_);
    {
      const std::scoped_lock lock(box.mutex);
      for (const int rank : notifiers) {
        const bool has_told =
            std::any_of(box.notices.begin(), box.notices.end(), [&](const auto& n) { return n.first == rank; });
        if (!has_told) throw MessagesFailed{fmt::format("rank {} has sent no notice", rank)};
      }
      box.messages.clear();
      box.unread = 0;
      box.notices.clear();
    }
    incoming_.clear();
    meet();
  }

 private:
  // Waits for all ranks.
  void meet() {
    begin_sharing({}, {});
    while (!is_shared()) {
    }
  }

  void begin(std::int64_t batch, std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) {
    const bool beside = batch > kBeside;
    for (const Incoming& message : incoming) {
      if (message.pieces == nullptr) incoming_[{message.rank, beside}].push_back({batch, message.bytes, nullptr, 0});
      for (std::size_t k = 0; message.pieces != nullptr && k < message.pieces->pieces(); ++k)
        incoming_[{message.rank, beside}].push_back({batch, {}, message.pieces, k});
    }
    for (const Outgoing& message : outgoing) {
      pause();
      if (message.pieces == nullptr) send(message.rank, beside, message.bytes);
      for (std::size_t k = 0; message.pieces != nullptr && k < message.pieces->pieces(); ++k) {
        send(message.rank, beside, message.pieces->begin(k));
        message.pieces->end(k);
      }
    }
  }
  void send(int rank, bool beside, std::span<const std::byte> bytes) {
    Mailbox& box = board_.mailbox(rank);
    board_.count_sent(bytes.size());
    const std::scoped_lock lock(box.mutex);
    box.messages[{rank_, beside}].push_back(copy_of(bytes));
    ++box.unread;
    box.changed.notify_one();
  }

  // One time in four.
  void pause() {
    if (delays_ == 0 || random_() % 4 != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 300));
  }

  struct Awaited {
    std::int64_t batch = 0;
    std::span<std::byte> bytes;
    std::shared_ptr<PieceByPiece> pieces;  // instead
    std::size_t piece = 0;
  };
  bool is_awaited(std::int64_t batch) const {
    return std::any_of(incoming_.begin(), incoming_.end(),
                       [&](const auto& from) { return from.second.front().batch <= batch; });
  }

  // Gives how many are left that nobody has asked for yet.
  std::size_t take_messages(Mailbox& box) {
    for (auto from = incoming_.begin(); from != incoming_.end();) {
      auto& [way, wanted] = *from;
      std::deque<Bytes>& sent = box.messages[way];
      for (; !wanted.empty() && !sent.empty(); wanted.pop_front(), sent.pop_front()) {
        Awaited& message = wanted.front();
        if (message.pieces != nullptr) message.bytes = message.pieces->begin(message.piece);
        const std::span<std::byte> bytes = message.bytes;
        if (sent.front().size() != bytes.size())
          throw MessagesFailed{
              fmt::format("{} bytes from rank {} instead of {}", sent.front().size(), way.sender, bytes.size())};
        std::copy(sent.front().begin(), sent.front().end(), bytes.begin());
        if (message.pieces != nullptr) message.pieces->end(message.piece);
        --box.unread;
      }
      from = wanted.empty() ? incoming_.erase(from) : std::next(from);
    }
    return box.unread;
  }

  Switchboard& board_;
  int rank_;
  unsigned delays_;
  std::minstd_rand random_;
  std::int64_t turn_ = 0;
  std::span<std::byte> all_;
  std::map<Way, std::deque<Awaited>> incoming_;
  static constexpr std::int64_t kBeside = std::int64_t{1}
                                          << 62U;  // messages beside all others have batches from here on
  std::int64_t batches_ = 0;
  std::int64_t besides_ = 0;
};

}  // namespace

std::vector<std::string> in_crowd(const Machines& machines, MemorySharing sharing,
                                  const std::function<std::string(const std::shared_ptr<Team>&)>& f,
                                  std::atomic<std::int64_t>* sent_bytes, unsigned delays) {
  Switchboard board(machines, sent_bytes);
  std::vector<std::string> wrong(machines.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    threads.emplace_back([&, rank] {
      const auto team = Team::meet(std::make_unique<ThreadMessenger>(board, static_cast<int>(rank), delays), sharing);
      wrong[rank] = team.ok() ? f(*team) : team.errors()[0].message;
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> said;
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    if (!wrong[rank].empty()) said.push_back(fmt::format("rank {}: {}", rank, wrong[rank]));
  }
  return said;
}

// Ranks of a machine need not follow each other.
Machines any_machines(synth::test::Random& random) {
  Machines labels;
  const std::size_t ranks = 2 + random.below(7);
  for (std::size_t rank = 0; rank < ranks; ++rank) labels.push_back(static_cast<int>(random.below(4)));
  Machines machines;
  for (const int label : labels)
    machines.push_back(static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin()));
  return machines;
}

namespace {

std::string other_tile(const Value& mine, const Value& simulated) {
  for (std::int64_t device = 0; device < mine.type().devices(); ++device) {
    if (mine.has_device(device) && !std::ranges::equal(mine.tile(device), simulated.tile(device)))
      return fmt::format("another tile of device {}", device);
  }
  return "";
}

}  // namespace

std::vector<std::string> differences(const Machines& machines, MemorySharing sharing, const synth::Program& program,
                                     unsigned delays) {
  const Outcome simulated = run_well(program);
  const auto run_it = [&](const std::shared_ptr<Team>& team) -> std::string {
    World world;
    world.team = team;
    const auto outcome = run(program, {}, world);
    if (!outcome.ok()) return outcome.errors()[0].message;
    return other_tile(outcome->outputs.at(0), simulated.outputs.at(0));
  };
  return in_crowd(machines, sharing, run_it, nullptr, delays);
}

}  // namespace tessera::runtime::test
