#include "runtime/ranks/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>

#include "runtime/kinds.hpp"
#include "runtime/ranks/backoff.hpp"
#include "runtime/ranks/diagnostic_bytes.hpp"
#include "runtime/ranks/region.hpp"

namespace tessera::runtime {

// A rank brings this to an agreement.
struct Team::Entry {
  std::int64_t failed_at = kNever;   // the step; 0 outside of runs
  std::int64_t stopped_in = kNever;  // the step that it could not complete, because another rank has failed
  bool in_run = false;
  std::int64_t phase = 0;
  std::size_t text_bytes = 0;  // of its diagnostics
  std::size_t text_hash = 0;
  Words words = {};

  bool failed() const { return failed_at != kNever; }
};

namespace {

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

std::size_t hash_of(const std::vector<std::byte>& bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// `ranks 1, 3 do`, or `rank 1 does`.
std::string ranks_do(const std::vector<int>& ranks) {
  return ranks.size() == 1 ? fmt::format("rank {} does", ranks[0]) : fmt::format("ranks {} do", fmt::join(ranks, ", "));
}

}  // namespace

std::byte* Team::near_memory(int rank, std::int64_t offset) const {
  return is_near(rank) && region_ != nullptr ? region_->at(places_[static_cast<std::size_t>(rank)], offset) : nullptr;
}

// ---- Waiting

template <class F>
base::Status Team::with_messages(const F& f) {
  try {
    const std::scoped_lock lock(messenger_mutex_);
    f();
    return base::Done{};
  } catch (const MessagesFailed& failure) {
    broken_ = {base::make(Kind::mpi_failed, failure.why)};
    return broken_;
  }
}

std::int64_t Team::failed_step() {
  std::int64_t step = region_ == nullptr ? kNever : region_->failed_step().load(std::memory_order_acquire);
  if (near_count_ == size()) return step;
  const std::scoped_lock lock(messenger_mutex_);
  return std::min(step, messenger_->noticed().value_or(kNever));
}

// Why a rank in a run should not wait any longer, if it should not.
base::Status Team::interruption() {
  if (!running_) return base::Done{};
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return base::make(base::Kind::interrupted);
  if (failed_step() > step_) return base::Done{};
  stopped_ = true;
  stopped_in_ = step_;
  return base::make(base::Kind::interrupted);
}

// The first rank comes last: it ends when it has told of another's loss, and is not what was lost then.
base::Status Team::look_for_peers() {
  for (int turn = 1; turn <= size() && sees_processes_; ++turn) {
    const int rank = turn % size();
    const auto r = static_cast<std::size_t>(rank);
    if (!near_[r] || region_->has_process(places_[r])) continue;
    broken_ = {base::make(Kind::peer_lost, region_->first_lost(rank))};
    return broken_;
  }
  return base::Done{};
}

template <class Ready>
base::Status Team::wait(const Ready& ready) {
  Backoff patience(is_crowded_);
  base::Status status = base::Done{};
  const base::Status messages = with_messages([&] {
    if (ready()) return;
    const auto begin = std::chrono::steady_clock::now();
    do {
      patience.pause();
      if (patience.is_long()) status = look_for_peers();
      if (status.ok()) status = interruption();
    } while (status.ok() && !ready());
    waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
  return messages.ok() ? status : messages;
}

// Messages go on meanwhile: a near rank may wait for a far one, and that for what is still to be sent from here.
template <class Ready>
base::Status Team::wait_near(const Ready& ready) {
  return wait([&] {
    messenger_->is_done(batch_);
    return ready();
  });
}

// Messages go on meanwhile: after a failure here, another rank may need what is still to be sent from here for a step
// that comes before the failure.
base::Status Team::share(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::span<std::byte> given = room(static_cast<std::int64_t>(mine.size()));
  const std::span<std::byte> taken = room(static_cast<std::int64_t>(all.size()));
  std::copy(mine.begin(), mine.end(), given.begin());
  TESSERA_TRY_STATUS(with_messages([&] { messenger_->begin_sharing(given, taken); }));
  TESSERA_TRY_STATUS(wait_near([&] { return messenger_->is_shared(); }));
  std::copy(taken.begin(), taken.end(), all.begin());
  return base::Done{};
}

// ---- Agreements

// Ranks that wait in a run learn of it.
void Team::raise() {
  if (region_ != nullptr) {
    std::atomic<std::int64_t>& failed = region_->failed_step();
    std::int64_t before = failed.load();
    while (step_ < before && !failed.compare_exchange_weak(before, step_)) {
    }
  }
  std::vector<int> far;
  for (int rank = 0; rank < size(); ++rank) {
    if (!is_near(rank)) far.push_back(rank);
  }
  messenger_->send_notice(step_, far);
}

base::Result<std::vector<Team::Words>> Team::agree(base::Status mine, Words words, Compare compare) {
  if (alone()) {
    if (!mine.ok()) return std::move(mine).errors();
    return std::vector<Words>{words};
  }
  if (!broken_.empty()) return broken_;
  const bool failed = !mine.ok() && !stopped_;
  const std::vector<std::byte> text = failed ? to_bytes(mine.errors()) : std::vector<std::byte>{};
  if (failed && running_) TESSERA_TRY_STATUS(with_messages([&] { raise(); }));
  const Entry entry{failed ? step_ : kNever, stopped_in_, running_, phase_, text.size(), hash_of(text), words};
  running_ = false;
  std::vector<Entry> entries(nodes_.size());
  TESSERA_TRY_STATUS(share(bytes_of(entry), bytes_of(entries)));
  TESSERA_TRY_STATUS(end_run(entries));
  if (compare == Compare::first_words) {
    std::vector<int> others;
    for (int rank = 1; rank < size(); ++rank) {
      if (entries[static_cast<std::size_t>(rank)].words[0] != entries[0].words[0]) others.push_back(rank);
    }
    if (!others.empty()) {
      return base::make(Kind::ranks_differ, ranks_do(others))
          .suggest(
              "name files that all ranks see, by the same names; `tessera run - < FILE` reads the script on rank 0");
    }
  }
  if (std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return e.failed(); }))
    return first_failure(entries, text);
  std::vector<Words> everyone;
  for (const Entry& e : entries) everyone.push_back(e.words);
  return everyone;
}

// All ranks have left the run: its traces of a failure are cleared.
base::Status Team::end_run(const std::vector<Entry>& entries) {
  const bool any_failed = std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return e.failed(); });
  std::vector<int> notifiers;
  for (int rank = 0; rank < size(); ++rank) {
    const Entry& entry = entries[static_cast<std::size_t>(rank)];
    phase_ = std::max(phase_, entry.phase);
    if (entry.in_run && entry.failed() && !is_near(rank)) notifiers.push_back(rank);
  }
  if (any_failed && entries[0].in_run) TESSERA_TRY_STATUS(with_messages([&] { messenger_->settle(notifiers); }));
  // Before the next run's first agreement, which nobody leaves without this rank.
  if (entries[0].in_run && region_ != nullptr && node(rank_) == rank_) region_->failed_step().store(kNever);
  step_ = 0;
  stopped_ = false;
  stopped_in_ = kNever;
  rooms_.clear();
  lasting_rooms_.clear();
  return base::Done{};
}

