// Lists of arrays that move together, and plans for them.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/host/json_fields.hpp"
#include "embed/host/stop_token.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/move_impl.hpp"
#include "embed/plans/plan_impl.hpp"
#include "embed/plans/read_types.hpp"
#include "synth/planner/text/print_json.hpp"

namespace tessera {

namespace {

using embed::JsonField;

std::string* field_of(MovedArray& array, std::string_view key) {
  if (key == "name") return &array.name;
  if (key == "mesh") return &array.mesh;
  if (key == "to_mesh") return &array.to_mesh;
  if (key == "from") return &array.from;
  if (key == "to") return &array.to;
  return nullptr;
}

// A name is part of a file's: nothing that leads elsewhere.
bool is_file_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

base::Result<MovedArray> read_array(const embed::JsonObject& object) {
  MovedArray array;
  std::set<std::string> keys;
  for (const JsonField& field : object.fields) {
    std::string* const text = field_of(array, field.key);
    if (text == nullptr) {
      return base::make(embed::Kind::move_list, fmt::format("there is no key \"{}\"", field.key))
          .at(field.span)
          .suggest("the keys are \"name\", \"mesh\", \"to_mesh\", \"from\" and \"to\"");
    }
    const auto* const value = std::get_if<std::string>(&field.value);
    if (value == nullptr)
      return base::make(embed::Kind::move_list, fmt::format("\"{}\" must be a text", field.key)).at(field.span);
    *text = *value;
    keys.insert(field.key);
  }
  for (const char* const key : {"name", "mesh", "to_mesh", "from", "to"}) {
    if (!keys.contains(key))
      return base::make(embed::Kind::move_list, fmt::format("it has no \"{}\"", key)).at(object.span);
  }
  if (!is_file_name(array.name)) {
    return base::make(embed::Kind::move_list, fmt::format("\"{}\" cannot be the name of a file", array.name))
        .at(object.span)
        .suggest("a name has no `/` and does not begin with a dot");
  }
  return array;
}

// Every line is a text of its own, so that its mistakes have its number.
Result<MovedArray> read_line(std::string_view line, std::int64_t number, const std::string& file) {
  embed::Texts texts;
  const auto source = texts.add(fmt::format("{}, line {}", file, number), std::string(line));
  auto objects = embed::read_json_objects(texts.sources, source, embed::JsonForm::object, embed::Kind::move_list);
  if (!objects) return embed::to_public(texts, objects.errors());
  auto array = read_array(objects->front());
  if (!array) return embed::to_public(texts, array.errors());
  return std::move(*array);
}

Diagnostics about(const std::string& name, Diagnostics why) {
  for (Diagnostic& diagnostic : why) {
    diagnostic.message = fmt::format("of \"{}\": {}", name, diagnostic.message);
    // A text that is a wrong command line elsewhere is a mistake in the list here.
    if (diagnostic.blame == Blame::command) diagnostic.blame = Blame::program;
  }
  return why;
}

Diagnostics wrong(const std::string& why) { return embed::failure(base::make(embed::Kind::move_list, why)); }

Result<synth::MeshRef> mesh_of(const std::string& text, const Machine& machine) {
  auto mesh = embed::read_mesh(text, machine);
  if (!mesh) return mesh.diagnostics();
  if (mesh->is_auto) return wrong("`place auto` is for plans on one mesh");
  return mesh->mesh;
}

Result<synth::LayoutChange> change_of(const MovedArray& array, const Machine& machine) {
  auto mesh = mesh_of(array.mesh, machine);
  if (!mesh) return mesh.diagnostics();
  auto to_mesh = mesh_of(array.to_mesh, machine);
  if (!to_mesh) return to_mesh.diagnostics();
  auto from = embed::read_type("from", array.from, *mesh);
  if (!from) return from.diagnostics();
  auto to = embed::read_type("to", array.to, *to_mesh);
  if (!to) return to.diagnostics();
  if (from->element() != to->element() || from->shape() != to->shape())
    return wrong(fmt::format("{} and {} are not of one element type and shape", array.from, array.to));
  if (!from->layout().pending().empty() || !to->layout().pending().empty()) return wrong("a file has no pending sum");
  return synth::LayoutChange{std::move(*from), std::move(*to)};
}

std::int64_t devices_of_run(const std::vector<synth::LayoutChange>& changes) {
  std::int64_t devices = 1;
  for (const synth::LayoutChange& change : changes) {
    devices = std::max({devices, change.from.mesh().devices_end(), change.to.mesh().devices_end()});
  }
  return devices;
}

}  // namespace

Result<std::vector<MovedArray>> read_move_list(std::string_view text, const std::string& file) {
  return embed::safely([&]() -> Result<std::vector<MovedArray>> {
    std::vector<MovedArray> arrays;
    std::set<std::string> names;
    std::int64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      begin = end + 1;
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      auto array = read_line(line, number, file);
      if (!array) return array.diagnostics();
      if (!names.insert(array->name).second)
        return wrong(fmt::format("\"{}\" appears twice, the second time in line {}", array->name, number));
      arrays.push_back(std::move(*array));
    }
    if (arrays.empty()) return wrong("it names no array");
    return arrays;
  });
}

