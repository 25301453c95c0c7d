// The values of a session: reading, setting and listing what names are bound to.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "embed/arrays/array_impl.hpp"
#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/session/bindings.hpp"
#include "embed/session/session_impl.hpp"
#include "frontend/parse.hpp"
#include "runtime/execute/run.hpp"

namespace tessera {

namespace {

using embed::State;

// May a `let` bind the name?
bool is_name(std::string_view name) {
  base::SourceMap sources;
  const auto ast = frontend::parse(sources, sources.add("name", fmt::format("let {} = 0", name)));
  if (!ast || ast->program.size() != 1) return false;
  const auto* let = std::get_if<frontend::Let>(&(*ast)[ast->program.front()].node);
  return let != nullptr && !let->type && let->names.size() == 1 && let->names.front().text == name;
}

// Does the shape hold exactly so many elements?
bool holds(const std::vector<std::int64_t>& shape, std::size_t count) {
  if (shape.size() > synth::kRankMax || std::any_of(shape.begin(), shape.end(), [](auto n) { return n < 0; }))
    return false;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return count == 0;
  std::size_t rest = count;
  for (const std::int64_t extent : shape) {
    if (rest % static_cast<std::size_t>(extent) != 0) return false;
    rest /= static_cast<std::size_t>(extent);
  }
  return rest == 1;
}

template <class T>
synth::Literal literal(const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
  synth::Literal result{embed::element_of<T>, synth::Shape(shape.begin(), shape.end()), {}};
  result.bytes.resize(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    std::memcpy(result.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return result;
}

template <class T>
std::optional<typeck::KnownScalar> known(const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
  if (!shape.empty()) return std::nullopt;
  if constexpr (std::is_same_v<T, bool>) {
    return typeck::KnownScalar(bool{values.front()});
  } else if constexpr (std::is_integral_v<T>) {
    return typeck::KnownScalar(std::int64_t{values.front()});
  } else if constexpr (!std::is_floating_point_v<T>) {
    return std::nullopt;  // a complex number
  } else {
    return typeck::KnownScalar(double{values.front()});
  }
}

// A value made by a program of one step, so that it lives where all values do.
base::Result<runtime::Value> make_value(const synth::ArrayType& type, synth::Literal literal,
                                        const runtime::World& world) {
  synth::Program program;
  const synth::RegisterId result = program.registers.add(type);
  const synth::LiteralId content = program.literals.add(std::move(literal));
  program.body.push_back(synth::Step{0, synth::Apply{synth::Constant{content}, {}, {result}}});
  program.outputs = {result};
  TESSERA_TRY(outcome, runtime::run(program, {}, world));
  return std::move(outcome.outputs.at(0));
}

// Binds a variable to a value, and forgets what that hides for good.
void bind_value(State& after, std::string name, const runtime::Value& value) {
  const std::uint32_t slot = after.environment.new_slot();
  const auto hidden = after.environment.bind(typeck::Variable{std::move(name), value.type(), std::nullopt, slot, {}});
  after.values.set(slot, value);
  if (hidden.has_value()) after.values.erase(*hidden);
}

// The values of a record's fields, if the name is a record's that the next binding hides for good.
void forget_fields(State& after, const std::string& name) {
  for (const std::uint32_t slot : after.environment.field_slots_hidden_from_now(name)) after.values.erase(slot);
}

}  // namespace

Result<Array> Session::get(std::string_view name) const {
  return embed::safely([&]() -> Result<Array> {
    const typeck::Environment& environment = impl_->state->environment;
    const typeck::Variable* variable = environment.variable(name, environment.now());
    if (variable == nullptr) return embed::bad_call(fmt::format("there is no variable `{}`", name));
    const runtime::Value* value = impl_->state->values.find(variable->slot);
    if (value == nullptr) return embed::bad_call(fmt::format("the session does not keep `{}`", name));
    std::string type = typeck::print_type(variable->type, environment, environment.now());
    return Array(std::make_shared<const Array::Impl>(std::string(name), std::move(type), *value));
  });
}

template <class T>
Status Session::set(std::string_view name, const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
  return embed::safely([&]() -> Status {
    if (!is_name(name)) return embed::bad_call(fmt::format("`{}` cannot be a variable's name", name));
    if (!holds(shape, values.size())) {
      return embed::bad_call(
          fmt::format("{} values do not fill an array of shape [{}]", values.size(), fmt::join(shape, ", ")));
    }
    State after = *impl_->state;
    const synth::MeshRef mesh = after.environment.default_mesh(after.environment.now());
    auto type = synth::ArrayType::replicated(embed::element_of<T>, synth::Shape(shape.begin(), shape.end()), mesh);
    if (!type) return embed::to_public(*after.texts, type.errors());
    const embed::Entry entry(impl_->busy);
    if (!entry.alone()) return embed::session_is_busy();
    if (!impl_->team.ok()) return embed::to_public({}, impl_->team.errors());
    impl_->begin_work();
    runtime::World world = impl_->world();
    if (world.memory_bytes_max > 0) world.kept_bytes = impl_->kept_bytes({});
    auto value = make_value(*type, literal(values, shape), world);
    if (!value) return embed::to_public(*after.texts, value.errors());
    forget_fields(after, std::string(name));
    const std::uint32_t slot = after.environment.new_slot();
    const auto hidden =
        after.environment.bind(typeck::Variable{std::string(name), *type, known(values, shape), slot, {}});
    after.values.set(slot, std::move(*value));
    if (hidden.has_value()) after.values.erase(*hidden);
    impl_->become(std::move(after));
    return Done{};
  });
}

template Status Session::set(std::string_view, const std::vector<bool>&, const std::vector<std::int64_t>&);
template Status Session::set(std::string_view, const std::vector<std::int32_t>&, const std::vector<std::int64_t>&);
template Status Session::set(std::string_view, const std::vector<std::int64_t>&, const std::vector<std::int64_t>&);
template Status Session::set(std::string_view, const std::vector<float>&, const std::vector<std::int64_t>&);
template Status Session::set(std::string_view, const std::vector<double>&, const std::vector<std::int64_t>&);
template Status Session::set(std::string_view, const std::vector<std::complex<float>>&,
                             const std::vector<std::int64_t>&);
template Status Session::set(std::string_view, const std::vector<std::complex<double>>&,
                             const std::vector<std::int64_t>&);

std::vector<std::string> Session::fields(std::string_view name) const {
  const typeck::Environment& environment = impl_->state->environment;
  const typeck::NamedRecord* const record = environment.record(name, environment.now());
  return record == nullptr ? std::vector<std::string>() : record->fields;
}

namespace {

// Fields are names that differ, and none is a record and an array at once.
std::optional<std::string> bad_fields(std::string_view name, const std::vector<std::pair<std::string, Array>>& fields) {
  if (fields.empty()) return fmt::format("the record `{}` has no field: give it one at least", name);
  std::vector<std::string> paths;
  for (const auto& [path, array] : fields) {
    for (std::size_t at = 0; at <= path.size();) {
      const std::size_t end = std::min(path.find('.', at), path.size());
      if (!is_name(path.substr(at, end - at))) return fmt::format("`{}` cannot be the name of a field", path);
      at = end + 1;
    }
    paths.push_back(path + ".");
  }
  std::sort(paths.begin(), paths.end());
  const auto twice =
      std::adjacent_find(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return b.starts_with(a); });
  if (twice == paths.end()) return std::nullopt;
  return fmt::format("the record `{}` has two fields `{}`", name, twice->substr(0, twice->size() - 1));
}

}  // namespace

Status Session::set(std::string_view name, const Array& array) {
  return embed::safely([&]() -> Status {
    if (!is_name(name)) return embed::bad_call(fmt::format("`{}` cannot be a variable's name", name));
    const embed::Entry entry(impl_->busy);
    if (!entry.alone()) return embed::session_is_busy();
    if (!impl_->team.ok()) return embed::to_public({}, impl_->team.errors());
    const runtime::Value& value = array.impl_->value;
    if (value.team() != *impl_->team)
      return embed::bad_call(fmt::format("`{}` lives on other ranks", array.impl_->name));
    State after = *impl_->state;
    forget_fields(after, std::string(name));
    bind_value(after, std::string(name), value);
    impl_->become(std::move(after));
    return Done{};
  });
}

Status Session::set(std::string_view name, const std::vector<std::pair<std::string, Array>>& fields) {
  return embed::safely([&]() -> Status {
    if (!is_name(name)) return embed::bad_call(fmt::format("`{}` cannot be a variable's name", name));
    if (const auto fault = bad_fields(name, fields)) return embed::bad_call(*fault);
    const embed::Entry entry(impl_->busy);
    if (!entry.alone()) return embed::session_is_busy();
    if (!impl_->team.ok()) return embed::to_public({}, impl_->team.errors());
    State after = *impl_->state;
    typeck::NamedRecord record{std::string(name), {}, {}};
    forget_fields(after, record.name);
    for (const auto& [path, array] : fields) {
      const runtime::Value& value = array.impl_->value;
      if (value.team() != *impl_->team) return embed::bad_call(fmt::format("field `{}` lives on other ranks", path));
      bind_value(after, record.name + "." + path, value);
      record.fields.push_back(path);
    }
    const auto hidden = after.environment.bind(record);
    if (hidden.has_value()) after.values.erase(*hidden);
    impl_->become(std::move(after));
    return Done{};
  });
}

std::vector<Binding> Session::names() const {
  const typeck::Environment& environment = impl_->state->environment;
  std::vector<std::string> names = environment.variable_names(environment.now());
  std::sort(names.begin(), names.end());
  std::vector<Binding> result;
  for (const std::string& name : names) {
    const typeck::Variable* variable = environment.variable(name, environment.now());
    if (variable == nullptr) continue;
    const std::string type = typeck::describe_type(variable->type, environment, environment.now());
    result.push_back(embed::binding(*impl_->state->texts, name, type, variable->span, variable->type));
  }
  return result;
}

std::vector<std::string> Session::functions() const {
  const typeck::Environment& environment = impl_->state->environment;
  std::vector<std::string> names = environment.function_names(environment.now());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tessera
