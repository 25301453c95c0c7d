// Shapes, element types and meshes, as all of the systems write them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interop/kinds.hpp"
#include "interop/read/parts.hpp"
#include "interop/read/read.hpp"

namespace tessera::interop {

namespace {

using synth::ElementType;
using synth::MeshAxis;

struct ElementName {
  std::string_view name;
  ElementType element;
};

// What numpy, XLA and torch call the element types that we have.
constexpr auto kElementNames = std::to_array<ElementName>({
    {"pred", ElementType::boolean},    {"i1", ElementType::boolean},    {"s32", ElementType::i32},
    {"int32", ElementType::i32},       {"s64", ElementType::i64},       {"int64", ElementType::i64},
    {"long", ElementType::i64},        {"float32", ElementType::f32},   {"float", ElementType::f32},
    {"float64", ElementType::f64},     {"double", ElementType::f64},    {"float16", ElementType::f16},
    {"half", ElementType::f16},        {"bfloat16", ElementType::bf16}, {"s8", ElementType::i8},
    {"int8", ElementType::i8},         {"uint8", ElementType::u8},      {"s16", ElementType::i16},
    {"int16", ElementType::i16},       {"short", ElementType::i16},     {"uint16", ElementType::u16},
    {"uint32", ElementType::u32},      {"complex64", ElementType::c64}, {"cfloat", ElementType::c64},
    {"complex128", ElementType::c128}, {"cdouble", ElementType::c128},
});

base::Result<ElementType> read_element(Scanner& scanner, std::optional<std::int64_t> bytes) {
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  const std::string_view word = scanner.name();
  if (word.empty()) return scanner.wrong("the name of an element type is wanted here");
  if (bytes) {
    if (const auto element = element_of_width(*bytes)) return *element;
    return scanner.unsupported(begin, fmt::format("an element of {} bytes", *bytes), "the widths are 1, 2, 4 and 8");
  }
  const std::string_view plain = word.starts_with("torch.") ? word.substr(6) : word;
  if (const auto element = foreign_element(plain)) return *element;
  return scanner
      .unsupported(begin, fmt::format("`{}`", word),
                   "arrays hold bool, i8 to i64, u8 to u32, f32, f64, f16, bf16, c64 or c128")
      .suggest("to plan for elements of its width, give their bytes: --bytes 1");
}

// Reads `4, 2)`: axes without names.
base::Result<std::vector<MeshAxis>> read_plain_sizes(Scanner& scanner, std::string_view closing) {
  std::vector<MeshAxis> axes;
  while (!scanner.take(closing)) {
    if (!axes.empty() && !scanner.take(",")) return scanner.wrong("a `,` is wanted here");
    if (scanner.take(closing)) break;
    const auto size = scanner.number();
    if (!size) return scanner.wrong("the size of an axis is wanted here");
    axes.push_back({fmt::format("d{}", axes.size()), *size});
    if (axes.size() > synth::kMeshAxesMax) return scanner.wrong("a mesh has at most 8 axes");
  }
  return axes;
}

// Reads what a mesh of some system begins with; gives the bracket that closes it.
std::string_view take_opening(Scanner& scanner) {
  if (scanner.take("sdy.mesh")) {
    (void)scanner.take("@");
    (void)scanner.name();
    (void)scanner.take("=");
  }
  for (const std::string_view word : {"Mesh", "AbstractMesh", "DeviceMesh", "OrderedDict", "mesh"}) {
    if (scanner.take(word)) break;
  }
  if (scanner.take("<[")) return "]>";
  if (scanner.take("((")) return ")";
  if (scanner.take("({")) return "}";
  if (scanner.take("(")) return ")";
  if (scanner.take("[")) return "]";
  if (scanner.take("{")) return "}";
  return "";
}

base::Status check_axes(Scanner& scanner, const std::vector<MeshAxis>& axes) {
  std::int64_t devices = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].size < 1) return scanner.wrong_from(0, fmt::format("axis `{}` has size 0", axes[i].name));
    const auto same = [&](const MeshAxis& other) { return other.name == axes[i].name; };
    if (std::count_if(axes.begin(), axes.end(), same) > 1)
      return scanner.wrong_from(0, fmt::format("axis `{}` is there twice", axes[i].name));
    if (axes[i].size > synth::kDevicesMax / devices)
      return base::make(Kind::interop_devices, "there are more than 65,536").at(scanner.span(0));
    devices *= axes[i].size;
  }
  return base::Done{};
}

}  // namespace

