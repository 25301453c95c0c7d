#include "synth/verify/delivered.hpp"

#include <fmt/format.h>

#include "synth/verify/holdings.hpp"

namespace tessera::synth {

namespace {

using verifier::Holdings;

class DeliveryReplay {
 public:
  DeliveryReplay(const ArrayType& rows, const ArrayType& ids, const ArrayType& result)
      : rows_(rows), ids_(ids), result_(result), element_bytes_(bytes_of(result.element())) {}

  std::optional<std::string> run(const GroupLeader& leader, const GivingDevice& giver,
                                 std::int64_t received_bytes) const {
    std::int64_t bytes = 0;
    std::int64_t groups = 0;
    for (std::int64_t device = 0; device < result_.devices(); ++device) {
      if (!rows_lie_as_ids(device)) return fmt::format("device {} has other rows than ids", device);
      const std::int64_t leads = leader(static_cast<std::int32_t>(device));
      if (auto fault = fault_of_member(device, leads, leader, giver))
        return fmt::format("device {}: {}", device, *fault);
      if (leads == device && ++groups * ids_.shards[0] > ids_.devices()) return "there are more groups than fit";
      if (auto fault = leads == device ? fault_of_group(device, giver) : std::nullopt)
        return fmt::format("device {}: {}", device, *fault);
      // Every id names a row of one of the devices that differ along the rows alone.
      if (result_.place[0][static_cast<std::size_t>(device)] == 0) bytes += bytes_of_all_ids(device);
    }
    if (bytes != received_bytes) return fmt::format("at most {} bytes are received, not {}", bytes, received_bytes);
    return std::nullopt;
  }

 private:
  bool rows_lie_as_ids(std::int64_t device) const {
    for (std::size_t d = 0; d < ids_.extents.size(); ++d) {
      if (rows_.interval(d, device) != ids_.interval(d, device)) return false;
    }
    return true;
  }

  // The columns of its sums are its leader's, and it gives itself what its own ids name.
  std::optional<std::string> fault_of_member(std::int64_t device, std::int64_t leads, const GroupLeader& leader,
                                             const GivingDevice& giver) const {
    if (leads < 0 || leads >= ids_.devices()) return "it is led by a device that there is not";
    if (leader(static_cast<std::int32_t>(leads)) != leads) return fmt::format("device {} leads no group", leads);
    for (std::size_t d = 1; d < result_.extents.size(); ++d) {
      if (result_.interval(d, leads) != result_.interval(d, device))
        return fmt::format("its leader {} has other columns", leads);
    }
    const Interval& own = ids_.interval(0, device);
    const std::int64_t place = ids_.place[0][static_cast<std::size_t>(device)];
    if (own.end > own.begin && giver(static_cast<std::int32_t>(leads), place) != device)
      return "its own rows come from elsewhere";
    return std::nullopt;
  }

  std::optional<std::string> fault_of_group(std::int64_t device, const GivingDevice& giver) const {
    std::int64_t known = 0;  // what the ids before it name has its device
    for (std::int64_t at = 0; at < ids_.shards[0]; ++at) {
      const std::int64_t source = giver(static_cast<std::int32_t>(device), at);
      if (source < 0 || source >= ids_.devices()) return "a device that there is not gives it rows";
      const Interval& own = ids_.interval(0, source);
      if (own.begin != known || own.begin != ids_.begin(0, at)) return fmt::format("device {} has other ids", source);
      for (std::size_t d = 1; d < result_.extents.size(); ++d) {
        if (rows_.interval(ids_.extents.size() + d - 1, source) != result_.interval(d, device))
          return fmt::format("device {} has other columns", source);
      }
      known = own.end;
    }
    return known == ids_.extents[0] ? std::nullopt : std::optional<std::string>("nobody gives it the last rows");
  }

  std::int64_t bytes_of_all_ids(std::int64_t device) const {
    std::int64_t row = element_bytes_;
    for (std::size_t d = 1; d < result_.extents.size(); ++d)
      row *= result_.interval(d, device).end - result_.interval(d, device).begin;
    if (row == 0) return 0;
    std::int64_t ids = 1;
    for (const std::int64_t extent : ids_.extents) ids *= extent;
    return ids * (row + (result_.extents[0] < (std::int64_t{1} << 31U) ? 4 : 8));
  }

  Holdings rows_;
  Holdings ids_;
  Holdings result_;
  std::int64_t element_bytes_;
};

}  // namespace

std::optional<std::string> fault_of_deliveries(const ArrayType& rows, const ArrayType& ids, const ArrayType& result,
                                               const GroupLeader& leader, const GivingDevice& giver,
                                               std::int64_t received_bytes) {
  return DeliveryReplay(rows, ids, result).run(leader, giver, received_bytes);
}

}  // namespace tessera::synth
