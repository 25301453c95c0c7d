#include "typeck/text/writer.hpp"

#include <algorithm>

namespace tessera::typeck::text {

namespace {

std::string axis_text(const synth::AxisPart& part, const synth::Mesh& mesh) {
  return synth::print(mesh, synth::AxisList{part});
}

}  // namespace

void Writer::word(std::string_view text) {
  constexpr std::string_view kTightAfter = "([ \n";
  constexpr std::string_view kTightBefore = ",)]:";
  if (text.empty()) return;
  const bool tight = out_.empty() || kTightAfter.find(out_.back()) != std::string_view::npos ||
                     kTightBefore.find(text.front()) != std::string_view::npos;
  if (!tight) out_ += ' ';
  out_ += text;
}

void Writer::next_line() {
  out_ += '\n';
  out_.append(2 * depth_, ' ');
}

std::string Writer::place_text(base::Span span) {
  if (!span.known()) return "-";
  const std::string range = fmt::format("{}..{}", span.begin, span.end);
  return span.source.value == 0 ? range : fmt::format("{}:{}", span.source.value, range);
}

void Writer::place(base::Span span, frontend::ExprId expr) {
  places_.push_back(place_text(span) + (expr.valid() ? fmt::format(" #{}", expr.value) : ""));
}

void Writer::places(base::Span span) {
  word("@" + place_text(span));
  named_places();
}

void Writer::places() {
  if (said(!places_.empty(), "at")) named_places();
}

void Writer::named_places() {
  if (!places_.empty()) word(fmt::format("({})", fmt::join(places_, ", ")));
  places_.clear();
}

void Writer::mesh(const synth::MeshRef& mesh) {
  const std::string text = synth::print(*mesh);
  const auto found = std::ranges::find(meshes_, text);
  word(fmt::format("m{}", found - meshes_.begin()));
  if (found == meshes_.end()) meshes_.push_back(text);
}

void Writer::axes(const synth::AxisList& axes, const synth::Mesh& mesh) {
  list(axes, [&](const synth::AxisPart& part) { word(axis_text(part, mesh)); });
}

void Writer::layout(const std::vector<synth::AxisList>& splits, const synth::AxisList& pending, synth::ReduceOp reduce,
                    const synth::Mesh& mesh) {
  std::string all;
  for (const synth::AxisList& split : splits) {
    std::string parts;
    for (const synth::AxisPart& part : split) parts += "@" + axis_text(part, mesh);
    all.append(all.empty() ? "" : ", ").append(parts.empty() ? "_" : parts);
  }
  word(fmt::format("[{}]", all));
  if (!said(!pending.empty(), "pending")) return;
  word(name(reduce));
  axes(pending, mesh);
}

void Writer::type(const synth::ArrayType& type) {
  word(synth::print(type));
  const std::string text = synth::print(type.mesh());
  if (meshes_.empty()) meshes_.push_back(text);
  if (meshes_.front() == text) return;
  word("on");
  mesh(type.mesh_ref());
}

void Writer::type(synth::ElementType element, const synth::Shape& shape, const synth::MeshRef& mesh) {
  const auto whole = synth::ArrayType::replicated(element, shape, mesh);
  TESSERA_CHECK(whole.ok(), "a program holds a type that no array can have");
  type(*whole);
}

std::string Writer::tables(const base::Store<std::string, synth::StringId>& strings,
                           const base::Store<synth::Literal, synth::LiteralId>& literals) {
  std::string all;
  for (std::size_t k = 0; k < strings.size(); ++k)
    all += fmt::format("string s{} {}\n", k, base::hex_quoted(strings.items()[k]));
  for (std::size_t k = 0; k < literals.size(); ++k)
    all += fmt::format("literal l{} {}\n", k, synth::print(literals.items()[k]));
  return all;
}

std::string Writer::mesh_table() const {
  std::string all;
  for (std::size_t k = 0; k < meshes_.size(); ++k)
    all += fmt::format("mesh m{}{}{}\n", k, meshes_[k].empty() ? "" : " ", meshes_[k]);
  return all;
}

}  // namespace tessera::typeck::text
