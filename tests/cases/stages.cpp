#include "tests/cases/stages.hpp"

#include <fmt/format.h>

#include <memory>

#include "embed/session/used_files.hpp"
#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "frontend/verify.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/program/program.hpp"
#include "synth/verify/verify.hpp"
#include "typeck/check.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::cases {

namespace {

std::string first_message(const base::Diagnostics& diagnostics) { return diagnostics.at(0).message; }

synth::Machine machine_of(const Settings& settings) {
  synth::Machine machine;
  for (const MachineLevel& level : settings.machine) {
    machine.levels.push_back(
        {level.name, level.count, level.bandwidth_bytes_per_second, level.latency_seconds, {}, level.unit_bandwidths});
  }
  for (const DeviceKind& kind : settings.devices) {
    machine.devices.push_back({kind.count, kind.flops_per_second, kind.bandwidth_bytes_per_second, kind.memory_bytes});
  }
  return machine;
}

typeck::ReshardPolicy policy_of(Reshard reshard) {
  switch (reshard) {
    case Reshard::silent: return typeck::ReshardPolicy::silent;
    case Reshard::warn: return typeck::ReshardPolicy::warn;
    case Reshard::error: return typeck::ReshardPolicy::error;
  }
  return typeck::ReshardPolicy::silent;
}

void check_plan(const synth::Plan& plan, const Settings& settings, Faults& faults) {
  const auto machine = synth::machine_for(machine_of(settings), synth::run_devices(plan.from, plan.to));
  if (!machine.ok()) return;  // the case is about a machine that does not fit
  const auto verified = synth::verify(plan, *machine);
  if (!verified.ok()) {
    faults.push_back(fmt::format("the plan {} -> {} does not verify: {}", synth::print(plan.from),
                                 synth::print(plan.to), first_message(verified.errors())));
  }
}

void check_typed(const typeck::Typed& typed, const Settings& settings, Faults& faults) {
  const auto verified = typeck::verify(typed);
  if (!verified.ok()) faults.push_back("the typed program does not verify: " + first_message(verified.errors()));
  for (const typeck::TypedStatement& statement : typed.statements) {
    for (const typeck::Redistribute* step : typeck::redistributions(typed, statement.region)) {
      check_plan(*step->plan, settings, faults);
    }
  }
  const auto lowered = typeck::lower(typed, typeck::Keep::nothing);
  if (!lowered.ok()) {
    faults.push_back("the typed program cannot be lowered: " + first_message(lowered.errors()));
    return;
  }
  const auto program = synth::verify(lowered->program);
  if (!program.ok()) faults.push_back("the device program does not verify: " + first_message(program.errors()));
}

bool any_float(const synth::Program& program, const std::vector<synth::RegisterId>& registers) {
  for (const synth::RegisterId id : registers) {
    if (synth::is_float(program.registers[id].element())) return true;
  }
  return false;
}

bool combines(const synth::Operation& operation) {
  if (const auto* reduce = std::get_if<synth::Reduce>(&operation)) {
    return reduce->kind == synth::ReduceKind::sum || reduce->kind == synth::ReduceKind::product;
  }
  if (const auto* collect = std::get_if<synth::Collect>(&operation)) {
    return synth::movement(collect->collective) == synth::Movement::sums;
  }
  return std::holds_alternative<synth::Contract>(operation) || std::holds_alternative<synth::Scan>(operation) ||
         std::holds_alternative<synth::Recur>(operation);
}

bool body_reduces_floats(const synth::Program& program, const synth::Body& body) {
  for (const synth::Step& step : body) {
    if (const auto* apply = std::get_if<synth::Apply>(&step.node)) {
      if (combines(apply->operation) && any_float(program, apply->operands)) return true;
    } else if (const auto* repeat = std::get_if<synth::Repeat>(&step.node)) {
      if (body_reduces_floats(program, repeat->body)) return true;
    } else if (const auto* pipeline = std::get_if<synth::Pipeline>(&step.node)) {
      for (const synth::Body& visit : pipeline->visits) {
        if (body_reduces_floats(program, visit)) return true;
      }
    } else if (const auto* choose = std::get_if<synth::Choose>(&step.node)) {
      if (body_reduces_floats(program, choose->then_body)) return true;
      if (body_reduces_floats(program, choose->else_body)) return true;
    }
  }
  return false;
}

}  // namespace

Faults check_parse_print(std::string_view text) {
  base::SourceMap sources;
  const auto first = frontend::parse(sources, sources.add("first", std::string(text)));
  if (!first.ok()) return {};
  const auto verified = frontend::verify(*first);
  if (!verified.ok()) return {"the syntax tree does not verify: " + first_message(verified.errors())};
  const std::string printed = frontend::print(*first, &sources);
  const auto second = frontend::parse(sources, sources.add("second", printed));
  if (!second.ok())
    return {fmt::format("the printed program does not parse: {}\n{}", first_message(second.errors()), printed)};
  if (!frontend::equal(*first, *second)) return {"the printed program has another syntax tree:\n" + printed};
  const std::string again = frontend::print(*second, &sources);
  if (again != printed) return {fmt::format("the printed program prints differently:\n{}then:\n{}", printed, again)};
  return {};
}

Faults check_plans(std::string_view text, const Settings& settings, const RunFolder& folder) {
  embed::Texts texts;
  auto ast = frontend::parse(texts.sources, texts.add("plans", std::string(text)));
  if (!ast.ok()) return {};
  std::string output;
  const Config config = configuration(settings, folder, KeepValues::no, output);
  auto used = embed::used_files(*ast, texts, config, {}, embed::reader_of(config));
  if (!used.ok()) return {first_message(used.errors())};
  synth::PlanCache plans(machine_of(settings));
  typeck::CheckOptions options;
  options.reshard = policy_of(settings.reshard);
  options.defines = settings.defines;
  options.used = std::move(used).value();
  const auto typed = typeck::check(std::make_shared<const frontend::Ast>(std::move(ast).value()), texts.sources,
                                   typeck::Environment(), plans, options);
  Faults faults;
  if (typed.ok()) check_typed(*typed, settings, faults);
  return faults;
}

Faults check_program_print(std::string_view device_program) {
  const auto program = synth::read_program(device_program);
  if (!program.ok()) return {"the printed device program cannot be read: " + first_message(program.errors())};
  const std::string again = synth::print(*program);
  if (again != device_program) {
    return {fmt::format("the device program, read back, prints differently:\n{}then:\n{}", device_program, again)};
  }
  return {};
}

bool reduces_floats(std::string_view device_program) {
  const auto program = synth::read_program(device_program);
  return program.ok() && body_reduces_floats(*program, program->body);
}

}  // namespace tessera::cases
