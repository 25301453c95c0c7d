#include "synth/verify/carried.hpp"

#include <fmt/format.h>

#include "synth/verify/holdings.hpp"

namespace tessera::synth {

namespace {

using verifier::Holdings;

class CarryReplay {
 public:
  CarryReplay(const ArrayType& type, const Running& running)
      : type_(type), kind_(running.kind), held_(type), dimension_(running.dimension), reverse_(running.reverse) {
    for (std::int64_t device = 0; device < held_.devices(); ++device)
      knows_.push_back(lines(device) == 0 || length(device) == 0 || front(device) == 0);
  }

  std::optional<std::string> run(const std::vector<CarryHop>& hops, std::int64_t received_bytes) {
    for (const CarryHop& hop : hops) {
      if (auto fault = fault_of(hop)) return fmt::format("{} -> {}: {}", hop.source, hop.target, *fault);
      knows_[static_cast<std::size_t>(hop.target)] = true;
      bytes_ += lines(hop.target) * values_at(hop.position) * bytes_of(type_.element());
    }
    for (std::size_t device = 0; device < knows_.size(); ++device) {
      if (!knows_[device]) return fmt::format("device {} does not learn what stands in front of its tile", device);
    }
    if (bytes_ != received_bytes) return fmt::format("{} bytes are received, not {}", bytes_, received_bytes);
    return std::nullopt;
  }

 private:
  const Interval& along(std::int64_t device) const { return held_.interval(dimension_, device); }
  std::int64_t length(std::int64_t device) const { return along(device).end - along(device).begin; }
  // How many positions a scan has gone over before it comes to the tile.
  std::int64_t front(std::int64_t device) const {
    return reverse_ ? held_.extents[dimension_] - along(device).end : along(device).begin;
  }
  std::int64_t lines(std::int64_t device) const {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < held_.extents.size(); ++d) {
      if (d != dimension_) count *= held_.interval(d, device).end - held_.interval(d, device).begin;
    }
    return count;
  }
  bool has_the_same_lines(std::int64_t one, std::int64_t other) const {
    for (std::size_t d = 0; d < held_.extents.size(); ++d) {
      if (d != dimension_ && held_.interval(d, one) != held_.interval(d, other)) return false;
    }
    return true;
  }
  // Whole blocks before the boundary give a sum, and two of them what their addition rounded off; a block that the
  // boundary cuts gives the sum of its beginning. Multiplications leave nothing to be added, and what rounds nowhere or
  // goes by no blocks is one value.
  std::int64_t values_at(std::int64_t position) const {
    if (!is_rounded(type_.element()) || kind_ == CarryKind::single) return 1;
    const std::int64_t cut = position - position / kRunningBlock * kRunningBlock;
    return std::min<std::int64_t>(position / kRunningBlock, kind_ == CarryKind::sums ? 2 : 1) + (cut > 0 ? 1 : 0);
  }

  std::optional<std::string> fault_of(const CarryHop& hop) const {
    const auto is_there = [&](std::int32_t device) { return device >= 0 && device < held_.devices(); };
    if (!is_there(hop.source) || !is_there(hop.target)) return "there is no such device";
    if (knows_[static_cast<std::size_t>(hop.target)]) return "the target knows it, or has no tile";
    if (length(hop.source) == 0) return "the source has no tile";
    if (!knows_[static_cast<std::size_t>(hop.source)]) return "the source does not know it yet";
    if (!has_the_same_lines(hop.source, hop.target) || hop.lines != lines(hop.target))
      return "source and target have other lines";
    if (front(hop.target) != hop.position) return "the target's tile begins elsewhere";
    if (front(hop.source) + length(hop.source) != hop.position) return "the source's tile ends elsewhere";
    return std::nullopt;
  }

  const ArrayType& type_;
  CarryKind kind_;
  Holdings held_;
  std::size_t dimension_;
  bool reverse_;
  std::vector<bool> knows_;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::optional<std::string> fault_of_carries(const ArrayType& type, const Running& running,
                                            const std::vector<CarryHop>& hops, std::int64_t received_bytes) {
  return CarryReplay(type, running).run(hops, received_bytes);
}

}  // namespace tessera::synth