base::Diagnostics Team::first_failure(const std::vector<Entry>& entries, const std::vector<std::byte>& mine) {
  const auto earlier = [](const Entry& a, const Entry& b) { return a.failed_at < b.failed_at; };
  const auto first = std::min_element(entries.begin(), entries.end(), earlier);
  const auto rank = static_cast<std::size_t>(first - entries.begin());
  std::vector<std::byte> given(mine);
  given.resize(first->text_bytes);
  std::vector<std::byte> all(first->text_bytes * entries.size());
  const base::Status shared = share(given, all);
  if (!shared.ok()) return shared.errors();
  base::Diagnostics why = diagnostics_from(std::span(all).subspan(rank * first->text_bytes, first->text_bytes));
  const bool everyones = std::all_of(entries.begin(), entries.end(), [&](const Entry& e) {
    const bool same = e.failed_at == first->failed_at && e.text_hash == first->text_hash;
    return same || e.stopped_in == first->failed_at;
  });
  if (!everyones) why.front().message += fmt::format(" (on rank {})", rank);
  return why;
}

// ---- Runs

void Team::begin_run(const std::atomic<bool>* stop) {
  stop_ = stop;
  running_ = true;
}

base::Status Team::begin_step() {
  if (alone()) return base::Done{};
  if (failed_step() <= step_) {
    stopped_ = true;
    return base::make(base::Kind::interrupted);
  }
  ++step_;
  rooms_.clear();
  return base::Done{};
}

