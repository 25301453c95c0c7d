#include "synth/program/pipeline_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "synth/program/registers.hpp"
#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

// The visits that must come before each visit, of the same microbatch.
std::vector<std::set<std::uint32_t>> waits(const Pipeline& pipeline) {
  const auto made_by = makers(pipeline);
  std::vector<std::set<std::uint32_t>> all(pipeline.visits.size());
  const auto note = [&](std::uint32_t visit, RegisterId id) {
    const auto maker = made_by.find(id);
    if (maker != made_by.end() && maker->second != visit) all[visit].insert(maker->second);
  };
  for (std::uint32_t v = 0; v < pipeline.visits.size(); ++v)
    for_each_read(pipeline.visits[v], [&](RegisterId id) { note(v, id); });
  for (std::size_t k = 0; k < pipeline.next.size(); ++k) note(pipeline.carried_by[k], pipeline.next[k]);
  return all;
}

std::optional<std::string> carrying_fault(const Pipeline& pipeline) {
  if (pipeline.carried_by.size() != pipeline.parameters.size()) return "its carried values are not told apart";
  std::map<RegisterId, std::uint32_t> carrier;
  for (std::size_t k = 0; k < pipeline.parameters.size(); ++k) {
    if (pipeline.carried_by[k] >= pipeline.visits.size()) return "a value is carried by no visit";
    carrier[pipeline.parameters[k]] = pipeline.carried_by[k];
  }
  bool is_elsewhere = false;
  for (std::uint32_t v = 0; v < pipeline.visits.size(); ++v) {
    for_each_read(pipeline.visits[v], [&](RegisterId id) {
      const auto found = carrier.find(id);
      is_elsewhere = is_elsewhere || (found != carrier.end() && found->second != v);
    });
  }
  for (std::size_t k = 0; k < pipeline.next.size(); ++k) {
    const auto found = carrier.find(pipeline.next[k]);
    is_elsewhere = is_elsewhere || (found != carrier.end() && found->second != pipeline.carried_by[k]);
  }
  if (is_elsewhere) return "a carried value is read by a visit that does not carry it";
  return std::nullopt;
}

bool has_effects(const Body& body) {
  bool has = false;
  for_each_apply(body, [&](const Apply& apply) {
    has = has || (!has_result(apply.operation) && !std::holds_alternative<Assert>(apply.operation));
  });
  return has;
}

}  // namespace

std::map<RegisterId, std::uint32_t> makers(const Pipeline& pipeline) {
  std::map<RegisterId, std::uint32_t> made_by;
  for (std::uint32_t v = 0; v < pipeline.visits.size(); ++v)
    for_each_written(pipeline.visits[v], [&](RegisterId id) { made_by.emplace(id, v); });
  return made_by;
}

std::optional<std::string> order_fault(const Pipeline& pipeline) {
  if (const auto fault = carrying_fault(pipeline)) return fault;
  if (std::any_of(pipeline.visits.begin(), pipeline.visits.end(), has_effects)) return "a visit has an effect";
  const auto wait_for = waits(pipeline);
  std::vector<std::int64_t> taken(pipeline.visits.size(), 0);
  for (const std::uint32_t visit : pipeline.order) {
    if (visit >= pipeline.visits.size()) return "its order names no visit";
    const std::int64_t microbatch = taken[visit]++;
    for (const std::uint32_t before : wait_for[visit]) {
      if (taken[before] <= microbatch) return "a visit comes before what it reads is made";
    }
  }
  if (std::any_of(taken.begin(), taken.end(), [&](std::int64_t times) { return times != pipeline.count; }))
    return "a visit does not take all microbatches";
  return std::nullopt;
}

std::int64_t buffers_of_value(const Pipeline& pipeline, std::uint32_t maker,
                              const std::vector<std::uint32_t>& readers) {
  std::vector<std::int64_t> taken(pipeline.visits.size(), 0);
  std::int64_t most = 1;
  for (const std::uint32_t visit : pipeline.order) {
    ++taken[visit];
    if (visit != maker) continue;
    std::int64_t done = taken[maker] - 1;  // microbatches that nobody needs any more
    for (const std::uint32_t reader : readers) {
      if (reader != maker) done = std::min(done, taken[reader]);
    }
    most = std::max(most, taken[maker] - done);
  }
  return most;
}

}  // namespace tessera::synth
