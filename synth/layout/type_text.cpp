// Array types as text, and back.
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "synth/kinds.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/layout/cursor.hpp"

namespace tessera::synth {

namespace {

using base::make;

constexpr std::string_view prefix(ReduceOp reduce) {
  switch (reduce) {
    case ReduceOp::sum: return "+";
    case ReduceOp::max: return "max ";
    case ReduceOp::min: return "min ";
    case ReduceOp::product: return "*";
  }
  return "";
}

std::string print_dimension(const ArrayType& type, std::size_t d) {
  const AxisList& split = type.layout().split(d);
  if (split.empty()) return fmt::format("{}", type.shape()[d]);
  return fmt::format("{}@{}", type.shape()[d], print(type.mesh(), split));
}

std::string print_pending(const ArrayType& type) {
  const AxisList& pending = type.layout().pending();
  if (pending.empty()) return "";
  std::string axes;
  for (const AxisPart& part : pending) axes.append(axes.empty() ? "" : ",").append(print(type.mesh(), AxisList{part}));
  return fmt::format("{{{}{}}}", prefix(type.layout().reduce()), axes);
}

class TypeReader {
 public:
  TypeReader(std::string_view text, const MeshRef& mesh) : text_(text), cursor_(text), mesh_(mesh) {}

  base::Result<ArrayType> read() {
    TESSERA_TRY(element, read_element());
    TESSERA_TRY_STATUS(read_dimensions());
    TESSERA_TRY_STATUS(read_pending());
    cursor_.skip_blanks();
    if (!cursor_.at_end()) return bad("nothing may follow the type");
    TESSERA_TRY(layout, Layout::make(*mesh_, splits_, pending_, reduce_));
    return ArrayType::make(element, shape_, mesh_, layout);
  }

 private:
  base::Diagnostic bad(std::string_view why) const {
    return make(Kind::bad_type_text, excerpt(text_), fmt::format("{}, at column {}", why, cursor_.offset() + 1))
        .suggest("write a type as `f32[16@x, 8]`, `f32[16@(x,y)]{+z}` or `f32`");
  }

  base::Result<ElementType> read_element() {
    const std::string_view element_name = cursor_.name();
    const auto element = element_by_name(element_name);
    if (element) return *element;
    return bad("an element type is one of bool i32 i64 f32 f64 f16 bf16 i8 u8 i16 u16 u32 c64 c128");
  }

  base::Status read_dimensions() {
    if (!cursor_.accept('[') || cursor_.accept(']')) return base::Done{};
    do {
      if (shape_.size() == kRankMax) return make(Kind::rank_too_large, "more than 16");
      TESSERA_TRY_STATUS(read_dimension());
    } while (cursor_.accept(','));
    if (!cursor_.accept(']')) return bad("`,` or `]` is missing");
    return base::Done{};
  }

  base::Status read_dimension() {
    const bool negative = cursor_.accept('-');
    const std::string_view digits = cursor_.digits();
    if (digits.empty()) return bad("an extent is an integer");
    const auto extent = integer_value(digits);
    if (!extent) return make(Kind::size_too_large, fmt::format("`{}`", excerpt(text_)));
    shape_.push_back(negative ? -*extent : *extent);
    splits_.emplace_back();
    if (!cursor_.accept('@')) return base::Done{};
    if (!cursor_.accept('(')) return read_part(splits_.back());
    TESSERA_TRY_STATUS(read_parts(splits_.back()));
    if (!cursor_.accept(')')) return bad("`)` is missing");
    return base::Done{};
  }

  base::Status read_parts(AxisList& out) {
    do {
      TESSERA_TRY_STATUS(read_part(out));
    } while (cursor_.accept(','));
    return base::Done{};
  }

  // `x`, `x.work` or `x:(2)4`.
  base::Status read_part(AxisList& out) {
    const std::string_view axis_name = cursor_.name();
    if (axis_name.empty()) return bad("an axis' name is missing");
    const auto axis = mesh_->find(axis_name);
    if (!axis) return unknown(axis_name);
    AxisPart part = whole_axis(*mesh_, *axis);
    if (cursor_.accept('.')) {
      const std::string_view cut = cursor_.name();
      const auto named = named_cut(*mesh_, *axis, cut);
      if (!named) return no_such_cut(mesh_->axes()[*axis], excerpt(cut));
      part = *named;
    } else if (cursor_.accept(':')) {
      TESSERA_TRY_STATUS(read_sub_axis(part));
    }
    out.push_back(part);
    return base::Done{};
  }

  base::Status read_sub_axis(AxisPart& part) {
    const bool opened = cursor_.accept('(');
    const auto before = integer_value(cursor_.digits());
    const bool closed = cursor_.accept(')');
    const auto size = integer_value(cursor_.digits());
    if (!opened || !closed || !before || !size) return bad("a part of an axis is written `x:(2)4`");
    part.before = *before;
    part.size = *size;
    return base::Done{};
  }

  base::Status read_pending() {
    if (!cursor_.accept('{')) return base::Done{};
    if (!read_reduce()) return bad("a pending set begins with `+`, `*`, `max` or `min`");
    TESSERA_TRY_STATUS(read_parts(pending_));
    for (const AxisPart& part : pending_) {
      if (part.cut != 0) return bad("a pending set names axes without a cut");
    }
    if (!cursor_.accept('}')) return bad("`}` is missing");
    return base::Done{};
  }

  bool read_reduce() {
    if (cursor_.accept('+')) return true;
    if (cursor_.accept('*')) {
      reduce_ = ReduceOp::product;
      return true;
    }
    const std::string_view word = cursor_.name();
    if (word == "max") reduce_ = ReduceOp::max;
    if (word == "min") reduce_ = ReduceOp::min;
    return word == "max" || word == "min";
  }

  base::Diagnostic unknown(std::string_view axis_name) const {
    std::vector<std::string> names;
    for (const MeshAxis& axis : mesh_->axes()) names.push_back(axis.name);
    auto why = make(Kind::unknown_axis, excerpt(axis_name));
    const auto meant = base::nearest(axis_name, names);
    if (meant) return std::move(why).suggest(fmt::format("did you mean `{}`?", *meant));
    if (names.empty()) return why;
    return std::move(why).suggest(fmt::format("the mesh is `{}`", print(*mesh_)));
  }

  std::string_view text_;
  Cursor cursor_;
  const MeshRef& mesh_;
  Shape shape_;
  std::vector<AxisList> splits_;
  AxisList pending_;
  ReduceOp reduce_ = ReduceOp::sum;
};

}  // namespace

std::string print(const ArrayType& type, Spacing spacing) {
  std::string dimensions;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    if (d > 0) dimensions += spacing == Spacing::airy ? ", " : ",";
    dimensions += print_dimension(type, d);
  }
  if (type.rank() > 0) dimensions = fmt::format("[{}]", dimensions);
  return fmt::format("{}{}{}", name(type.element()), dimensions, print_pending(type));
}

base::Result<ArrayType> parse_array_type(std::string_view text, const MeshRef& mesh) {
  return base::guarded([&]() -> base::Result<ArrayType> { return TypeReader(text, mesh).read(); });
}

}  // namespace tessera::synth
