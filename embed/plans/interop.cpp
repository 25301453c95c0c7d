#include "tessera/interop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "embed/host/convert.hpp"
#include "embed/host/json_fields.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/plan_impl.hpp"
#include "embed/plans/read_types.hpp"
#include "interop/kinds.hpp"
#include "interop/one_mesh.hpp"
#include "interop/read/read.hpp"
#include "interop/write/emit.hpp"
#include "interop/write/layout_text.hpp"

namespace tessera {

namespace {

using embed::Texts;
using interop::Described;
using interop::ShapeText;

constexpr std::string_view kOurs = "tessera";

// One end of a change: what its text says, and its array's shape.
struct End {
  Described text;
  std::optional<ShapeText> shape;
  std::optional<synth::ArrayType> type = {};  // of our own text
};

// A text among those of a request, as the readers take it.
interop::Text text_of(Texts& texts, const std::string& name, const std::string& text, std::string_view what) {
  const base::SourceId source = texts.add(name, text);
  return {texts.sources[source].text(), what, source};
}

base::Result<interop::Format> format_of(const std::string& name) {
  if (const auto format = interop::format_by_name(name)) return *format;
  const auto meant = base::nearest(name, layout_formats());
  return base::make(embed::Kind::bad_call, fmt::format("there is no format `{}`", name))
      .suggest(meant ? fmt::format("did you mean `{}`?", *meant)
                     : fmt::format("the formats are {}", fmt::join(layout_formats(), ", ")));
}

base::Result<End> read_foreign(Texts& texts, const ForeignLayout& layout, const char* name) {
  TESSERA_TRY(format, format_of(layout.format));
  if (layout.text.size() > text_bytes_max) return base::make(embed::Kind::bad_call, "the text is longer than 16 MiB");
  End end;
  const auto bytes = layout.bytes == 0 ? std::nullopt : std::optional(layout.bytes);
  if (!layout.shape.empty()) {
    TESSERA_TRY(shape, interop::read_shape(text_of(texts, "shape", layout.shape, "a shape"), bytes));
    end.shape = shape;
  }
  interop::Reading reading{format, text_of(texts, name, layout.text, interop::what_of(format))};
  if (!layout.mesh.empty()) reading.mesh = text_of(texts, "mesh", layout.mesh, "a mesh");
  reading.leaf = layout.leaf;
  if (layout.devices != 0) reading.devices = layout.devices;
  TESSERA_TRY(text, interop::read(reading));
  end.text = std::move(text);
  interop::use_our_names(end.text, keywords());
  return end;
}

bool has_named_cut(const synth::ArrayType& type) {
  for (const synth::AxisList& axes : type.layout().splits()) {
    for (const synth::AxisPart& part : axes) {
      if (part.cut != 0) return true;
    }
  }
  return false;
}

Result<End> read_ours(const ForeignLayout& layout, const char* name) {
  auto mesh = embed::read_mesh(layout.mesh, Machine{});
  if (!mesh) return mesh.diagnostics();
  auto type = embed::read_type(name, layout.text, mesh->mesh);
  if (!type) return type.diagnostics();
  return End{interop::described(*type), ShapeText{type->element(), type->shape()}, *type};
}

Result<End> read_end(Texts& texts, const ForeignLayout& layout, const char* name) {
  if (layout.format == kOurs) return read_ours(layout, name);
  auto end = read_foreign(texts, layout, name);
  if (!end) return embed::to_public(texts, end.errors());
  return std::move(*end);
}

ReadLayout to_public(const synth::ArrayType& type, const std::vector<std::string>& notes) {
  ReadLayout result{synth::print(type.mesh()), synth::print(type), type.devices(), {}};
  for (const std::string& note : notes) {
    if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) result.notes.push_back(note);
  }
  return result;
}

// Both ends are on meshes in row-major order and cut evenly, or there is no telling their digits.
Status check_mixed(const End& end) {
  if (!end.type || (end.type->mesh().is_row_major() && !has_named_cut(*end.type))) return Done{};
  return embed::bad_call(
      "a type of ours that is placed, or cut by weights, has no counterpart in other systems' words");
}

// A number among the keys of a request.
base::Status put_number(ForeignLayout& layout, const embed::JsonField& field) {
  const auto* number = std::get_if<std::int64_t>(&field.value);
  if (number == nullptr || *number < 0)
    return base::make(interop::Kind::layout_request, fmt::format("\"{}\" must be a number from 0 on", field.key))
        .at(field.span);
  if (field.key == "devices") layout.devices = *number;
  if (field.key == "bytes") layout.bytes = *number;
  if (field.key == "leaf") layout.leaf = *number;
  return base::Done{};
}

base::Status put(ForeignLayout& layout, const embed::JsonField& field) {
  if (field.key == "devices" || field.key == "bytes" || field.key == "leaf") return put_number(layout, field);
  std::string* text = nullptr;
  if (field.key == "format") text = &layout.format;
  if (field.key == "text") text = &layout.text;
  if (field.key == "mesh") text = &layout.mesh;
  if (field.key == "shape") text = &layout.shape;
  if (text == nullptr) {
    return base::make(interop::Kind::layout_request, fmt::format("there is no key \"{}\"", field.key))
        .at(field.span)
        .suggest(R"(the keys are "format", "text", "mesh", "shape", "devices", "bytes" and "leaf")");
  }
  const auto* value = std::get_if<std::string>(&field.value);
  if (value == nullptr)
    return base::make(interop::Kind::layout_request, fmt::format("\"{}\" must be a text", field.key)).at(field.span);
  *text = *value;
  return base::Done{};
}

}  // namespace

