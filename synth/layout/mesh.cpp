#include "synth/layout/mesh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "synth/kinds.hpp"
#include "synth/layout/cursor.hpp"
#include "synth/layout/place_matrix.hpp"

namespace tessera::synth {

namespace {

using base::make;

bool is_name(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_name_byte) &&
         !base::first_invalid_byte(text);
}

std::string sizes_text(const std::vector<MeshAxis>& axes) {
  std::string text;
  for (const MeshAxis& axis : axes) text += fmt::format("{}{}", text.empty() ? "" : "x", axis.size);
  return text;
}

base::Status check_cut(const MeshAxis& axis, std::size_t i) {
  const NamedCut& cut = axis.cuts[i];
  if (!is_name(cut.name))
    return make(Kind::bad_mesh_text, excerpt(cut.name), "a cut's name is letters, digits and `_`");
  const auto same_name = [&](const NamedCut& other) { return other.name == cut.name; };
  if (std::any_of(axis.cuts.begin(), axis.cuts.begin() + static_cast<std::ptrdiff_t>(i), same_name)) {
    return make(Kind::cut_weights, axis.name, cut.name, "is named twice");
  }
  const std::int64_t weights = cut.weights.positions();
  if (weights == axis.size) return base::Done{};
  return make(Kind::cut_weights, axis.name, cut.name,
              fmt::format("has {} weight{}, but the axis has {} position{}", weights, weights == 1 ? "" : "s",
                          axis.size, axis.size == 1 ? "" : "s"));
}

// The sum of an axis' weights by the cut that has the largest.
std::int64_t largest_sum(const MeshAxis& axis) {
  std::int64_t largest = axis.size;
  for (const NamedCut& cut : axis.cuts) largest = std::max(largest, cut.weights.sum());
  return largest;
}

base::Status check_cuts(const std::vector<MeshAxis>& axes) {
  constexpr std::size_t kCutsMax = 255;
  std::int64_t product = 1;
  for (const MeshAxis& axis : axes) {
    for (std::size_t i = 0; i < axis.cuts.size(); ++i) TESSERA_TRY_STATUS(check_cut(axis, i));
    if (axis.cuts.size() > kCutsMax) {
      return make(Kind::cut_weights, axis.name, axis.cuts.back().name, "is one of more than 255 of its axis");
    }
    const std::int64_t sum = largest_sum(axis);
    if (sum > kWeightProductMax / product) {
      return make(Kind::cut_weights, axis.name, axis.cuts.empty() ? "" : axis.cuts.back().name,
                  "makes the sums of all axes' weights too large: their product may be 2^60");
    }
    product *= sum;
  }
  return base::Done{};
}

base::Status check_axis(const std::vector<MeshAxis>& axes, std::size_t i) {
  const MeshAxis& axis = axes[i];
  if (!is_name(axis.name))
    return make(Kind::bad_mesh_text, excerpt(axis.name), "an axis' name is letters, digits and `_`");
  if (axis.size < 1) return make(Kind::mesh_axis_size, axis.name, axis.size);
  const auto same_name = [&](const MeshAxis& other) { return other.name == axis.name; };
  if (std::any_of(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), same_name)) {
    return make(Kind::axis_repeated, axis.name);
  }
  return base::Done{};
}

base::Status check_axes(const std::vector<MeshAxis>& axes) {
  if (axes.size() > kMeshAxesMax) return make(Kind::mesh_axes_too_many, axes.size());
  std::int64_t devices = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    TESSERA_TRY_STATUS(check_axis(axes, i));
    if (axes[i].size > kDevicesMax / devices) return make(Kind::mesh_too_large, sizes_text(axes));
    devices *= axes[i].size;
  }
  return check_cuts(axes);
}

base::Status check_devices(const std::vector<DeviceRange>& ranges, std::int64_t devices) {
  const std::string fault = fault_of(ranges, devices);
  if (fault.empty()) return base::Done{};
  std::int64_t begin = ranges.front().begin;
  if (begin < 0 || begin > kDevicesMax - devices) begin = 0;
  return make(Kind::mesh_devices, print(ranges), fault, devices)
      .suggest(fmt::format("name {} different device{}, as in `on {}:{}`", devices, devices == 1 ? "" : "s", begin,
                           begin + devices));
}

