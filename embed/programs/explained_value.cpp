#include "embed/programs/explained_value.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "embed/host/convert.hpp"
#include "embed/host/stop_token.hpp"
#include "embed/kinds.hpp"
#include "embed/programs/value_readers.hpp"
#include "embed/session/session_impl.hpp"
#include "synth/choose/alternatives.hpp"
#include "synth/program/choice/problem.hpp"
#include "tessera/choice.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera {

// Says which functions there are whose layouts are chosen.
base::Diagnostic embed::nothing_chosen(const typeck::Typed& typed, const std::string& wanted) {
  std::set<std::string> called;
  for (const typeck::ChosenFunction& own : typed.choices) called.insert(own.name);
  std::vector<std::string> declared;
  for (const frontend::StatementId id : typed.ast->program) {
    const auto* function = std::get_if<frontend::Fn>(&(*typed.ast)[id].node);
    if (function != nullptr && function->chosen) declared.push_back(fmt::format("`{}`", function->name.text));
  }
  std::string why = wanted.empty() ? std::string("no `auto fn` is called here")
                                   : fmt::format("no `auto fn {}` is called here", wanted);
  std::string help;
  if (!called.empty()) {
    for (const std::string& name : called) help += fmt::format("{}`{}`", help.empty() ? "" : ", ", name);
    help = (called.size() == 1 ? "the one that is called is " : "those that are called are ") + help;
  } else if (!declared.empty()) {
    help = "layouts are chosen for the arguments of a call: call " + declared.front();
  } else {
    help = "write `auto fn` for `fn`, and `auto` behind the types of parameters whose layouts are to be chosen";
  }
  return base::make(embed::Kind::nothing_chosen, std::move(why)).suggest(std::move(help));
}

namespace {

// The prices of a name's layouts.
Result<std::vector<LayoutPrice>> prices_of(const Program::Impl& program, const typeck::ChosenFunction& chosen,
                                           std::size_t maker, base::StopToken stop) {
  synth::PlanCache plans(program.machine);
  const synth::ChoiceNode& node = chosen.problem->nodes[maker];
  const auto found = synth::alternatives_of(*chosen.problem, maker, plans, {}, stop);
  if (!found) return embed::to_public(*program.texts, found.errors());
  std::vector<LayoutPrice> all;
  for (const synth::LayoutAlternative& one : *found) {
    const auto type = synth::type_in(*chosen.problem, *node.result, one.layout);
    const bool is_chosen = one.layout == *chosen.choice.nodes[maker].result;
    all.push_back({synth::print(*type), one.seconds, one.bound_seconds, is_chosen});
  }
  return all;
}

Result<ExplainedValue> explained(const Program::Impl& program, const typeck::ChosenFunction& chosen,
                                 std::string_view name, base::StopToken stop) {
  std::string names;
  for (const typeck::ChosenFunction::Name& own : chosen.names) {
    if (own.role == typeck::ChosenFunction::Role::result) continue;
    if (own.name != name || !own.problem_node) {
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", own.name);
      continue;
    }
    auto prices = prices_of(program, chosen, *own.problem_node, stop);
    if (!prices) return prices.diagnostics();
    const Place place = own.span.known() ? embed::place(*program.texts, own.span) : Place{};
    return ExplainedValue{own.name, synth::print(program.typed->type(own.node)), place,
                          embed::readers_of(*program.typed, chosen, own.node, *program.texts), std::move(*prices)};
  }
  return embed::bad_call(fmt::format("`{}` binds no `{}`; its names are {}", chosen.name, name, names));
}

}  // namespace

Result<ExplainedValue> explain_value(const Program& program, std::string_view function, std::string_view name,
                                     const std::optional<StopToken>& stop) {
  return embed::safely([&]() -> Result<ExplainedValue> {
    const Program::Impl& own = *program.impl();
    for (const typeck::ChosenFunction& chosen : own.typed->choices) {
      if (chosen.name == function) return explained(own, chosen, name, embed::token_of(stop));
    }
    return embed::to_public(*own.texts, base::Diagnostics{embed::nothing_chosen(*own.typed, std::string(function))});
  });
}

}  // namespace tessera