Result<MovePlan> plan_move(const std::vector<MovedArray>& arrays, const Machine& machine,
                           const std::optional<StopToken>& stop) {
  return embed::safely([&]() -> Result<MovePlan> {
    auto impl = std::make_shared<MovePlan::Impl>();
    impl->machine = embed::to_machine(machine);
    for (const MovedArray& array : arrays) {
      auto change = change_of(array, machine);
      if (!change) return about(array.name, change.diagnostics());
      impl->names.push_back(array.name);
      impl->changes.push_back(std::move(*change));
    }
    auto company = synth::plan_company(impl->changes, impl->machine, embed::token_of(stop));
    if (!company) return embed::to_public({}, company.errors());
    impl->company = std::move(*company);
    return MovePlan(std::move(impl));
  });
}

std::size_t MovePlan::arrays() const { return impl_->names.size(); }
std::int64_t MovePlan::devices() const { return devices_of_run(impl_->changes); }
std::int64_t MovePlan::received_bytes_total() const { return impl_->company.received_bytes_total; }
std::int64_t MovePlan::lower_bound_bytes_total() const { return impl_->company.lower_bound_bytes_total; }
std::int64_t MovePlan::peak_bytes() const { return impl_->company.peak_bytes; }
std::int64_t MovePlan::hops() const { return impl_->company.hops; }
std::int64_t MovePlan::stretches() const { return impl_->company.stretches; }
double MovePlan::seconds() const { return impl_->company.seconds; }
double MovePlan::lower_bound_seconds() const { return impl_->company.lower_bound_seconds; }
const std::string& MovePlan::name(std::size_t array) const { return impl_->names.at(array); }
Plan MovePlan::plan(std::size_t array) const {
  return Plan(std::make_shared<const Plan::Impl>(Plan::Impl{impl_->company.plans.at(array), impl_->machine}));
}

std::string MovePlan::json() const {
  std::string list;
  for (std::size_t i = 0; i < arrays(); ++i) {
    list += fmt::format("{}{{\"name\":{},\"plan\":{}}}", i == 0 ? "" : ",", embed::quoted_json(impl_->names[i]),
                        synth::print_json(*impl_->company.plans[i]));
  }
  return fmt::format(
      "{{\"devices\":{},\"received_bytes_total\":{},\"lower_bound_bytes_total\":{},\"peak_bytes\":{},\"hops\":{},"
      "\"stretches\":{},\"seconds\":{},\"lower_bound_seconds\":{},\"arrays\":[{}]}}",
      devices(), received_bytes_total(), lower_bound_bytes_total(), peak_bytes(), hops(), stretches(), seconds(),
      lower_bound_seconds(), list);
}

}  // namespace tessera