Result<ReadLayout> read_layout(const ForeignLayout& layout) {
  return embed::safely([&]() -> Result<ReadLayout> {
    Texts texts;
    auto end = read_end(texts, layout, "text");
    if (!end) return end.diagnostics();
    if (end->type) return to_public(*end->type, {});
    auto type = interop::type_of(end->text, end->shape);
    if (!type) return embed::to_public(texts, type.errors());
    return to_public(*type, end->text.notes);
  });
}

Result<std::pair<ReadLayout, ReadLayout>> read_layouts(const ForeignLayout& from, const ForeignLayout& to) {
  return embed::safely([&]() -> Result<std::pair<ReadLayout, ReadLayout>> {
    Texts texts;
    auto source = read_end(texts, from, "from");
    if (!source) return source.diagnostics();
    auto target = read_end(texts, to, "to");
    if (!target) return target.diagnostics();
    if (source->type && target->type && source->type->mesh() == target->type->mesh())
      return std::pair(to_public(*source->type, {}), to_public(*target->type, {}));
    for (const End* end : {&*source, &*target}) {
      if (const auto mixed = check_mixed(*end); !mixed) return mixed.diagnostics();
    }
    auto types = interop::on_one_mesh(source->text, target->text, source->shape ? source->shape : target->shape);
    if (!types) return embed::to_public(texts, types.errors());
    return std::pair(to_public(types->first, source->text.notes), to_public(types->second, target->text.notes));
  });
}

Result<WrittenLayout> write_layout(const std::string& mesh, const std::string& type, std::string_view format) {
  return embed::safely([&]() -> Result<WrittenLayout> {
    auto end = read_ours({std::string(kOurs), type, mesh}, "type");
    if (!end) return end.diagnostics();
    if (format == kOurs) return WrittenLayout{synth::print(*end->type), {}};
    const auto known = format_of(std::string(format));
    if (!known) return embed::to_public({}, known.errors());
    auto written = interop::write(*end->type, *known);
    if (!written) return embed::to_public({}, written.errors());
    return WrittenLayout{written->text, written->mesh};
  });
}

const std::vector<std::string>& layout_formats() {
  static const std::vector<std::string> names = {
#define NAME(identifier, text, what) text,
      TESSERA_INTEROP_FORMATS(NAME)
#undef NAME
          std::string(kOurs)};
  return names;
}

Result<ForeignLayout> parse_layout_request(std::string_view json, const ForeignLayout& defaults) {
  return embed::safely([&]() -> Result<ForeignLayout> {
    Texts texts;
    const base::SourceId source = texts.add("request", std::string(json));
    auto objects =
        embed::read_json_objects(texts.sources, source, embed::JsonForm::object, interop::Kind::layout_request);
    if (!objects) return embed::to_public(texts, objects.errors());
    ForeignLayout layout = defaults;
    for (const embed::JsonField& field : objects->front().fields) {
      const auto done = put(layout, field);
      if (!done) return embed::to_public(texts, done.errors());
    }
    return layout;
  });
}

std::string layout_json(const ReadLayout& layout, const std::optional<WrittenLayout>& written) {
  nlohmann::ordered_json object = {
      {"mesh", layout.mesh}, {"type", layout.type}, {"devices", layout.devices}, {"notes", layout.notes}};
  if (written) object["written"] = written->text;
  if (written && !written->mesh.empty()) object["written_mesh"] = written->mesh;
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string layout_failure_json(const Diagnostics& why) {
  const Diagnostic first = why.empty() ? Diagnostic{} : why.front();
  nlohmann::ordered_json object = {{"error", first.slug}, {"message", first.message}};
  if (!first.labels.empty()) object["column"] = first.labels.front().place.column;
  if (!first.help.empty()) object["help"] = first.help;
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::string> emit(const Plan& plan, std::string_view target) {
  return embed::safely([&]() -> Result<std::string> {
    const auto known = interop::target_by_name(target);
    if (!known) {
      return embed::failure(base::make(embed::Kind::bad_call, fmt::format("no program can be emitted for `{}`", target))
                                .suggest(fmt::format("the targets are {}", fmt::join(emit_targets(), " and "))));
    }
    auto text = interop::emit(*plan.impl()->plan, plan.impl()->machine, *known, plan.text());
    if (!text) return embed::to_public({}, text.errors());
    return std::move(*text);
  });
}

const std::vector<std::string>& emit_targets() {
  static const std::vector<std::string> names = {
#define NAME(identifier, text, what) text,
      TESSERA_EMIT_TARGETS(NAME)
#undef NAME
  };
  return names;
}

}  // namespace tessera
