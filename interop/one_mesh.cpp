#include "interop/one_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "interop/kinds.hpp"

namespace tessera::interop {

namespace {

using base::make;
using synth::ArrayType;
using synth::AxisList;
using synth::AxisPart;
using synth::Mesh;
using synth::MeshAxis;
using synth::MeshRef;

// The shape to be taken: the text's own, or the one that was given.
base::Result<ShapeText> shape_for(const Described& text, const std::optional<ShapeText>& shape) {
  if (!text.shape && !shape)
    return make(Kind::interop_syntax, "a whole layout", "the array's shape is missing")
        .suggest("write it as --shape f32[16,16]");
  if (text.shape && shape && (text.shape->shape != shape->shape || text.shape->element != shape->element))
    return make(Kind::interop_syntax, "a layout of that array", "the text says another shape or element type itself")
        .at(text.span);
  return text.shape ? *text.shape : *shape;
}

// The parts of the mesh's axes that a digit is, major first; nothing if it cuts an axis where it cannot be cut.
std::optional<AxisList> parts_of(const Mesh& mesh, const Digit& digit) {
  AxisList parts;
  const std::int64_t end = digit.stride * digit.size;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const std::int64_t axis_begin = mesh.stride(axis);
    const std::int64_t axis_end = axis_begin * mesh.axes()[axis].size;
    const std::int64_t low = std::max(digit.stride, axis_begin);
    const std::int64_t high = std::min(end, axis_end);
    if (low >= high) continue;
    if (high % low != 0 || axis_end % high != 0 || low % axis_begin != 0) return std::nullopt;
    parts.emplace_back(static_cast<std::uint8_t>(axis), axis_end / high, high / low);
  }
  return parts;
}

std::optional<AxisList> parts_of(const Mesh& mesh, const Digits& digits) {
  AxisList result;
  for (const Digit& digit : digits) {
    const auto parts = parts_of(mesh, digit);
    if (!parts) return std::nullopt;
    result.insert(result.end(), parts->begin(), parts->end());
  }
  return result;
}

Digits all_devices(std::int64_t devices) { return merged({{devices, 1}}); }

Digits pending_of(const Described& text, std::int64_t devices) {
  return text.pending_everywhere ? all_devices(devices) : text.pending;
}

base::Diagnostic no_mesh(const Described& text) {
  return make(Kind::interop_no_mesh, "this order of devices").at(text.span);
}

// The text's layout on a mesh; fails with `interop-no-mesh` where the mesh's axes cannot be cut so.
base::Result<ArrayType> on_mesh(const Described& text, const ShapeText& shape, const MeshRef& mesh) {
  const std::size_t rank = shape.shape.size();
  if (text.splits.size() > rank || (text.splits.size() < rank && !text.is_open))
    return make(Kind::interop_syntax, "a layout of that array",
                fmt::format("it is of {} dimensions, and the array has {}", text.splits.size(), rank))
        .at(text.span);
  std::vector<AxisList> splits(rank);
  for (std::size_t d = 0; d < text.splits.size(); ++d) {
    auto parts = parts_of(*mesh, text.splits[d]);
    if (!parts) return no_mesh(text);
    splits[d] = std::move(*parts);
  }
  auto pending = parts_of(*mesh, pending_of(text, mesh->devices()));
  if (!pending) return no_mesh(text);
  TESSERA_TRY(layout, synth::Layout::make(*mesh, std::move(splits), std::move(*pending), text.reduce));
  return ArrayType::make(shape.element, shape.shape, mesh, layout);
}

std::int64_t devices_along(const Described& text, std::size_t dimension) {
  std::int64_t devices = 1;
  if (dimension < text.splits.size()) {
    for (const Digit& digit : text.splits[dimension]) devices *= digit.size;
  }
  return devices;
}

std::string first_starts(std::int64_t extent, std::int64_t devices, bool ours) {
  constexpr std::int64_t kShown = 6;
  std::string text;
  for (std::int64_t t = 0; t < std::min(devices, kShown); ++t) {
    const std::int64_t start = ours ? t * extent / devices : std::min(extent, t * ((extent + devices - 1) / devices));
    text += fmt::format("{}{}", t == 0 ? "" : ", ", start);
  }
  return devices > kShown ? text + ", .." : text;
}

// XLA's and torch's tiles are ours if and only if the devices divide the extent.
base::Status check_even(const Described& text, const Described* other, const ShapeText& shape) {
  if (!text.is_foreign) return base::Done{};
  for (std::size_t d = 0; d < text.splits.size(); ++d) {
    const std::int64_t devices = devices_along(text, d);
    const std::int64_t extent = shape.shape[d];
    if (extent % devices == 0) continue;
    const std::int64_t unit = std::lcm(devices, other == nullptr ? 1 : devices_along(*other, d));
    return make(Kind::interop_uneven, d, extent, devices,
                fmt::format("there tiles begin at {}, here at {}", first_starts(extent, devices, false),
                            first_starts(extent, devices, true)))
        .at(text.span)
        .suggest(fmt::format("{} is the least extent from {} on that {}", (extent + unit - 1) / unit * unit, extent,
                             other == nullptr ? "is dealt evenly" : "serves both ends"));
  }
  return base::Done{};
}

// The number of devices; `interop-devices` where nothing says it or both ends say different ones.
base::Result<std::int64_t> devices_of(const Described& text, const Described* other) {
  if (text.devices && other != nullptr && other->devices && *text.devices != *other->devices)
    return make(Kind::interop_devices, fmt::format("one end has {}, the other {}", *text.devices, *other->devices))
        .at(other->span);
  if (text.devices) return *text.devices;
  if (other != nullptr && other->devices) return *other->devices;
  return make(Kind::interop_devices, "the text does not say how many there are")
      .at(text.span)
      .suggest("give their number: --devices 8");
}

void add_cuts(const Digits& digits, std::set<std::int64_t>& cuts) {
  for (const Digit& digit : digits) cuts.insert({digit.stride, digit.stride * digit.size});
}

void add_cuts(const Described& text, std::int64_t devices, std::set<std::int64_t>& cuts) {
  for (const Digits& split : text.splits) add_cuts(split, cuts);
  add_cuts(pending_of(text, devices), cuts);
}

// The sizes between neighbouring cuts, the outermost first; nothing where a cut does not divide the next.
std::optional<std::vector<std::int64_t>> links_of(const std::set<std::int64_t>& cuts) {
  std::vector<std::int64_t> links;
  std::int64_t last = 1;
  for (const std::int64_t cut : cuts) {
    if (cut % last != 0) return std::nullopt;
    if (cut != last) links.insert(links.begin(), cut / last);
    last = cut;
  }
  return links;
}

// A mesh has at most eight axes; beyond that neighbours become one, which layouts cut into its parts.
void keep_few(std::vector<std::int64_t>& links) {
  while (links.size() > synth::kMeshAxesMax) {
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < links.size(); ++i) {
      if (links[i] * links[i + 1] < links[best] * links[best + 1]) best = i;
    }
    links[best] *= links[best + 1];
    links.erase(links.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

base::Result<MeshRef> least_mesh(const Described& text, const Described* other, std::int64_t devices) {
  std::set<std::int64_t> cuts = {1, devices};
  add_cuts(text, devices, cuts);
  if (other != nullptr) add_cuts(*other, devices, cuts);
  auto links = links_of(cuts);
  if (!links) {
    base::Diagnostic why = make(Kind::interop_no_mesh, other == nullptr ? "this order of devices" : "both ends");
    why = std::move(why).at(text.span, fmt::format("strides {} do not divide one another", fmt::join(cuts, ", ")));
    return other == nullptr ? why : std::move(why).also(other->span, "the other end");
  }
  keep_few(*links);
  std::vector<MeshAxis> axes;
  for (std::size_t i = 0; i < links->size(); ++i) {
    axes.push_back({std::string(1, static_cast<char>('a' + i)), (*links)[i]});
  }
  return Mesh::make(std::move(axes));
}

base::Result<std::pair<ArrayType, ArrayType>> both_on(const Described& from, const Described& to,
                                                      const ShapeText& shape, const MeshRef& mesh) {
  TESSERA_TRY(source, on_mesh(from, shape, mesh));
  TESSERA_TRY(target, on_mesh(to, shape, mesh));
  return std::pair(source, target);
}

bool is_no_mesh(const base::Diagnostics& why) { return why.front().kind == Kind::interop_no_mesh; }

// The mesh that the ends name, if it can be the mesh of both.
const std::vector<MeshAxis>* named_mesh(const Described& from, const Described& to) {
  if (from.axes.empty()) return to.axes.empty() ? nullptr : &to.axes;
  return to.axes.empty() || from.axes == to.axes ? &from.axes : nullptr;
}

bool is_our_name(std::string_view name) {
  const auto begins = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && begins(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return begins(c) || (c >= '0' && c <= '9'); });
}

std::string our_name(std::string name) {
  const auto stays = [](char c) { return is_our_name(std::string{'a', c}); };
  for (char& c : name) c = stays(c) ? c : '_';
  return is_our_name(name) ? name : "_" + name;
}

}  // namespace

void use_our_names(Described& text, const std::vector<std::string>& keywords) {
  std::set<std::string> taken(keywords.begin(), keywords.end());
  for (const MeshAxis& axis : text.axes) {
    if (is_our_name(axis.name) && !taken.contains(axis.name)) taken.insert(axis.name);
  }
  for (MeshAxis& axis : text.axes) {
    const bool is_keyword = std::find(keywords.begin(), keywords.end(), axis.name) != keywords.end();
    if (is_our_name(axis.name) && !is_keyword) continue;
    std::string name = our_name(axis.name);
    while (taken.contains(name)) name += '_';
    taken.insert(name);
    text.notes.push_back(fmt::format("axis `{}` is called `{}` here", axis.name, name));
    axis.name = name;
  }
}

base::Result<ArrayType> type_of(const Described& text, const std::optional<ShapeText>& shape) {
  TESSERA_TRY(array, shape_for(text, shape));
  TESSERA_TRY(devices, devices_of(text, nullptr));
  TESSERA_TRY(mesh, text.axes.empty() ? least_mesh(text, nullptr, devices) : Mesh::make(text.axes));
  TESSERA_TRY(type, on_mesh(text, array, mesh));
  TESSERA_TRY_STATUS(check_even(text, nullptr, array));
  return type;
}

base::Result<std::pair<ArrayType, ArrayType>> on_one_mesh(const Described& from, const Described& to,
                                                          const std::optional<ShapeText>& shape) {
  TESSERA_TRY(array, shape_for(from, shape || !to.shape ? shape : to.shape));
  TESSERA_TRY(to_array, shape_for(to, array));
  TESSERA_TRY(devices, devices_of(from, &to));
  std::optional<std::pair<ArrayType, ArrayType>> types;
  if (const auto* axes = named_mesh(from, to)) {
    TESSERA_TRY(mesh, Mesh::make(*axes));
    auto both = both_on(from, to, to_array, mesh);
    if (!both.ok() && !is_no_mesh(both.errors())) return std::move(both).errors();
    if (both.ok()) types = std::move(*both);
  }
  if (!types) {
    TESSERA_TRY(mesh, least_mesh(from, &to, devices));
    TESSERA_TRY(both, both_on(from, to, to_array, mesh));
    types = std::move(both);
  }
  TESSERA_TRY_STATUS(check_even(from, &to, to_array));
  TESSERA_TRY_STATUS(check_even(to, &from, to_array));
  return *types;
}

}  // namespace tessera::interop
