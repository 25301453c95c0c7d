#include "synth/verify/cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/wide.hpp"
#include "synth/verify/holdings.hpp"

namespace tessera::synth {

namespace {

using base::Wide;
using verifier::Holdings;

constexpr Wide kBytesMax = std::numeric_limits<std::int64_t>::max();

class CutReplay {
 public:
  CutReplay(const ArrayType& type, const ArrayType& result, bool positions)
      : lines_(type), result_(result), last_(type.rank() - 1), positions_(positions) {
    key_ = bytes_of(type.element());
    number_ = lines_.extents[last_] < (std::int64_t{1} << 31U) ? 4 : 8;
    for (std::int64_t at = 0; at < lines_.shards[last_]; ++at) filled_ += length_at(at) > 0 ? 1 : 0;
    rounds_ = rounds();
  }

  std::optional<std::string> run(const LineLeader& leader, const LineMember& member, std::int64_t received) const {
    if (lines_.extents != result_.extents) return "the result has other extents";
    Wide bytes = 0;
    std::int64_t groups = 0;
    for (std::int64_t device = 0; device < lines_.devices(); ++device) {
      for (std::size_t d = 0; d <= last_; ++d) {
        if (lines_.interval(d, device) != result_.interval(d, device))
          return fmt::format("device {} has another tile of the result", device);
      }
      const std::int64_t leads = leader(static_cast<std::int32_t>(device));
      if (auto fault = fault_of_member(device, leads, leader, member))
        return fmt::format("device {}: {}", device, *fault);
      if (leads == device && ++groups * lines_.shards[last_] > lines_.devices())
        return "there are more groups than fit";
      if (auto fault = leads == device ? fault_of_group(device, member) : std::nullopt)
        return fmt::format("device {}: {}", device, *fault);
      bytes += std::min(searched(device), kBytesMax) + std::min(elements(device), kBytesMax);
    }
    bytes = std::min(bytes, kBytesMax);
    if (bytes != received)
      return fmt::format("at most {} bytes are received, not {}", static_cast<std::int64_t>(bytes), received);
    return std::nullopt;
  }

 private:
  // The tile at this place.
  std::int64_t length_at(std::int64_t at) const {
    const std::int64_t end = at + 1 < lines_.shards[last_] ? lines_.begin(last_, at + 1) : lines_.extents[last_];
    return end - lines_.begin(last_, at);
  }
  static std::int64_t length(const Interval& interval) { return interval.end - interval.begin; }
  std::int64_t own_length(std::int64_t device) const { return length(lines_.interval(last_, device)); }
  std::int64_t place(std::int64_t device) const { return lines_.place[last_][static_cast<std::size_t>(device)]; }

  bool has_the_lines_of(std::int64_t device, std::int64_t other) const {
    for (std::size_t d = 0; d < last_; ++d) {
      if (lines_.interval(d, device) != lines_.interval(d, other)) return false;
    }
    return true;
  }

  std::optional<std::string> fault_of_member(std::int64_t device, std::int64_t leads, const LineLeader& leader,
                                             const LineMember& member) const {
    if (leads < 0 || leads >= lines_.devices()) return "it is led by a device that there is not";
    if (leader(static_cast<std::int32_t>(leads)) != leads) return fmt::format("device {} leads nobody", leads);
    if (!has_the_lines_of(device, leads)) return fmt::format("its leader {} has other lines", leads);
    if (member(static_cast<std::int32_t>(leads), place(device)) != device) return "its lines are sorted without it";
    return std::nullopt;
  }

  std::optional<std::string> fault_of_group(std::int64_t device, const LineMember& member) const {
    std::int64_t known = 0;  // the positions before it have their device
    for (std::int64_t at = 0; at < lines_.shards[last_]; ++at) {
      const std::int64_t other = member(static_cast<std::int32_t>(device), at);
      if (other < 0 || other >= lines_.devices()) return "a device that there is not has its lines";
      const Interval& own = lines_.interval(last_, other);
      if (place(other) != at || own.begin != known) return fmt::format("device {} has another tile", other);
      if (!has_the_lines_of(other, device)) return fmt::format("device {} has other lines", other);
      known = own.end;
    }
    return known == lines_.extents[last_] ? std::nullopt
                                          : std::optional<std::string>("nobody has the end of its lines");
  }

  Wide lines(std::int64_t device) const {
    Wide count = 1;
    for (std::size_t d = 0; d < last_; ++d) count *= length(lines_.interval(d, device));
    return count;
  }

  // Each round leaves four ninths of what may lie on either side, and the last has eight or fewer.
  std::int64_t rounds() const {
    std::int64_t count = 1;
    for (Wide left = lines_.extents[last_]; left > 8; left = left * 4 / 9) ++count;
    return count;
  }

  // Of each other device that has something: eight samples and two counts a round for the cut where the tile begins, if
  // it begins behind others, two samples and two bytes a round for the other's; and how much comes of each line.
  Wide searched(std::int64_t device) const {
    if (own_length(device) == 0) return 0;
    const bool is_first = lines_.interval(last_, device).begin == 0;
    Wide bytes = 0;
    const Wide cuts_of_others = filled_ - (is_first ? 1 : 2);
    bytes += cuts_of_others * rounds_ * (2 * key_ + 2);
    if (!is_first) bytes += (filled_ - 1) * rounds_ * (8 * key_ + 2 * number_);
    bytes += (filled_ - 1) * number_;
    return filled_ < 2 ? 0 : bytes * lines(device);
  }
  Wide elements(std::int64_t device) const {
    const std::int64_t own = own_length(device);
    const Wide most = std::min(own, lines_.extents[last_] - own);
    return most * lines(device) * (key_ + (positions_ ? number_ : 0));
  }

  Holdings lines_;
  Holdings result_;
  std::size_t last_;
  bool positions_;
  Wide key_ = 0;
  Wide number_ = 0;
  Wide filled_ = 0;
  std::int64_t rounds_ = 1;
};

}  // namespace

std::optional<std::string> fault_of_cuts(const ArrayType& type, const ArrayType& result, bool positions,
                                         const LineLeader& leader, const LineMember& member,
                                         std::int64_t received_bytes) {
  if (type.rank() == 0 || result.rank() != type.rank()) return "there are no lines";
  return CutReplay(type, result, positions).run(leader, member, received_bytes);
}

}  // namespace tessera::synth
