#include "synth/verify/requested.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/verify/holdings.hpp"

namespace tessera::synth {

namespace {

using verifier::Holdings;

class RequestReplay {
 public:
  RequestReplay(const ArrayType& table, const ArrayType& ids, const ArrayType& result)
      : table_(table), ids_(ids), result_(result), element_bytes_(bytes_of(table.element())) {}

  std::optional<std::string> run(const GroupLeader& leader, const AskedDevice& asked,
                                 std::int64_t received_bytes) const {
    std::int64_t bytes = 0;
    std::int64_t groups = 0;
    for (std::int64_t device = 0; device < table_.devices(); ++device) {
      if (!has_the_shape_of_its_ids(device)) return fmt::format("device {} has other ids than its result", device);
      const std::int64_t leads = leader(static_cast<std::int32_t>(device));
      if (auto fault = fault_of_member(device, leads, leader, asked))
        return fmt::format("device {}: {}", device, *fault);
      if (leads == device && ++groups * table_.shards[0] > table_.devices()) return "there are more groups than fit";
      if (auto fault = leads == device ? fault_of_group(device, asked) : std::nullopt)
        return fmt::format("device {}: {}", device, *fault);
      bytes += bytes_at_most(device);
    }
    if (bytes != received_bytes) return fmt::format("at most {} bytes are received, not {}", bytes, received_bytes);
    return std::nullopt;
  }

 private:
  std::int64_t columns(std::int64_t device) const {
    std::int64_t count = 1;
    for (std::size_t d = 1; d < table_.extents.size(); ++d) count *= length(table_.interval(d, device));
    return count;
  }
  static std::int64_t length(const Interval& interval) { return interval.end - interval.begin; }

  // The result is cut as ids and as rows are.
  bool has_the_shape_of_its_ids(std::int64_t device) const {
    const std::size_t of_ids = ids_.extents.size();
    for (std::size_t d = 0; d < of_ids; ++d) {
      if (ids_.interval(d, device) != result_.interval(d, device)) return false;
    }
    for (std::size_t d = 1; d < table_.extents.size(); ++d) {
      if (table_.interval(d, device) != result_.interval(of_ids + d - 1, device)) return false;
    }
    return true;
  }

  bool has_the_columns_of(std::int64_t device, std::int64_t other) const {
    for (std::size_t d = 1; d < table_.extents.size(); ++d) {
      if (table_.interval(d, device) != table_.interval(d, other)) return false;
    }
    return true;
  }

  // What its group asks for has its columns, and it is asked for its own rows.
  std::optional<std::string> fault_of_member(std::int64_t device, std::int64_t leads, const GroupLeader& leader,
                                             const AskedDevice& asked) const {
    if (leads < 0 || leads >= table_.devices()) return "it is led by a device that there is not";
    if (leader(static_cast<std::int32_t>(leads)) != leads) return fmt::format("device {} leads no group", leads);
    if (!has_the_columns_of(device, leads)) return fmt::format("its leader {} has other columns", leads);
    const Interval& own = table_.interval(0, device);
    const std::int64_t place = table_.place[0][static_cast<std::size_t>(device)];
    if (length(own) > 0 && asked(static_cast<std::int32_t>(leads), place) != device) return "it asks for its own rows";
    return std::nullopt;
  }

  std::optional<std::string> fault_of_group(std::int64_t device, const AskedDevice& asked) const {
    std::int64_t known = 0;  // the rows before it have their device
    for (std::int64_t at = 0; at < table_.shards[0]; ++at) {
      const std::int64_t source = asked(static_cast<std::int32_t>(device), at);
      if (source < 0 || source >= table_.devices()) return "it asks a device that there is not";
      const Interval& rows = table_.interval(0, source);
      if (rows.begin != known || rows.begin != table_.begin(0, at))
        return fmt::format("device {} has other rows", source);
      if (!has_the_columns_of(source, device)) return fmt::format("device {} has other columns", source);
      known = rows.end;
    }
    return known == table_.extents[0] ? std::nullopt : std::optional<std::string>("it asks nobody for the last rows");
  }

  // A row is asked for once, and each id names one row.
  std::int64_t bytes_at_most(std::int64_t device) const {
    const std::int64_t row = columns(device) * element_bytes_;
    if (row == 0) return 0;
    const std::int64_t lacking = table_.extents[0] - length(table_.interval(0, device));
    const std::int64_t number = table_.extents[0] < (std::int64_t{1} << 31U) ? 4 : 8;
    return std::min(ids_.elements(device), lacking) * (number + row);
  }

  Holdings table_;
  Holdings ids_;
  Holdings result_;
  std::int64_t element_bytes_;
};

}  // namespace

std::optional<std::string> fault_of_requests(const ArrayType& table, const ArrayType& ids, const ArrayType& result,
                                             const GroupLeader& leader, const AskedDevice& asked,
                                             std::int64_t received_bytes) {
  return RequestReplay(table, ids, result).run(leader, asked, received_bytes);
}

}  // namespace tessera::synth
