#include "repl/process/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera::repl {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

// Viewers take process 0 for the kernel, a track whose number is its process's for the process itself, and equal
// numbers in two processes for one track. There are fewer devices than this.
constexpr std::int64_t kTracksOfRank = 100'000;
std::int64_t process_number(int rank) { return rank + 1; }
std::int64_t track_number(int rank, std::int64_t device) { return process_number(rank) * kTracksOfRank + device; }

// Texts that are not valid UTF-8 must not keep anyone from reading the rest.
std::string text_of(const ordered_json& event) {
  return event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string name_event(const char* what, int rank, std::int64_t track, const std::string& name) {
  return text_of(
      {{"name", what}, {"ph", "M"}, {"pid", process_number(rank)}, {"tid", track}, {"args", {{"name", name}}}});
}

// The arguments that all slices of a step share.
ordered_json arguments_of(const TracedStep& step) {
  ordered_json arguments = ordered_json::object();
  if (!step.type.empty()) arguments["type"] = step.type;
  if (!step.program.empty()) arguments["program"] = step.program;
  if (step.microbatch >= 0) {
    arguments["microbatch"] = step.microbatch;
    arguments["visit"] = step.visit;
  }
  if (step.failed) arguments["failed"] = true;
  if (step.place) {
    arguments["source"] = fmt::format("{}:{}:{}", step.place->file, step.place->line, step.place->column);
    arguments["text"] = step.place->line_text;
  }
  return arguments;
}

// Viewers count in microseconds; no clock is better than a nanosecond.
double microseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

TraceFile::TraceFile(std::string path)
    : path_(std::move(path)),
      file_(path_),
      buffer_(R"({"displayTimeUnit": "ms", "traceEvents": [)"),
      begin_seconds_(seconds_now()) {}

void TraceFile::add(const TracedStep& step) {
  const char* const kind = step.is_border ? "border" : "step";
  ordered_json event = {{"name", step.name}, {"cat", kind}, {"ph", "X"}, {"pid", process_number(step.rank)}};
  event["args"] = arguments_of(step);
  for (const TracedStep::Slice& slice : step.devices) {
    name_track(step.rank, slice.device);
    event["tid"] = track_number(step.rank, slice.device);
    event["ts"] = microseconds(std::max(0.0, slice.begin_seconds - begin_seconds_));
    event["dur"] = microseconds(slice.end_seconds - slice.begin_seconds);
    event["args"]["received_bytes"] = slice.received_bytes;
    event["args"]["peak_bytes"] = slice.peak_bytes;
    write(text_of(event));
    ++slices_;
    if (!step.is_border) extend_visit(step, slice);
    count(step.rank, slice);
  }
  if (!step.failed && !step.transfers.empty()) draw_arrows(step);
}

// A border is no part of the visit that its receiver is in.
void TraceFile::extend_visit(const TracedStep& step, const TracedStep::Slice& slice) {
  const std::int64_t track = track_number(step.rank, slice.device);
  const auto open = visits_.find(track);
  const bool goes_on =
      open != visits_.end() && open->second.visit == step.visit && open->second.microbatch == step.microbatch;
  if (goes_on) {
    open->second.end_seconds = slice.end_seconds;
    return;
  }
  close_visit(track);
  if (step.visit < 0) return;
  visits_[track] = {step.rank, step.visit, step.microbatch, slice.begin_seconds, slice.end_seconds};
}

void TraceFile::close_visit(std::int64_t track) {
  const auto open = visits_.find(track);
  if (open == visits_.end()) return;
  const OpenVisit& visit = open->second;
  write(text_of({{"name", fmt::format("microbatch {}, visit {}", visit.microbatch, visit.visit)},
                 {"cat", "visit"},
                 {"ph", "X"},
                 {"pid", process_number(visit.rank)},
                 {"args", {{"microbatch", visit.microbatch}, {"visit", visit.visit}}},
                 {"tid", track},
                 {"ts", microseconds(std::max(0.0, visit.begin_seconds - begin_seconds_))},
                 {"dur", microseconds(visit.end_seconds - visit.begin_seconds)}}));
  visits_.erase(open);
}

// A step's bytes are in flight and alive from its begin to its end on the device.
void TraceFile::count(int rank, const TracedStep::Slice& slice) {
  const auto counted = [&](double seconds, const std::string& name, std::int64_t bytes) {
    write(text_of({{"name", fmt::format("{}, device {}", name, slice.device)},
                   {"ph", "C"},
                   {"pid", process_number(rank)},
                   {"tid", track_number(rank, slice.device)},
                   {"ts", microseconds(std::max(0.0, seconds - begin_seconds_))},
                   {"args", {{"bytes", bytes}}}}));
  };
  counted(slice.begin_seconds, "memory", slice.peak_bytes);
  if (slice.received_bytes == 0) return;
  counted(slice.begin_seconds, "in flight", slice.received_bytes);
  counted(slice.end_seconds, "in flight", 0);
}

namespace {

constexpr std::size_t kArrowsToADevice = 16;

// Keeps the transfers that bring most; of equal ones the first by sender.
std::vector<TracedStep::Transfer> transfers_shown(const std::vector<TracedStep::Transfer>& all) {
  std::vector<TracedStep::Transfer> shown;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].to == all[begin].to) ++end;
    const std::size_t first = shown.size();
    shown.insert(shown.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                 all.begin() + static_cast<std::ptrdiff_t>(end));
    std::stable_sort(shown.begin() + static_cast<std::ptrdiff_t>(first), shown.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    shown.resize(std::min(shown.size(), first + kArrowsToADevice));
    begin = end;
  }
  return shown;
}

}  // namespace

