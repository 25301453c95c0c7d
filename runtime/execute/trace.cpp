#include "runtime/execute/trace.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace tessera::runtime {

namespace {

// So many slices are handed over at a time.
constexpr std::int64_t kPieceRecords = 16'384;
// Readings of the clocks that are exchanged between machines.
constexpr int kReadings = 8;

std::int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Tracer::Tracer(const synth::Program& program, Team& team, const std::function<void(const TracedStep&)>& tell)
    : team_(team), tell_(tell) {
  number(program.body);
}

void Tracer::number(const synth::Body& body) {
  for (const synth::Step& step : body) {
    numbers_.emplace(&step, static_cast<std::uint32_t>(steps_.size()));
    steps_.push_back(&step);
    if (const auto* repeat = std::get_if<synth::Repeat>(&step.node)) number(repeat->body);
    if (const auto* pipeline = std::get_if<synth::Pipeline>(&step.node)) {
      for (const synth::Body& visit : pipeline->visits) number(visit);
    }
    if (const auto* choose = std::get_if<synth::Choose>(&step.node)) {
      number(choose->then_body);
      number(choose->else_body);
    }
  }
}

void Tracer::begin(std::span<const synth::Step> steps, const Block& block, synth::MeshRef mesh, std::int64_t mark) {
  begin_mark_ = mark;
  block_ = block;
  mesh_ = std::move(mesh);
  times_.reset();
  if (steps.size() == 1) times_.emplace(block);
  received_.clear();
  begin_ = DeviceTimes::trace_clock();
}

void Tracer::count(const Received& received) {
  received_.resize(std::max(received_.size(), received.by_device.size()), 0);
  for (std::size_t device = 0; device < received.by_device.size(); ++device)
    received_[device] += received.by_device[device];
}

void Tracer::end(std::span<const synth::Step> steps, const Payload& payload, const StepPlan& plan, bool failed,
                 std::int64_t mark) {
  const double end = DeviceTimes::trace_clock();
  slices_.clear();
  for (std::int64_t device = block_.begin; device < block_.end; ++device) {
    const DeviceTimes::Time time = times_ ? (*times_)[device] : DeviceTimes::Time{};
    const auto d = static_cast<std::size_t>(device);
    const std::int64_t of_run = mesh_->run_device(device);
    slices_.push_back(
        {of_run, time.known ? time.begin : begin_, time.known ? time.end : end, d < received_.size() ? received_[d] : 0,
         payload.of(static_cast<std::size_t>(of_run)) + payload.beside(plan, static_cast<std::size_t>(of_run))});
  }
  if (slices_.empty()) return times_.reset();
  if (team_.rank() == 0 && mark < 0)
    tell_(TracedStep{steps, 0, failed, slices_, visit_, microbatch_});
  else
    keep(steps, failed);
  if (mark >= 0) marks_.resize(records_.size(), {begin_mark_, mark});
  times_.reset();
}

void Tracer::keep(std::span<const synth::Step> steps, bool failed) {
  for (const DeviceSlice& slice : slices_) {
    records_.push_back({numbers_.at(steps.data()), static_cast<std::uint32_t>(steps.size()),
                        &slice == &slices_.front() ? 1U : 0U, failed ? 1U : 0U, visit_, microbatch_, slice});
  }
}

// ---- From all ranks to rank 0

// Finds what to add to this rank's times: nothing on rank 0's machine, whose processes share a clock. Ranks of other
// machines exchange readings of their clocks with rank 0. A reading was made before it was sent and therefore before it
// arrived, which bounds the difference of the two clocks from both sides; the middle of the tightest bounds is taken.
base::Result<double> Tracer::clock_offset() {
  if (team_.machine_count() == team_.size()) return 0.0;
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  std::int64_t sent = 0;
  std::int64_t arrived = 0;
  for (int reading = 0; reading < kReadings; ++reading) {
    const std::int64_t sent_before = sent;
    sent = nanoseconds();
    TESSERA_TRY(words, team_.agree(base::Done{}, {sent, arrived}));
    arrived = nanoseconds();
    low = std::max(low, words[0][0] - arrived);
    if (reading > 0) high = std::min(high, words[0][1] - sent_before);
  }
  if (team_.machine_ranks().front() == 0) return 0.0;
  return (static_cast<double>(low) + static_cast<double>(high)) / 2 * 1e-9;
}

void Tracer::settle(const std::function<double(std::int64_t mark, std::int64_t device)>& seconds) {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    DeviceSlice& slice = records_[i].slice;
    const double begin = seconds(marks_[i].first, slice.device);
    const double end = seconds(marks_[i].second, slice.device);
    if (begin == 0 || end == 0) continue;  // nobody knows: of an engine that is lost
    slice.begin = begin;
    slice.end = end;
  }
  marks_.clear();
}

base::Status Tracer::gather() {
  if (team_.rank() == 0) {
    tell_of(0, records_);
    records_.clear();
  }
  if (team_.alone()) return base::Done{};
  TESSERA_TRY(offset, clock_offset());
  for (Record& record : records_) {
    record.slice.begin += offset;
    record.slice.end += offset;
  }
  for (bool any = true; any;) {
    const auto left = static_cast<std::int64_t>(records_.size() - handed_over_);
    const std::int64_t piece = std::min(left, kPieceRecords);
    TESSERA_TRY(pieces, team_.agree(base::Done{}, {piece, 0}));
    any = false;
    for (int rank = 1; rank < team_.size(); ++rank) {
      const std::int64_t count = pieces[static_cast<std::size_t>(rank)][0];
      any = any || count > 0;
      if (count > 0) TESSERA_TRY_STATUS(hand_over(rank, count));
    }
  }
  return base::Done{};
}

base::Status Tracer::hand_over(int rank, std::int64_t count) {
  if (team_.rank() != 0 && team_.rank() != rank) return base::Done{};
  const auto size = static_cast<std::size_t>(count);
  std::vector<Record> piece(size);
  if (team_.rank() == rank) {
    std::copy_n(records_.begin() + static_cast<std::ptrdiff_t>(handed_over_), count, piece.begin());
    handed_over_ += size;
  }
  const std::array first = {0};
  TESSERA_TRY_STATUS(team_.send(rank, first, std::as_writable_bytes(std::span(piece))));
  if (team_.rank() == 0) tell_of(rank, piece);
  return base::Done{};
}

void Tracer::tell_of(int rank, std::span<const Record> records) {
  while (!records.empty()) {
    const Record& first = records.front();
    slices_.clear();
    do {
      slices_.push_back(records.front().slice);
      records = records.subspan(1);
    } while (!records.empty() && records.front().begins == 0);
    tell_(TracedStep{std::span(steps_[first.step], first.count), rank, first.failed != 0, slices_, first.visit,
                     first.microbatch});
  }
}

}  // namespace tessera::runtime