base::Diagnostic bad_mesh(std::string_view text, std::string_view why) {
  return make(Kind::bad_mesh_text, excerpt(text), why).suggest("write a mesh as `x:4,y:2`");
}

// `(2,1,1)`
base::Result<Weights> parse_weights(Cursor& cursor, std::string_view axis, std::string_view cut) {
  const auto bad = [&](std::string_view why) { return make(Kind::cut_weights, excerpt(axis), excerpt(cut), why); };
  std::vector<std::int64_t> values;
  cursor.accept('(');
  do {
    const std::string_view digits = cursor.digits();
    if (digits.empty()) return bad("has something that is no weight").suggest("write weights as `d:3 work(2,1,1)`");
    const std::int64_t value = integer_value(digits).value_or(std::numeric_limits<std::int64_t>::max());
    if (value < 1 || value > kWeightMax) {
      return bad(fmt::format("has a weight of {}, but a weight is from 1 to 1,048,576", excerpt(digits)));
    }
    values.push_back(value);
  } while (cursor.accept(','));
  if (!cursor.accept(')')) return bad("has no `)` after its weights");
  return *Weights::make(std::move(values));
}

base::Result<MeshAxis> parse_axis(Cursor& cursor, std::string_view text) {
  const std::string_view axis_name = cursor.name();
  if (axis_name.empty())
    return bad_mesh(text, fmt::format("an axis' name is missing at column {}", cursor.offset() + 1));
  if (!cursor.accept(':')) return bad_mesh(text, fmt::format("axis `{}` has no size", excerpt(axis_name)));
  const bool negative = cursor.accept('-');
  const std::string_view digits = cursor.digits();
  if (digits.empty()) return bad_mesh(text, fmt::format("axis `{}` has no size", excerpt(axis_name)));
  // A size beyond 63 bits is as much too large as the largest.
  const std::int64_t size = integer_value(digits).value_or(std::numeric_limits<std::int64_t>::max());
  MeshAxis axis{std::string(axis_name), negative ? -size : size};
  for (Cursor ahead = cursor; !ahead.name().empty() && ahead.accept('(');) {
    const std::string_view cut = cursor.name();
    TESSERA_TRY(weights, parse_weights(cursor, axis.name, cut));
    axis.cuts.push_back(NamedCut{std::string(cut), std::move(weights)});
    ahead = cursor;
  }
  return axis;
}

base::Result<std::vector<MeshAxis>> parse_axes(std::string_view text) {
  Cursor cursor(text);
  std::vector<MeshAxis> axes;
  cursor.skip_blanks();
  if (cursor.at_end()) return axes;
  do {
    TESSERA_TRY(axis, parse_axis(cursor, text));
    axes.push_back(std::move(axis));
  } while (cursor.accept(','));
  cursor.skip_blanks();
  if (!cursor.at_end()) return bad_mesh(text, fmt::format("a comma is missing at column {}", cursor.offset() + 1));
  return axes;
}

// A mesh's text: its axes, the devices after `on`, the matrix after `place`.
struct MeshText {
  std::string_view axes;
  std::optional<std::string_view> devices;
  std::optional<std::string_view> place;
};

// `on` is a word of its own, which a digit or a parenthesis with ranges follows: a cut of that name has weights.
std::size_t begin_of_devices(std::string_view text) {
  for (std::size_t at = text.find("on"); at != std::string_view::npos; at = text.find("on", at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t';
    const std::string_view rest = text.substr(at + 2);
    const bool is_word = begins && !rest.empty() && !is_name_byte(rest[0]) && rest[0] != ':';
    if (is_word && (rest.find('(') == std::string_view::npos || rest.find(':') < rest.find(')'))) return at;
  }
  return std::string_view::npos;
}

MeshText parts_of(std::string_view text) {
  MeshText parts;
  if (const std::size_t place = text.rfind(" place "); place != std::string_view::npos) {
    parts.place = text.substr(place + std::string_view(" place ").size());
    text = text.substr(0, place);
  }
  if (const std::size_t on = begin_of_devices(text); on != std::string_view::npos) {
    parts.devices = text.substr(on + 2);
    text = text.substr(0, on);
  }
  parts.axes = text;
  return parts;
}

}  // namespace

