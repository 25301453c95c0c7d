#include "embed/session/trace.hpp"

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/sends.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/program/schedule/visits.hpp"

namespace tessera::embed {

namespace {

std::string name_of(const synth::Operation& operation) {
  if (const auto* map = std::get_if<synth::Map>(&operation)) return std::string(synth::name(map->op));
  if (const auto* collect = std::get_if<synth::Collect>(&operation))
    return std::string(synth::name(collect->collective));
  return synth::describe(operation);
}

// More devices have more pairs of them than anybody looks at.
constexpr std::int64_t kDevicesWithTransfers = 256;

class TraceTeller {
 public:
  TraceTeller(const std::function<void(const TracedStep&)>& tell, const Program::Impl& program,
              const typeck::Lowered& lowered)
      : tell_(tell), program_(program), lowered_(lowered) {}

  void operator()(const runtime::TracedStep& traced) {
    TracedStep& step = known(traced.steps);
    step.rank = traced.rank;
    step.failed = traced.failed;
    step.visit = traced.visit;
    step.microbatch = traced.microbatch;
    step.devices.clear();
    for (const runtime::DeviceSlice& slice : traced.devices)
      step.devices.push_back({slice.device, slice.begin, slice.end, slice.received_bytes, slice.peak_bytes});
    tell_(step);
  }

 private:
  // Steps of loops come again and again: their words are found once.
  TracedStep& known(std::span<const synth::Step> steps) {
    const auto [entry, added] = steps_.try_emplace(steps.data());
    if (added) entry->second = described(steps);
    return entry->second;
  }

  TracedStep described(std::span<const synth::Step> steps) const {
    TracedStep result;
    for (const synth::Step& step : steps) {
      const auto* const apply = std::get_if<synth::Apply>(&step.node);
      if (apply == nullptr) continue;
      if (steps.size() > 1 && std::holds_alternative<synth::Constant>(apply->operation)) continue;
      result.name += (result.name.empty() ? "" : ", ") + name_of(apply->operation);
      if (!apply->results.empty()) result.type = type_text(lowered_.program.registers[apply->results[0]]);
    }
    result.is_border = synth::is_border(lowered_.program, steps.front());
    if (steps.size() == 1) {
      result.transfers = transfers_of(steps.front());
      result.program = program_of(steps.front());
    }
    const base::Span span = lowered_.origins.at(steps.back().origin).span;
    if (span.known()) result.place = place(*program_.texts, span);
    return result;
  }
  std::string program_of(const synth::Step& step) const {
    const auto* const apply = std::get_if<synth::Apply>(&step.node);
    const auto* const collect = apply == nullptr ? nullptr : std::get_if<synth::Collect>(&apply->operation);
    if (collect == nullptr) return "";
    const synth::Mesh& mesh = lowered_.program.registers[apply->results[0]].mesh();
    if (const auto* program = synth::program_of(collect->collective)) return synth::print(mesh, *program);
    return synth::relay_of(collect->collective) != nullptr ? synth::detail(collect->collective, mesh) : "";
  }
  std::vector<TracedStep::Transfer> transfers_of(const synth::Step& step) const {
    const auto* const apply = std::get_if<synth::Apply>(&step.node);
    const auto* const collect = apply == nullptr ? nullptr : std::get_if<synth::Collect>(&apply->operation);
    if (collect == nullptr) return {};
    const synth::ArrayType& before = lowered_.program.registers[apply->operands[0]];
    const synth::ArrayType& after = lowered_.program.registers[apply->results[0]];
    if (before.mesh() != after.mesh() || after.devices() > kDevicesWithTransfers) return {};
    const auto machine = synth::machine_for(program_.machine, synth::run_devices(before, after));
    if (!machine) return {};
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> bytes;  // by receiver and sender
    for (const synth::BoxSend& send : synth::sends(*machine, collect->collective, before, after)) {
      if (send.source == send.target) continue;
      bytes[{send.target, send.source}] += synth::elements(send.box) * synth::bytes_of(after.element());
    }
    std::vector<TracedStep::Transfer> all;
    for (const auto& [pair, count] : bytes) all.push_back({pair.second, pair.first, count});
    return all;
  }

  std::string type_text(const synth::ArrayType& type) const {
    const typeck::Environment& environment = program_.typed->after;
    return typeck::describe_type(type, environment, environment.now());
  }

  const std::function<void(const TracedStep&)>& tell_;
  const Program::Impl& program_;
  const typeck::Lowered& lowered_;
  std::map<const synth::Step*, TracedStep> steps_;  // by the first of the steps taken together
};

}  // namespace

std::function<void(const runtime::TracedStep&)> trace_teller(const std::function<void(const TracedStep&)>& tell,
                                                             const Program::Impl& program,
                                                             const typeck::Lowered& lowered) {
  auto teller = std::make_shared<TraceTeller>(tell, program, lowered);
  return [teller](const runtime::TracedStep& step) { (*teller)(step); };
}

}  // namespace tessera::embed