std::optional<ElementType> foreign_element(std::string_view name) {
  if (const auto ours = synth::element_by_name(name)) return ours;
  const auto found =
      std::find_if(kElementNames.begin(), kElementNames.end(), [&](const auto& one) { return one.name == name; });
  if (found == kElementNames.end()) return std::nullopt;
  return found->element;
}

std::optional<ElementType> element_of_width(std::int64_t bytes) {
  switch (bytes) {
    case 1: return ElementType::boolean;
    case 2: return ElementType::f16;
    case 4: return ElementType::f32;
    case 8: return ElementType::f64;
    default: return std::nullopt;
  }
}

base::Result<ShapeText> read_shape(const Text& text, std::optional<std::int64_t> bytes) {
  Scanner scanner(text);
  ShapeText shape;
  TESSERA_TRY(element, read_element(scanner, bytes));
  shape.element = element;
  if (scanner.at_end()) return shape;
  TESSERA_TRY_STATUS(read_extents(scanner, shape, [] { return base::Status(base::Done{}); }));
  TESSERA_TRY_STATUS(scanner.expect_end());
  return shape;
}

base::Status read_extents(Scanner& scanner, ShapeText& shape, const std::function<base::Status()>& read_rest) {
  TESSERA_TRY_STATUS(scanner.expect("["));
  while (!scanner.take("]")) {
    if (!shape.shape.empty()) {
      TESSERA_TRY_STATUS(scanner.expect(","));
    }
    const auto extent = scanner.number();
    if (!extent) return scanner.wrong("the extent of a dimension is wanted here");
    if (shape.shape.size() == synth::kRankMax) return scanner.wrong("an array has at most 16 dimensions");
    shape.shape.push_back(*extent);
    TESSERA_TRY_STATUS(read_rest());
  }
  return base::Done{};
}

base::Result<std::vector<MeshAxis>> read_axis_sizes(Scanner& scanner, std::string_view closing) {
  std::vector<MeshAxis> axes;
  for (;;) {
    if (!closing.empty() && scanner.take(closing)) break;
    if (closing.empty() && scanner.at_end()) break;
    if (!axes.empty()) {
      TESSERA_TRY_STATUS(scanner.expect(","));
    }
    const std::uint32_t begin = scanner.offset();
    auto quoted = scanner.quoted();
    const std::string name = quoted ? *quoted : std::string(scanner.name());
    if (name.empty()) return scanner.wrong("the name of an axis is wanted here");
    if (!scanner.take("=")) {
      TESSERA_TRY_STATUS(scanner.expect(":"));
    }
    const auto size = scanner.number();
    if (!size) {  // `axis_types=(..)` and what else JAX says of a mesh
      if (axes.empty() || quoted) return scanner.wrong("the size of an axis is wanted here");
      scanner.go_back(begin);
      if (closing.empty() || !scanner.skip_to_closing()) return scanner.wrong("the size of an axis is wanted here");
      break;
    }
    if (axes.size() == synth::kMeshAxesMax) return scanner.wrong("a mesh has at most 8 axes");
    axes.push_back({name, *size});
  }
  TESSERA_TRY_STATUS(check_axes(scanner, axes));
  return axes;
}

base::Result<std::vector<MeshAxis>> read_axes(const Text& text) {
  Scanner scanner(text);
  const std::string_view closing = take_opening(scanner);
  if (!closing.empty() && scanner.number()) {
    Scanner again(text);
    (void)take_opening(again);
    TESSERA_TRY(axes, read_plain_sizes(again, closing));
    TESSERA_TRY_STATUS(check_axes(again, axes));
    return axes;
  }
  TESSERA_TRY(axes, read_axis_sizes(scanner, closing));
  if (axes.empty()) return scanner.wrong("a mesh has an axis and its size: x:4");
  return axes;
}

base::Result<std::vector<MeshAxis>> axes_for(const Reading& reading) {
  if (reading.mesh) return read_axes(*reading.mesh);
  return base::make(Kind::interop_syntax, reading.text.what, "its mesh is missing")
      .at({reading.text.source, 0, static_cast<std::uint32_t>(reading.text.text.size())})
      .suggest("give it as --mesh x:4,y:2");
}

}  // namespace tessera::interop
