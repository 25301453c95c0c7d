#include "typeck/text/reader.hpp"

#include <algorithm>

namespace tessera::typeck::text {

void Reader::fail(std::string_view why) {
  if (good()) fault_ = base::Diagnostics{text_.wrong(why)};
}

void Reader::word(std::string_view text) {
  if (good() && !accept(text)) fail(fmt::format("`{}` is missing", text));
}

bool Reader::accept(std::string_view text) {
  if (!good()) return false;
  return synth::is_name_byte(text.back()) ? text_.accept_name(text) : text_.accept(text);
}

void Reader::quoted(std::string& text) {
  if (!good()) return;
  if (auto read = got(text_.quoted())) text = std::move(*read);
}

std::uint32_t Reader::index(std::string_view prefix, std::size_t count) {
  if (!good()) return 0;
  return got(text_.id(prefix, count)).value_or(0);
}

// ---- Places

base::Span Reader::place_read() {
  if (accept("-")) return {};
  base::Span span{base::SourceId{0}, 0, 0};
  const auto digits = [this] {
    const std::string_view all = text_.digits();
    const auto value = synth::integer_value(all);
    if (!value || *value > base::SourceId::kNone - std::int64_t{1}) fail("a place is missing or too large");
    return good() ? static_cast<std::uint32_t>(*value) : 0;
  };
  span.begin = digits();
  if (accept(":")) {
    span.source.value = span.begin;
    span.begin = digits();
  }
  word("..");
  span.end = digits();
  return span;
}

void Reader::places(base::Span& span) {
  word("@");
  span = place_read();
  named_places();
}

void Reader::places() {
  if (!places_.empty()) word("at");
  named_places();
}

void Reader::named_places() {
  const std::vector<Place> wanted = std::exchange(places_, {});
  if (wanted.empty() || !good()) return;
  for (const Place& one : wanted) {
    word(&one == &wanted.front() ? "(" : ",");
    *one.span = place_read();
    if (one.expr != nullptr && accept("#")) one.expr->value = index("", base::SourceId::kNone);
  }
  word(")");
}

// ---- What lies on meshes

void Reader::mesh_table() {
  while (accept("mesh")) {
    if (index("m", meshes_.size() + 1) != meshes_.size()) return fail("the meshes are out of order");
    if (auto one = got(synth::parse_mesh(rest_of_line()))) meshes_.push_back(std::move(*one));
  }
}

void Reader::tables(base::Store<std::string, synth::StringId>& strings,
                    base::Store<synth::Literal, synth::LiteralId>& literals) {
  while (accept("string")) {
    if (index("s", strings.size() + 1) != strings.size()) fail("the strings are out of order");
    std::string one;
    quoted(one);
    strings.add(std::move(one));
  }
  while (accept("literal")) {
    if (index("l", literals.size() + 1) != literals.size()) fail("the literals are out of order");
    if (!good()) return;
    if (auto one = got(text_.literal())) literals.add(std::move(*one));
  }
  sizes_ = {literals.size(), strings.size()};
}

void Reader::mesh(synth::MeshRef& mesh) {
  const std::uint32_t number = index("m", meshes_.size());
  mesh = good() ? meshes_[number] : synth::Mesh::single_device();
}

synth::AxisPart Reader::axis_part(const synth::Mesh& mesh) {
  const auto axis = mesh.find(name());
  if (!axis) {
    fail("the mesh has no such axis");
    return {};
  }
  synth::AxisPart part = synth::whole_axis(mesh, *axis);
  if (accept(".")) {
    const auto cut = synth::named_cut(mesh, *axis, name());
    if (!cut) fail("the axis has no cut of that name");
    return cut.value_or(part);
  }
  if (!accept(":(")) return part;
  number(part.before);
  word(")");
  number(part.size);
  const std::int64_t size = mesh.axes()[*axis].size;
  const bool fits = good() && part.before >= 1 && part.size >= 1 && part.before <= size && size % part.before == 0 &&
                    size / part.before % part.size == 0;
  if (!fits) fail("the axis has no such part");
  return part;
}

void Reader::axes(synth::AxisList& axes, const synth::Mesh& mesh) {
  list(axes, [&](synth::AxisPart& part) { part = axis_part(mesh); });
}

void Reader::layout(std::vector<synth::AxisList>& splits, synth::AxisList& pending, synth::ReduceOp& reduce,
                    const synth::Mesh& mesh) {
  word("[");
  while (good() && !accept("]")) {
    if (!splits.empty()) word(",");
    synth::AxisList split;
    if (!accept("_")) {
      while (accept("@")) split.push_back(axis_part(mesh));
      if (split.empty()) fail("a dimension's axes are missing");
    }
    splits.push_back(std::move(split));
  }
  pending.clear();
  if (!accept("pending")) return;
  reduce = synth::ReduceOp::sum;
  if (accept("max"))
    reduce = synth::ReduceOp::max;
  else if (accept("min"))
    reduce = synth::ReduceOp::min;
  else if (accept("product"))
    reduce = synth::ReduceOp::product;
  else
    word("sum");
  axes(pending, mesh);
}

void Reader::type(synth::ArrayType& type) {
  if (!good()) return;
  const auto text = got(text_.type_text());
  if (!text) return;
  if (meshes_.empty()) return fail("there is no mesh");
  synth::MeshRef on = meshes_.front();
  if (accept("on")) mesh(on);
  if (!good()) return;
  if (auto read = got(synth::parse_array_type(*text, on))) type = std::move(*read);
}

void Reader::type(synth::ElementType& element, synth::Shape& shape, synth::MeshRef& mesh) {
  synth::ArrayType whole;
  type(whole);
  if (!whole.layout().is_replicated()) fail("a type has a layout here");
  element = whole.element();
  shape = whole.shape();
  mesh = whole.mesh_ref();
}

void Reader::operation(std::string_view name, synth::Operation& operation) {
  if (!good()) return;
  if (auto read = got(synth::read_details(name, text_, sizes_))) operation = std::move(*read);
}

}  // namespace tessera::typeck::text
