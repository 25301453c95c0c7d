// Functions compiled once: a call of the function, as a text of its own, is checked in an environment in which
// variables have the arguments' types, and lowered; what it reads of the session is kept beside it.
//
//   twice, {f32[8@x]}   -->   let result1 = twice(argument1)   -->   program with one input
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

#include "base/nearest.hpp"
#include "embed/arrays/array_impl.hpp"
#include "embed/host/convert.hpp"
#include "embed/host/deadline.hpp"
#include "embed/host/stop_token.hpp"
#include "embed/kinds.hpp"
#include "embed/programs/function_impl.hpp"
#include "embed/programs/record_types.hpp"
#include "embed/session/session_impl.hpp"
#include "frontend/parse.hpp"
#include "runtime/execute/run.hpp"

namespace tessera {

namespace {

std::string arguments_text(std::size_t count) { return fmt::format("{} argument{}", count, count == 1 ? "" : "s"); }

using embed::Texts;

// Functions that declare no results are tried with one, two, ... of them.
constexpr std::size_t kInferredResultsMax = 16;
constexpr std::size_t kFunctionsListed = 8;  // beside a name that none has

// More types are not remembered.
constexpr std::size_t kTypesKeptMax = 1000;

std::string numbered(std::string_view word, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= count; ++k) names.push_back(fmt::format("{}{}", word, k));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string call_text(std::string_view name, std::size_t arguments, std::size_t results) {
  const std::string names = numbered("result", results);
  return fmt::format("let {} = {}({})\n", results == 1 ? names : fmt::format("({})", names), name,
                     numbered("argument", arguments));
}

// Does this type say everything? An extent that is a name is bound by the argument.
bool is_complete(const frontend::Ast& ast, const frontend::TypeExpr& type) {
  if (!type.fields.empty()) {
    return std::all_of(type.fields.begin(), type.fields.end(),
                       [&](const frontend::TypeField& field) { return is_complete(ast, ast[field.type]); });
  }
  if (type.any_layout || type.any_shape || !type.element) return false;
  return std::all_of(type.dimensions.begin(), type.dimensions.end(), [&](const frontend::Dimension& dimension) {
    if (dimension.from_file || !dimension.extent.valid()) return false;
    return !std::holds_alternative<frontend::NameRef>(ast[dimension.extent].node);
  });
}

// The types that the function declares, as they are written; those that arguments bind have to be said.
Result<embed::WrittenArrays> declared_types(const typeck::Function& function, const Texts& texts) {
  embed::WrittenArrays arrays;
  std::size_t number = 0;
  for (const frontend::Parameter& parameter : function.definition().parameters) {
    const frontend::TypeExpr& type = (*function.ast)[parameter.type];
    const std::string text(texts.sources.text(type.span));
    if (!is_complete(*function.ast, type)) {
      return embed::bad_call(
          fmt::format("the parameter `{}` of `{}` takes arguments of several types ({}): give the types of "
                      "the arguments",
                      parameter.name.text, function.definition().name.text, text));
    }
    arrays.add(*function.ast, parameter.type, texts, number++);
  }
  return arrays;
}

// The types of the arguments: as they are given, or those that the function declares.
Result<embed::WrittenArrays> written_types(const typeck::Function& function, const std::vector<std::string>& types,
                                           Texts& texts) {
  const frontend::Fn& definition = function.definition();
  const std::size_t parameters = definition.parameters.size();
  if (types.empty()) return declared_types(function, texts);
  if (types.size() != parameters)
    return embed::bad_call(fmt::format("`{}` takes {}; {} types are given", definition.name.text,
                                       arguments_text(parameters), types.size()));
  auto arrays = embed::arrays_of_types(types, texts);
  if (!arrays) return embed::to_public(texts, arrays.errors());
  return std::move(*arrays);
}

// An argument that the call would redistribute first.
std::optional<std::string> hidden_redistribution(const typeck::Typed& typed) {
  const auto print_here = [&](const synth::ArrayType& type) {
    return typeck::print_type(type, typed.after, typed.after.now());
  };
  for (const typeck::NodeId id : typed.statements.at(0).region.order) {
    const typeck::Node& node = typed.nodes[id];
    const auto* const redistribute = std::get_if<typeck::Redistribute>(&node.body);
    if (redistribute == nullptr || redistribute->why.asker != typeck::Reason::Asker::argument) continue;
    return fmt::format("{} is declared {}, not {}: give that type, and redistribute before the call",
                       redistribute->why.who, print_here(node.types.at(0)),
                       print_here(typed.type(redistribute->operand)));
  }
  return std::nullopt;
}

// A call that is checked, and the slots of its arguments.
struct CheckedCall {
  typeck::Typed typed;
  std::vector<std::uint32_t> argument_slots;
};

// Binds `argument1`, `argument2`, ...; of one that is a record first its fields, `argument1.w`.
typeck::Environment with_arguments(typeck::Environment environment, const Function::Impl& made,
                                   std::vector<std::uint32_t>& slots) {
  typeck::NamedRecord record;
  for (std::size_t k = 0; k < made.types.size(); ++k) {
    const Function::Part& part = made.parameter_parts[k];
    const std::string argument = fmt::format("argument{}", part.of + 1);
    const std::string name = part.field.empty() ? argument : argument + "." + part.field;
    slots.push_back(environment.new_slot());
    environment.bind(typeck::Variable{name, made.types[k], std::nullopt, slots.back(), {}});
    if (part.field.empty()) continue;
    record.name = argument;
    record.fields.push_back(part.field);
    if (k + 1 == made.types.size() || made.parameter_parts[k + 1].of != part.of)
      environment.bind(std::exchange(record, {}));
  }
  return environment;
}

// Which result, or field of one, a name of the call's text stands for: `result2.w`.
Function::Part result_part(const std::string& name) {
  constexpr std::string_view kWord = "result";
  const std::size_t dot = name.find('.');
  const std::size_t of = std::stoul(name.substr(kWord.size(), dot));
  return {of - 1, dot == std::string::npos ? std::string() : name.substr(dot + 1)};
}

std::vector<std::size_t> output_numbers(const typeck::Typed& typed, const typeck::Lowered& lowered) {
  std::vector<std::size_t> numbers;
  for (const typeck::Bound& bound : typed.statements.at(0).bound) {
    const auto at = std::find(lowered.output_slots.begin(), lowered.output_slots.end(), bound.slot);
    TESSERA_CHECK(at != lowered.output_slots.end(), "a function's result is no output");
    numbers.push_back(static_cast<std::size_t>(at - lowered.output_slots.begin()));
  }
  return numbers;
}

// Finds the argument that has the slot; there is none if it is a value of the session.
std::optional<std::size_t> number_of(const std::vector<std::uint32_t>& slots, std::uint32_t slot) {
  const auto at = std::find(slots.begin(), slots.end(), slot);
  if (at == slots.end()) return std::nullopt;
  return static_cast<std::size_t>(at - slots.begin());
}

}  // namespace

base::Result<std::vector<synth::ArrayType>> Session::Impl::read_types(const std::vector<std::string>& types,
                                                                      Texts& texts) {
  std::vector<synth::ArrayType> read;
  if (known_types_of != state || known_types.size() > kTypesKeptMax) known_types.clear();
  known_types_of = state;
  for (const std::string& type : types) {
    if (const auto known = known_types.find(type); known != known_types.end()) {
      read.push_back(known->second);
      continue;
    }
    Config plain = *config;
    plain.defines.clear();
    // Alone first: the text around it must not complete what is no type.
    TESSERA_TRY(alone, frontend::parse_type(texts.sources, texts.add("type", type)));
    static_cast<void>(alone);
    const base::SourceId source = texts.add("type", fmt::format("let it = zeros(\n{}\n)\n", type));
    TESSERA_TRY(ast, parse(texts, source, plain));
    TESSERA_TRY(typed, check(std::move(ast), texts, state->environment, plain));
    read.push_back(typed.type(typed.statements.at(0).bound.at(0).node));
    known_types.emplace(type, read.back());
  }
  return read;
}

std::string Session::Impl::type_text(const synth::ArrayType& type) const {
  return typeck::print_type(type, state->environment, state->environment.now());
}

// The call in the session as it is now.
static Result<CheckedCall> check_call(Session::Impl& session, const typeck::Function& function,
                                      const Function::Impl& made, Texts& texts) {
  CheckedCall call;
  const typeck::Environment environment = with_arguments(session.state->environment, made, call.argument_slots);
  Config plain = *session.config;
  plain.defines.clear();
  const frontend::Fn& definition = function.definition();
  const std::size_t declared = definition.results.size();
  std::optional<Diagnostics> first;
  for (std::size_t results = std::max<std::size_t>(declared, 1);; ++results) {
    const base::SourceId source =
        texts.add(definition.name.text, call_text(definition.name.text, definition.parameters.size(), results));
    auto ast = session.parse(texts, source, plain);
    auto typed =
        ast ? session.check(std::move(*ast), texts, environment, plain) : base::Result<typeck::Typed>(ast.errors());
    if (typed) {
      call.typed = std::move(*typed);
      break;
    }
    if (!first) first = embed::to_public(texts, typed.errors());
    if (declared > 0 || results == kInferredResultsMax) return *first;
  }
  if (const auto fault = hidden_redistribution(call.typed)) return embed::bad_call(*fault);
  return call;
}

static Result<Function> compile(Session::Impl& session, const CheckedCall& call, Function::Impl made) {
  auto lowered = typeck::lower(call.typed, typeck::Keep::bound_names, session.stop_alone());
  if (!lowered) return embed::to_public(*made.texts, lowered.errors());
  for (const std::uint32_t slot : lowered->input_slots) {
    if (const auto number = number_of(call.argument_slots, slot)) {
      made.inputs.emplace_back(*number);
      continue;
    }
    const runtime::Value* const value = session.state->values.find(slot);
    if (value == nullptr) return embed::bad_call("the function reads a value of the session, which keeps none");
    made.inputs.emplace_back(*value);
  }
  made.outputs = output_numbers(call.typed, *lowered);
  for (const std::size_t output : made.outputs)
    made.results.push_back(session.type_text(lowered->program.registers[lowered->program.outputs.at(output)]));
  for (const typeck::Bound& bound : call.typed.statements.at(0).bound)
    made.result_parts.push_back(result_part(bound.name));
  made.world = session.world();
  auto prepared = runtime::prepare(std::move(lowered->program), made.world);
  if (!prepared) return embed::to_public(*made.texts, prepared.errors(), &lowered->origins);
  made.program = std::move(*prepared);
  made.world.stop = session.config->stop ? &session.config->stop->impl()->asked : nullptr;
  made.origins = std::move(lowered->origins);
  return Function(std::make_shared<const Function::Impl>(std::move(made)));
}

static Diagnostics no_function(const typeck::Environment& environment, std::string_view name) {
  auto wrong = base::make(embed::Kind::bad_call, fmt::format("there is no function `{}`", name));
  const std::vector<std::string> names = environment.function_names(environment.now());
  if (const auto near = base::nearest(name, names)) {
    wrong = std::move(wrong).suggest(fmt::format("did you mean `{}`?", *near));
  } else if (!names.empty() && names.size() <= kFunctionsListed) {
    wrong = std::move(wrong).suggest(fmt::format("functions here: {}", fmt::join(names, ", ")));
  }
  return embed::failure(std::move(wrong));
}

static Result<Function> make_function(Session::Impl& session, std::string_view name,
                                      const std::vector<std::string>& types) {
  const typeck::Environment& environment = session.state->environment;
  const typeck::Function* const function = environment.function(name, environment.now());
  if (function == nullptr) return no_function(environment, name);
  Texts texts = *session.state->texts;
  auto written = written_types(*function, types, texts);
  if (!written) return written.diagnostics();
  auto read = session.read_types(written->types, texts);
  if (!read) return embed::to_public(texts, read.errors());
  Function::Impl made;
  made.name = std::string(name);
  made.types = *read;
  made.parameter_parts = std::move(written->parts);
  made.config = session.config;
  auto call = check_call(session, *function, made, texts);
  if (!call) return call.diagnostics();
  for (const synth::ArrayType& type : *read) made.parameters.push_back(session.type_text(type));
  made.texts = std::make_shared<const Texts>(std::move(texts));
  const auto kept_texts = made.texts;
  auto compiled = compile(session, *call, std::move(made));
  if (compiled && !call->typed.choices.empty()) {
    auto typed = std::make_shared<const typeck::Typed>(std::move(call->typed));
    session.chosen.emplace(std::make_shared<const Program::Impl>(
        Program::Impl{session.state, kept_texts, std::move(typed), {}, {}, {}, {}, session.plans.machine()}));
  }
  return compiled;
}

Result<Function> Session::function(std::string_view name, const std::vector<std::string>& types) {
  const embed::Entry entry(impl_->busy);
  if (!entry.alone()) return embed::session_is_busy();
  if (!impl_->team.ok()) return embed::to_public({}, impl_->team.errors());
  impl_->begin_work();
  return impl_->in_time([&] {
    auto made = embed::safely([&] { return make_function(*impl_, name, types); });
    return impl_->agreed(std::move(made), fmt::format("{} {}", name, fmt::join(types, ", ")));
  });
}

const std::string& Function::name() const { return impl_->name; }
const std::vector<std::string>& Function::parameters() const { return impl_->parameters; }
const std::vector<std::string>& Function::results() const { return impl_->results; }
const std::vector<Function::Part>& Function::parameter_parts() const { return impl_->parameter_parts; }
const std::vector<Function::Part>& Function::result_parts() const { return impl_->result_parts; }

// "2 arguments"; of a function of records how many arrays.
static std::string taken_text(const Function::Impl& own) {
  const auto is_field = [](const Function::Part& part) { return !part.field.empty(); };
  if (std::none_of(own.parameter_parts.begin(), own.parameter_parts.end(), is_field))
    return arguments_text(own.types.size());
  return fmt::format("{} arrays, one for each field of its records", own.types.size());
}

// Collects the values that the program reads from arguments that have its types.
static Result<std::vector<runtime::Value>> inputs_of(const Function::Impl& own, const std::vector<Array>& arguments) {
  if (arguments.size() != own.types.size()) {
    return embed::bad_call(fmt::format("`{}` takes {}, not {}", own.name, taken_text(own), arguments.size()));
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const runtime::Value& value = arguments[k].impl()->value;
    const auto who = [&] { return embed::describe(own.parameter_parts[k], own.name); };
    if (!synth::same_type(value.type(), own.types[k])) {
      if (own.parameters[k] == arguments[k].type())
        return embed::bad_call(fmt::format("{} lives on a mesh {}, not {}", who(), print(own.types[k].mesh()),
                                           print(value.type().mesh())));
      return embed::bad_call(fmt::format("{} is {}, not {}", who(), own.parameters[k], arguments[k].type()));
    }
    if (value.team() != own.world.team) return embed::bad_call(fmt::format("{} lives on other ranks", who()));
  }
  std::vector<runtime::Value> inputs;
  inputs.reserve(own.inputs.size());
  for (const auto& input : own.inputs) {
    const auto* const number = std::get_if<std::size_t>(&input);
    inputs.push_back(number != nullptr ? arguments[*number].impl()->value : std::get<runtime::Value>(input));
  }
  return inputs;
}

static Result<std::vector<Array>> run_in(const runtime::World& world, const Function::Impl& own,
                                         const std::vector<runtime::Value>& inputs) {
  auto outcome = runtime::run(*own.program, inputs, world);
  if (!outcome) return embed::to_public(*own.texts, outcome.errors(), &own.origins);
  std::vector<Array> results;
  for (std::size_t k = 0; k < own.outputs.size(); ++k) {
    runtime::Value& value = outcome->outputs.at(own.outputs[k]);
    results.emplace_back(std::make_shared<const Array::Impl>(own.name, own.results[k], std::move(value)));
  }
  return results;
}

// Runs the function until the host's tokens, one of all calls and one of this, or its time stop it.
static Result<std::vector<Array>> run_until(const Function::Impl& own, const std::vector<runtime::Value>& inputs,
                                            const std::optional<StopToken>& stop) {
  // A flag of this call's: others may be under way.
  std::atomic<bool> flag = false;
  embed::StopLink stopped_by_all(own.config->stop, flag);
  embed::StopLink stopped_by_own(stop, flag);
  stopped_by_all.renew();
  stopped_by_own.renew();
  runtime::World world = own.world;
  world.stop = &flag;
  const embed::Deadline deadline(own.config->seconds_max, flag);
  return embed::in_time(deadline, world.team.get(), [&] { return run_in(world, own, inputs); });
}

static Result<std::vector<Array>> call_function(const Function::Impl& own, const std::vector<Array>& arguments,
                                                const std::optional<StopToken>& stop) {
  return embed::safely([&]() -> Result<std::vector<Array>> {
    // On ranks all have to come to the run, which one token ends on every one.
    if (stop && stop->asked() && own.world.team == nullptr) {
      return embed::failure(
          base::make(base::Kind::interrupted)
              .suggest("the token was asked to stop before the call: give each call a new StopToken"));
    }
    auto inputs = inputs_of(own, arguments);
    if (!inputs) return inputs.diagnostics();
    if (!stop && !(own.config->seconds_max > 0)) return run_in(own.world, own, *inputs);
    return run_until(own, *inputs, stop);
  });
}

Result<std::vector<Array>> Function::call(const std::vector<Array>& arguments) const {
  return call_function(*impl_, arguments, std::nullopt);
}

Result<std::vector<Array>> Function::call(const std::vector<Array>& arguments, const StopToken& stop) const {
  return call_function(*impl_, arguments, stop);
}

}  // namespace tessera
