#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/host/stop_token.hpp"
#include "embed/programs/closed_script.hpp"
#include "embed/programs/explained_value.hpp"
#include "embed/session/session_impl.hpp"
#include "embed/session/used_files.hpp"
#include "frontend/parse.hpp"
#include "runtime/memory/device_peaks.hpp"
#include "synth/program/choice/problem.hpp"
#include "synth/program/compute_cost.hpp"
#include "tessera/choice.hpp"
#include "typeck/check.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/moves.hpp"

namespace tessera {

namespace {

// A checked program whose choices are told.
class Telling {
 public:
  Telling(const typeck::Typed& typed, const embed::Texts& texts, const synth::Machine& machine)
      : typed_(typed), texts_(texts), machine_(machine) {}

  Choice of(const typeck::ChosenFunction& own) {
    const synth::Mesh& mesh = *own.problem->mesh;
    Choice choice;
    choice.function = own.name;
    choice.mesh = synth::print_axes(mesh);
    for (const std::size_t axis : own.axes) choice.over.push_back(mesh.axes()[axis].name);
    choice.place = place(own.called_at);
    if (own.weights) choice.weights = weights_of(*own.weights);
    const typeck::Region& body = typed_.instances[own.instance].body;
    const typeck::BodySeconds total = typeck::body_seconds(typed_, body, machine_);
    choice.seconds = total.local + total.moves;
    choice.local_seconds = total.local;
    choice.bound_seconds = std::min(own.choice.bound_seconds, choice.seconds);
    choice.gap = choice.seconds > 0 ? (choice.seconds - choice.bound_seconds) / choice.seconds : 0;
    const bool is_proved = own.choice.proof != synth::ChoiceProof::limit && choice.gap < kClosed;
    choice.proof = std::string(synth::name(is_proved ? own.choice.proof : synth::ChoiceProof::limit));
    choice.operations = static_cast<std::int64_t>(own.choice.operations);
    choice.choices = static_cast<std::int64_t>(own.choice.strategies);
    choice.plans = static_cast<std::int64_t>(own.choice.plans);
    add_values(own, choice);
    for (const typeck::CountedMove& move : total.moved) add(conversion(own, move), choice.conversions);
    add_arrivals(own, choice);
    choice.peak_bytes = peaks(body);
    add_memory(choice);
    if (!choice.fits) choice.proof = "memory";
    for (const auto& rival : own.rivals)
      choice.rivals.push_back({rival.name, rival.seconds, rival.peak_bytes, fit(rival.peak_bytes)});
    choice.verified = true;  // a program is not handed out otherwise (typeck/insert/choose.cpp)
    return choice;
  }

 private:
  static constexpr double kClosed = 1e-6;