std::span<std::byte> Team::room(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  rooms_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  return {rooms_.back().get(), size};
}

base::Status Team::arrive(std::span<const int> sources) {
  ++phase_;
  if (region_ == nullptr) return base::Done{};
  const auto line = [&](int rank) -> Region::Line& { return region_->line(places_[static_cast<std::size_t>(rank)]); };
  line(rank_).arrived.store(phase_, std::memory_order_release);
  for (const int source : sources) {
    TESSERA_TRY_STATUS(wait_near([&] { return line(source).arrived.load(std::memory_order_acquire) >= phase_; }));
  }
  return base::Done{};
}

base::Status Team::finish(std::span<const int> readers) {
  if (region_ == nullptr) return base::Done{};
  const auto line = [&](int rank) -> Region::Line& { return region_->line(places_[static_cast<std::size_t>(rank)]); };
  line(rank_).finished.store(phase_, std::memory_order_release);
  for (const int reader : readers) {
    TESSERA_TRY_STATUS(wait_near([&] { return line(reader).finished.load(std::memory_order_acquire) >= phase_; }));
  }
  return base::Done{};
}

base::Status Team::begin_messages(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) {
  if (incoming.empty() && outgoing.empty()) return base::Done{};
  ++batch_;
  return with_messages([&] { messenger_->begin_messages(incoming, outgoing); });
}

base::Status Team::advance_messages() {
  if (alone()) return base::Done{};
  return with_messages([&] { messenger_->is_done(batch_); });
}

base::Status Team::await_messages(std::int64_t batch) {
  if (alone()) return base::Done{};
  return wait([&] { return messenger_->is_done(batch); });
}

std::span<std::byte> Team::lasting_room(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  lasting_rooms_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  return {lasting_rooms_.back().get(), size};
}

base::Result<std::int64_t> Team::begin_beside(std::span<const Incoming> incoming, std::span<const Outgoing> outgoing) {
  std::int64_t number = 0;
  TESSERA_TRY_STATUS(with_messages([&] { number = messenger_->begin_beside(incoming, outgoing); }));
  return number;
}

base::Status Team::await_beside(std::int64_t number) {
  return wait([&] { return messenger_->is_done_beside(number); });
}

base::Status Team::advance_beside() {
  return with_messages([&] { messenger_->is_done_beside(0); });
}

bool Team::go_on_beside() {
  const std::scoped_lock lock(messenger_mutex_);
  try {
    if (!messenger_->serves_threads()) return false;
    messenger_->is_done_beside(0);
    return true;
  } catch (const MessagesFailed&) {
    return false;  // the thread that waits for messages will be told
  }
}

base::Status Team::send(int source, std::span<const int> targets, std::span<std::byte> bytes) {
  const bool sends = rank_ == source && !targets.empty();
  const bool receives = std::find(targets.begin(), targets.end(), rank_) != targets.end();
  if (!sends && !receives) return base::Done{};
  const std::span<std::byte> message = room(static_cast<std::int64_t>(bytes.size()));
  if (receives) {
    const Incoming incoming{source, message};
    TESSERA_TRY_STATUS(begin_messages(std::span(&incoming, 1), {}));
    TESSERA_TRY_STATUS(await_messages());
    std::copy(message.begin(), message.end(), bytes.begin());
    return base::Done{};
  }
  std::copy(bytes.begin(), bytes.end(), message.begin());
  std::vector<Outgoing> outgoing;
  for (const int target : targets) outgoing.push_back({target, message});
  TESSERA_TRY_STATUS(begin_messages({}, outgoing));
  return await_messages();
}

}  // namespace tessera::runtime
