#include "synth/verify/delivered.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

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

std::int64_t values_in(const Box& box) {
  std::int64_t elements = 1;
  for (const Interval& side : box) elements *= side.end - side.begin;
  return elements;
}

Box common_box(const Box& a, const Box& b) {
  Box both = a;
  for (std::size_t d = 0; d < a.size(); ++d) {
    both[d] = verifier::common(a[d], b[d]);
    both[d].end = std::max(both[d].begin, both[d].end);
  }
  return both;
}

class LineReplay {
 public:
  LineReplay(const ArrayType& values, const ArrayType& ids, const ArrayType& result)
      : values_(values), ids_(ids), result_(result), mesh_(result.mesh()), axes_(result.layout().splits().back()) {}

  std::optional<std::string> run(const DeliveredBoxes& boxes, std::int64_t moved_values) const {
    for (std::int64_t device = 0; device < result_.devices(); ++device) {
      for (std::size_t d = 0; d < ids_.extents.size(); ++d) {
        if (values_.interval(d, device) != ids_.interval(d, device))
          return fmt::format("device {} has other values than ids", device);
      }
      if (auto fault = fault_of(device, boxes(static_cast<std::int32_t>(device))))
        return fmt::format("device {}: {}", device, *fault);
    }
    const std::int64_t most = values_at_most();
    if (most != moved_values) return fmt::format("at most {} values move, not {}", most, moved_values);
    return std::nullopt;
  }

 private:
  std::size_t last() const { return result_.extents.size() - 1; }
  bool has_places(std::int64_t device) const {
    const Interval& places = result_.interval(last(), device);
    return places.end > places.begin;
  }
  // The values that a device's ids may name: its lines, each whole.
  Box needed(std::int64_t device) const {
    Box box;
    for (std::size_t d = 0; d < last(); ++d) box.push_back(result_.interval(d, device));
    box.push_back({0, values_.extents[last()]});
    return box;
  }
  Box held(std::int64_t device) const {
    Box box;
    for (std::size_t d = 0; d <= last(); ++d) box.push_back(values_.interval(d, device));
    return box;
  }

  std::optional<std::string> fault_of(std::int64_t device, std::vector<DeliveredBox> given) const {
    const Box all = needed(device);
    std::int64_t elements = 0;
    std::int64_t own = 0;
    std::int64_t begins = 0;
    for (const auto& [source, box] : given) {
      if (source < 0 || source >= values_.devices()) return "a device that there is not gives it values";
      const std::int64_t size = box.size() == all.size() ? values_in(box) : 0;
      if (size <= 0 || common_box(box, all) != box) return "it gets values of other lines";
      if (common_box(box, held(source)) != box) return fmt::format("device {} does not have what it gives", source);
      if (box.back().begin < begins) return "a line's values come in another order";
      begins = box.back().begin;
      elements += size;
      if (source == device) own += size;
    }
    if (!has_places(device))
      return given.empty() ? std::nullopt : std::optional<std::string>("it has nothing to add to");
    if (elements != values_in(all)) return fmt::format("it gets {} values of {}", elements, values_in(all));
    if (own != values_in(common_box(all, held(device)))) return "its own values come from elsewhere";
    return are_apart(std::move(given)) ? std::nullopt : std::optional<std::string>("it gets a value twice");
  }

  // Boxes that begin one behind the other along the dimension that cuts them most often are compared with those that
  // begin before they end.
  static bool are_apart(std::vector<DeliveredBox> given) {
    if (given.empty()) return true;
    std::size_t along = 0;
    std::size_t most = 0;
    for (std::size_t d = 0; d < given.front().box.size(); ++d) {
      std::set<std::int64_t> begins;
      for (const DeliveredBox& one : given) begins.insert(one.box[d].begin);
      if (begins.size() > most) std::tie(along, most) = std::pair(d, begins.size());
    }
    std::ranges::sort(given, {}, [&](const DeliveredBox& one) { return one.box[along].begin; });
    for (std::size_t i = 0; i < given.size(); ++i) {
      for (std::size_t k = i + 1; k < given.size() && given[k].box[along].begin < given[i].box[along].end; ++k) {
        if (values_in(common_box(given[i].box, given[k].box)) > 0) return false;
      }
    }
    return true;
  }

  // Each value goes to one of the devices that have its line together, unless all of them have it.
  std::int64_t values_at_most() const {
    const verifier::Numbers leaders = verifier::group_leaders(mesh_, axes_);
    std::map<std::int64_t, std::optional<Box>> held_by_all;
    for (std::int64_t device = 0; device < result_.devices(); ++device) {
      if (!has_places(device)) continue;
      std::optional<Box>& own = held_by_all[leaders[static_cast<std::size_t>(device)]];
      own = common_box(own.value_or(needed(device)), held(device));
    }
    std::int64_t all = 0;
    for (const auto& [leader, box] : held_by_all) all += values_in(needed(leader)) - values_in(*box);
    return all;
  }

  Holdings values_;
  Holdings ids_;
  Holdings result_;
  const Mesh& mesh_;
  const AxisList& axes_;
};

}  // namespace

std::optional<std::string> fault_of_line_deliveries(const ArrayType& values, const ArrayType& ids,
                                                    const ArrayType& result, const DeliveredBoxes& boxes,
                                                    std::int64_t moved_values) {
  return LineReplay(values, ids, result).run(boxes, moved_values);
}

std::optional<std::string> fault_of_deliveries(const ArrayType& rows, const ArrayType& ids, const ArrayType& result,
                                               const GroupLeader& leader, const GivingDevice& giver,
                                               std::int64_t received_bytes) {
  return DeliveryReplay(rows, ids, result).run(leader, giver, received_bytes);
}

}  // namespace tessera::synth
