// Traces as files: Chrome trace events, which Perfetto and chrome://tracing open.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "repl/process/files.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// Each device has a track below its rank, with one slice for each step, and counters of its memory and of the bytes on
// their way to it. In a pipeline a slice surrounds everything that a device does in a visit of a microbatch. In a
// change of layout on one mesh an arrow leads from each sender's slice to the receiver's, from at most 16 senders to
// each. Events are written as they come, however many.
class TraceFile {
 public:
  explicit TraceFile(std::string path);

  const std::string& path() const { return path_; }
  // Why it cannot be written, if something has gone wrong.
  const std::optional<std::string>& failure() const { return file_.failure(); }
  void add(const TracedStep& step);
  std::int64_t slices() const { return slices_; }
  // Puts the file in its place. Returns the reason if that fails. `gpus`: what the tracks of devices are called beside
  // their numbers, as Session::gpus_of_devices says it.
  std::optional<std::string> finish(const std::vector<std::string>& gpus = {});

 private:
  void name_track(int rank, std::int64_t device);
  void name_gpus(const std::vector<std::string>& gpus);
  void extend_visit(const TracedStep& step, const TracedStep::Slice& slice);
  void close_visit(std::int64_t track);
  void count(int rank, const TracedStep::Slice& slice);
  void draw_arrows(const TracedStep& step);
  void write(const std::string& event);

  std::string path_;
  FileReplacement file_;
  std::string buffer_;
  double begin_seconds_ = 0;  // is 0 in the file
  bool empty_ = true;
  std::int64_t slices_ = 0;
  // The visit that a device is at.
  struct OpenVisit {
    int rank = 0;
    std::int64_t visit = 0;
    std::int64_t microbatch = 0;
    double begin_seconds = 0;
    double end_seconds = 0;
  };
  std::map<std::int64_t, OpenVisit> visits_;  // by track
  // How often a device has sent to another, or received from it, where an expression asked for it. Both take the same
  // steps in the same order, so the n-th sending is the n-th receiving.
  struct Pair {
    std::string source;
    std::int64_t from = 0;
    std::int64_t to = 0;
    auto operator<=>(const Pair&) const = default;
  };
  std::map<Pair, std::int64_t> sent_;
  std::map<Pair, std::int64_t> received_;
  std::set<int> ranks_;  // that have their names
  std::set<std::int64_t> tracks_;
};

}  // namespace tessera::repl