Mesh::Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)), strides_(axes_.size(), 1) {
  for (std::size_t i = axes_.size(); i-- > 0;) {
    strides_[i] = devices_;
    devices_ *= axes_[i].size;
  }
}

base::Result<MeshRef> Mesh::make(std::vector<MeshAxis> axes) { return make_on(std::move(axes), {}); }

base::Result<MeshRef> Mesh::placed(std::vector<MeshAxis> axes, const PlaceMatrix& matrix) {
  return make_on(std::move(axes), {}, &matrix);
}

base::Result<MeshRef> Mesh::make_on(std::vector<MeshAxis> axes, const std::vector<DeviceRange>& ranges,
                                    const PlaceMatrix* matrix) {
  return base::guarded([&]() -> base::Result<MeshRef> {
    TESSERA_TRY_STATUS(check_axes(axes));
    auto mesh = std::unique_ptr<Mesh>(new Mesh(std::move(axes)));
    if (!ranges.empty()) TESSERA_TRY_STATUS(check_devices(ranges, mesh->devices_));
    std::vector<std::int32_t> order;
    if (matrix != nullptr) {
      const std::vector<std::int64_t> sizes = axis_sizes(*mesh);
      const std::string fault = fault_of(*matrix, sizes);
      if (!fault.empty()) return bad_place(print(*matrix), fault);
      order = devices_in_order(*matrix, sizes);
    }
    mesh->put_on(ranges, order);
    if (matrix != nullptr) mesh->matrix_ = std::make_shared<const PlaceMatrix>(*matrix);
    return MeshRef(std::move(mesh));
  });
}

bool Mesh::has_matrix_of(const Mesh& other) const {
  if (matrix_ == nullptr || other.matrix_ == nullptr) return matrix_ == other.matrix_;
  return *matrix_ == *other.matrix_;
}

base::Result<MeshRef> Mesh::ordered(std::vector<MeshAxis> axes, std::vector<std::int32_t> devices, const Mesh* where) {
  return base::guarded([&]() -> base::Result<MeshRef> {
    TESSERA_TRY_STATUS(check_axes(axes));
    auto mesh = std::unique_ptr<Mesh>(new Mesh(std::move(axes)));
    TESSERA_CHECK(mesh->devices_ == static_cast<std::int64_t>(devices.size()), "an order of other devices");
    TESSERA_CHECK(where == nullptr || where->devices_ == mesh->devices_, "a mesh of other devices");
    mesh->put_in_order(std::move(devices));
    if (where != nullptr) {
      mesh->ids_ = where->ids_;
      mesh->ranges_ = where->ranges_;
    }
    return MeshRef(std::move(mesh));
  });
}

// The mesh on these devices; in the order of the ranges, or the `order` among them.
void Mesh::put_on(const std::vector<DeviceRange>& ranges, const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> written;  // devices of the run
  for (const DeviceRange& range : ranges) {
    for (std::int64_t device = range.begin; device < range.end; ++device)
      written.push_back(static_cast<std::int32_t>(device));
  }
  ids_ = written;
  std::sort(ids_.begin(), ids_.end());
  std::vector<std::int32_t> numbers;  // at every place
  for (std::int64_t place = 0; place < devices_; ++place) {
    const auto at = order.empty() ? place : std::int64_t{order[static_cast<std::size_t>(place)]};
    const auto number =
        written.empty()
            ? at
            : std::lower_bound(ids_.begin(), ids_.end(), written[static_cast<std::size_t>(at)]) - ids_.begin();
    numbers.push_back(static_cast<std::int32_t>(number));
  }
  put_in_order(std::move(numbers));
  ranges_ = joined(ranges);
  if (ids_.empty() || ids_.back() + 1 != devices_) return;
  ids_.clear();  // 0:D, if not in this order
  if (ranges_.size() == 1) ranges_.clear();
}

