#include "synth/layout/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "synth/kinds.hpp"
#include "synth/layout/cursor.hpp"

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
  return base::Done{};
}

base::Diagnostic bad_mesh(std::string_view text, std::string_view why) {
  return make(Kind::bad_mesh_text, excerpt(text), why).suggest("write a mesh as `x:4,y:2`");
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
  return MeshAxis{std::string(axis_name), negative ? -size : size};
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

}  // namespace

Mesh::Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)), strides_(axes_.size(), 1) {
  for (std::size_t i = axes_.size(); i-- > 0;) {
    strides_[i] = devices_;
    devices_ *= axes_[i].size;
  }
}

base::Result<MeshRef> Mesh::make(std::vector<MeshAxis> axes) {
  return base::guarded([&]() -> base::Result<MeshRef> {
    TESSERA_TRY_STATUS(check_axes(axes));
    return MeshRef(new Mesh(std::move(axes)));
  });
}

base::Result<MeshRef> Mesh::ordered(std::vector<MeshAxis> axes, const std::vector<std::int32_t>& devices) {
  return base::guarded([&]() -> base::Result<MeshRef> {
    TESSERA_TRY_STATUS(check_axes(axes));
    auto mesh = std::unique_ptr<Mesh>(new Mesh(std::move(axes)));
    TESSERA_CHECK(mesh->devices_ == static_cast<std::int64_t>(devices.size()), "an order of other devices");
    mesh->places_.assign(devices.size(), -1);
    for (std::size_t place = 0; place < devices.size(); ++place) {
      std::int32_t& of_device = mesh->places_.at(static_cast<std::size_t>(devices[place]));
      TESSERA_CHECK(of_device == -1, "an order that has a device twice");
      of_device = static_cast<std::int32_t>(place);
    }
    if (std::is_sorted(devices.begin(), devices.end())) mesh->places_.clear();
    return MeshRef(std::move(mesh));
  });
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

std::string print(const Mesh& mesh) {
  std::string text;
  for (const MeshAxis& axis : mesh.axes())
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", axis.name, axis.size);
  return text;
}

base::Result<MeshRef> parse_mesh(std::string_view text) {
  return base::guarded([&]() -> base::Result<MeshRef> {
    TESSERA_TRY(axes, parse_axes(text));
    return Mesh::make(std::move(axes));
  });
}

}  // namespace tessera::synth