  static Choice::CutWeights weights_of(const typeck::ChosenFunction::CutWeights& own) {
    return {own.axis, own.cut, own.weights.values(),
            own.is_exact ? std::string("exact") : fmt::format("best of {}", own.candidates)};
  }
  Place place(base::Span span) const { return span.known() ? embed::place(texts_, span) : Place{}; }
  std::string expression(base::Span span) const {
    if (!span.known()) return "";
    std::string text(texts_.sources.text(span));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  static std::string type_text(const synth::ArrayType& type) { return synth::print(type); }

  void add_values(const typeck::ChosenFunction& own, Choice& choice) const {
    std::size_t parameter = 0;
    std::size_t result = 0;
    for (const typeck::ChosenFunction::Name& name : own.names) {
      Choice::Value value;
      value.name = name.name;
      value.type = type_text(typed_.type(name.node));
      value.place = place(name.span);
      switch (name.role) {
        case typeck::ChosenFunction::Role::parameter:
          value.role = Choice::Role::parameter;
          value.is_chosen = own.is_chosen[parameter++] != 0;
          break;
        case typeck::ChosenFunction::Role::let: value.role = Choice::Role::let; break;
        case typeck::ChosenFunction::Role::result: {
          value.role = Choice::Role::result;
          const auto as = own.results_as[result++];
          if (as) value.lies_as = own.names[*as].name;
          break;
        }
      }
      choice.values.push_back(std::move(value));
    }
  }

  // Under the name of what is converted, or of what that is a copy of.
  std::string value_name(const typeck::ChosenFunction& own, typeck::NodeId node) const {
    while (true) {
      for (const typeck::ChosenFunction::Name& name : own.names) {
        const bool is_result = name.role == typeck::ChosenFunction::Role::result;
        if (name.node == node && !is_result) return name.name;
      }
      const auto* moved = std::get_if<typeck::Redistribute>(&typed_.nodes[node].body);
      if (moved == nullptr) return expression(typed_.nodes[node].span);
      node = moved->operand;
    }
  }

  Choice::Conversion conversion(const typeck::ChosenFunction& own, const typeck::CountedMove& move) const {
    const typeck::Node& node = typed_.nodes[move.node];
    const auto& moved = std::get<typeck::Redistribute>(node.body);
    return {value_name(own, moved.operand),
            type_text(moved.plan->from),
            type_text(moved.plan->to),
            moved.plan->seconds,
            move.executions,
            moved.plan->received_bytes_total,
            expression(moved.why.asked_at),
            place(moved.why.asked_at)};
  }
  static void add(Choice::Conversion one, std::vector<Choice::Conversion>& all) {
    if (one.seconds > 0) all.push_back(std::move(one));
  }

  // Arguments that calls bring to where the choice wants them.
  void add_arrivals(const typeck::ChosenFunction& own, Choice& choice) const {
    for (const typeck::Node& node : typed_.nodes.items()) {
      const auto* call = std::get_if<typeck::Call>(&node.body);
      if (call == nullptr || call->instance != own.instance) continue;
      for (std::size_t k = 0; k < call->arguments.size(); ++k) {
        const auto* moved = std::get_if<typeck::Redistribute>(&typed_.nodes[call->arguments[k]].body);
        const bool is_arrival =
            own.is_chosen[k] != 0 && moved != nullptr && moved->why.asker == typeck::Reason::Asker::chosen;
        if (!is_arrival) continue;
        Choice::Conversion arrival = conversion(own, {call->arguments[k], 1});
        arrival.value = own.names[k].name;
        add(std::move(arrival), choice.arrivals);
      }
    }
  }

  std::vector<std::int64_t> peaks(const typeck::Region& body) const {
    const auto alone = typeck::lower_alone(typed_, body);
    return alone.has_value() ? runtime::peak_bytes_of_devices(alone->program) : std::vector<std::int64_t>();
  }

  std::vector<std::int64_t> memory_of(std::size_t devices) const {
    std::vector<std::int64_t> memory;
    for (const auto& kind : synth::with_every_device(machine_, static_cast<std::int64_t>(devices)).devices)
      memory.push_back(kind.memory_bytes);
    memory.resize(devices);
    return memory;
  }
  bool fit(const std::vector<std::int64_t>& peaks) const {
    const std::vector<std::int64_t> memory = memory_of(peaks.size());
    for (std::size_t device = 0; device < peaks.size(); ++device) {
      if (memory[device] > 0 && peaks[device] > memory[device]) return false;
    }
    return true;
  }
  void add_memory(Choice& choice) const {
    choice.memory_bytes = memory_of(choice.peak_bytes.size());
    choice.fits = fit(choice.peak_bytes);
  }

  const typeck::Typed& typed_;
  const embed::Texts& texts_;
  const synth::Machine& machine_;
};

}  // namespace

Result<std::vector<Choice>> choices_of(const Program& program) {
  return embed::safely([&]() -> Result<std::vector<Choice>> {
    const Program::Impl& own = *program.impl();
    Telling telling(*own.typed, *own.texts, own.machine);
    std::vector<Choice> all;
    for (const typeck::ChosenFunction& chosen : own.typed->choices) all.push_back(telling.of(chosen));
    return all;
  });
}

Result<std::vector<Choice>> Session::choices() const {
  if (!impl_->chosen) return std::vector<Choice>{};
  return choices_of(*impl_->chosen);
}

Result<ChosenProgram> choose_layouts(std::string_view program, std::string_view name, const Config& config,
                                     const ChooseRequest& request) {
  return embed::safely([&]() -> Result<ChosenProgram> {
    if (request.effort < 1) return embed::bad_call("a search takes at least one sweep");
    embed::Texts texts;
    const base::SourceId source = texts.add(std::string(name), std::string(program), 1);
    const base::StopToken stop = embed::token_of(config.stop);
    auto ast = frontend::parse(texts.sources, source, stop);
    if (!ast) return embed::to_public(texts, ast.errors());
    auto options = embed::check_options(config, texts, stop);
    if (!options) return embed::to_public(texts, options.errors());
    auto used = embed::used_files(*ast, texts, config, stop, embed::reader_of(config));
    if (!used) return embed::to_public(texts, used.errors());
    options->used = std::move(*used);
    options->choose = {static_cast<std::size_t>(request.effort), request.untied, request.rivals,
                       static_cast<std::size_t>(std::max(0, request.tied_above))};
    synth::PlanCache plans(embed::to_machine(config.machine));
    auto typed = typeck::check(std::make_shared<const frontend::Ast>(std::move(*ast)), texts.sources,
                               typeck::Environment{}, plans, *options);
    if (!typed) return embed::to_public(texts, typed.errors());
    ChosenProgram result;
    Telling telling(*typed, texts, plans.machine());
    for (const typeck::ChosenFunction& chosen : typed->choices) {
      if (request.function.empty() || request.function == chosen.name) result.choices.push_back(telling.of(chosen));
    }
    if (result.choices.empty())
      return embed::to_public(texts, base::Diagnostics{embed::nothing_chosen(*typed, request.function)});
    if (request.closed) {
      auto closed = embed::closed_script(*typed, std::string(program));
      if (!closed) return embed::to_public(texts, closed.errors());
      result.closed = std::move(*closed);
    }
    result.notes = embed::to_public(texts, typed->notes);
    return result;
  });
}

}  // namespace tessera