void Mesh::put_in_order(std::vector<std::int32_t> devices) {
  if (std::is_sorted(devices.begin(), devices.end(), std::less_equal<>{})) return;
  places_.assign(devices.size(), -1);
  for (std::size_t place = 0; place < devices.size(); ++place) {
    std::int32_t& of_device = places_.at(static_cast<std::size_t>(devices[place]));
    TESSERA_CHECK(of_device == -1, "an order that has a device twice");
    of_device = static_cast<std::int32_t>(place);
  }
  devices_at_ = std::move(devices);
}

MeshRef Mesh::single_device() {
  static const MeshRef single(new Mesh({}));
  return single;
}

std::optional<std::size_t> Mesh::find(std::string_view axis_name) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == axis_name) return i;
  }
  return std::nullopt;
}

std::optional<std::int64_t> Mesh::number_of(DeviceId device) const {
  const auto id = static_cast<std::int64_t>(device.value);
  if (ids_.empty()) return id < devices_ ? std::optional(id) : std::nullopt;
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (found == ids_.end() || *found != id) return std::nullopt;
  return found - ids_.begin();
}

std::vector<std::int64_t> axis_sizes(const Mesh& mesh) {
  std::vector<std::int64_t> sizes;
  for (const MeshAxis& axis : mesh.axes()) sizes.push_back(axis.size);
  return sizes;
}

std::int64_t devices_of_both(const Mesh& a, const Mesh& b) {
  if (a.has_devices_of(b)) return a.devices();
  std::int64_t count = a.devices();
  for (std::int64_t d = 0; d < b.devices(); ++d) count += a.number_of(b.device_of_run(d)) ? 0 : 1;
  return count;
}

std::string print(const Mesh& mesh) {
  return print_axes(mesh) + (mesh.matrix() != nullptr ? " place " + print(*mesh.matrix()) : "");
}

std::string print_axes(const Mesh& mesh) {
  std::string text;
  for (const MeshAxis& axis : mesh.axes()) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", axis.name, axis.size);
    for (const NamedCut& cut : axis.cuts) {
      text += fmt::format(" {}({})", cut.name, fmt::join(cut.weights.values(), ","));
    }
  }
  if (mesh.ranges().empty()) return text;
  return fmt::format("{}{}on {}", text, text.empty() ? "" : " ", print(mesh.ranges()));
}

base::Diagnostic no_such_cut(const MeshAxis& axis, std::string_view cut) {
  std::vector<std::string> names;
  for (const NamedCut& named : axis.cuts) names.push_back(named.name);
  auto why = make(Kind::unknown_cut, axis.name, cut);
  const auto meant = base::nearest(cut, names);
  if (meant) return std::move(why).suggest(fmt::format("did you mean `{}.{}`?", axis.name, *meant));
  if (names.empty()) {
    return std::move(why).suggest(fmt::format(
        "`@{0}` alone cuts evenly; give the axis a cut where the mesh is declared, as in `{0}: 3 work(2,1,1)`",
        axis.name));
  }
  return std::move(why).suggest(
      fmt::format("`{}` has `{}`; `@{}` alone cuts evenly", axis.name, fmt::join(names, "`, `"), axis.name));
}

base::Result<MeshRef> parse_mesh(std::string_view text) {
  return base::guarded([&]() -> base::Result<MeshRef> {
    MeshText parts = parts_of(text);
    TESSERA_TRY(axes, parse_axes(parts.axes));
    std::vector<DeviceRange> ranges;
    if (parts.devices) {
      auto read = parse_device_ranges(*parts.devices);
      if (!read) {
        return make(Kind::bad_mesh_text, excerpt(text), "after `on` stand no ranges of devices")
            .suggest("write them as `x:4,y:2 on 8:16` or `x:4,y:2 on (0:4,8:12)`");
      }
      ranges = std::move(*read);
    }
    if (!parts.place) return Mesh::make_on(std::move(axes), ranges);
    auto matrix = parse_place_matrix(*parts.place);
    if (!matrix) return bad_place(excerpt(*parts.place), "is no matrix").suggest("write one as `place [[4,4],[1,4]]`");
    return Mesh::make_on(std::move(axes), ranges, &*matrix);
  });
}

base::Diagnostic bad_place(std::string_view matrix, std::string_view fault) {
  return make(Kind::bad_place, matrix, fault);
}

}  // namespace tessera::synth