// An arrow begins with its sender's slice and ends with its receiver's: viewers look for the slice that is around the
// moment. Either end is written when its rank's slices come.
void TraceFile::draw_arrows(const TracedStep& step) {
  constexpr double kNanosecond = 1e-9;
  const std::string source =
      step.place ? fmt::format("{}:{}:{}", step.place->file, step.place->line, step.place->column) : std::string();
  const auto slice_of = [&](std::int64_t device) {
    return std::find_if(step.devices.begin(), step.devices.end(),
                        [&](const TracedStep::Slice& slice) { return slice.device == device; });
  };
  const auto end_of_arrow = [&](const char* phase, std::int64_t device, double seconds, const Pair& pair,
                                std::int64_t number, std::int64_t bytes) {
    ordered_json event = {{"name", "sent"},
                          {"cat", "transfer"},
                          {"ph", phase},
                          {"id", fmt::format("{}>{} {} {}", pair.from, pair.to, pair.source, number)},
                          {"pid", process_number(step.rank)},
                          {"tid", track_number(step.rank, device)},
                          {"ts", microseconds(std::max(0.0, seconds - begin_seconds_))},
                          {"args", {{"bytes", bytes}}}};
    if (phase[0] == 'f') event["bp"] = "e";
    write(text_of(event));
  };
  for (const TracedStep::Transfer& transfer : transfers_shown(step.transfers)) {
    const Pair pair{source, transfer.from, transfer.to};
    if (const auto sender = slice_of(transfer.from); sender != step.devices.end())
      end_of_arrow("s", transfer.from, std::min(sender->begin_seconds + kNanosecond, sender->end_seconds), pair,
                   sent_[pair]++, transfer.bytes);
    if (const auto receiver = slice_of(transfer.to); receiver != step.devices.end())
      end_of_arrow("f", transfer.to, std::max(receiver->end_seconds - kNanosecond, receiver->begin_seconds), pair,
                   received_[pair]++, transfer.bytes);
  }
}

void TraceFile::name_track(int rank, std::int64_t device) {
  const std::int64_t track = track_number(rank, device);
  if (!tracks_.insert(track).second) return;
  if (ranks_.insert(rank).second) write(name_event("process_name", rank, track, fmt::format("rank {}", rank)));
  write(name_event("thread_name", rank, track, fmt::format("device {}", device)));
}

void TraceFile::write(const std::string& event) {
  buffer_ += empty_ ? "\n" : ",\n";
  buffer_ += event;
  empty_ = false;
  if (buffer_.size() < kBufferBytes) return;
  file_.append(buffer_);
  buffer_.clear();
}

// They are known when the run is over: the last name of a track is what viewers show.
void TraceFile::name_gpus(const std::vector<std::string>& gpus) {
  for (const std::int64_t track : tracks_) {
    const std::int64_t device = track % kTracksOfRank;
    if (device >= std::ssize(gpus) || gpus[static_cast<std::size_t>(device)].empty()) continue;
    const int rank = static_cast<int>(track / kTracksOfRank) - 1;
    const std::string& gpu = gpus[static_cast<std::size_t>(device)];
    write(name_event("thread_name", rank, track, fmt::format("device {}, {}", device, gpu)));
  }
}

std::optional<std::string> TraceFile::finish(const std::vector<std::string>& gpus) {
  name_gpus(gpus);
  while (!visits_.empty()) close_visit(visits_.begin()->first);
  file_.append(buffer_ + "\n]}\n");
  buffer_.clear();
  return file_.commit();
}

}  // namespace tessera::repl
