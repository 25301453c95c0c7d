#include "embed/session/statistics.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "embed/host/convert.hpp"

namespace tessera::embed {

namespace {

SecondsOverRanks over_ranks(const runtime::RankSeconds& all, double runtime::OriginSeconds::* kind) {
  const auto less = [&](const auto& a, const auto& b) { return a.*kind < b.*kind; };
  const auto [least, most] = std::minmax_element(all.begin(), all.end(), less);
  return {*least.*kind, *most.*kind};
}

}  // namespace

std::vector<StatementStatistics> costs_of_statements(const Texts& texts, const typeck::Typed& typed,
                                                     const typeck::Lowered& lowered,
                                                     const std::vector<runtime::OriginStatistics>& counted) {
  std::map<std::uint32_t, StatementStatistics> by_statement;
  for (const runtime::OriginStatistics& origin : counted) {
    StatementStatistics& sum = by_statement[lowered.origins.at(origin.origin).statement];
    sum.peak_bytes = std::max(sum.peak_bytes, origin.peak_bytes);
    if (origin.steps == 0) continue;
    sum.steps += origin.steps;
    sum.received_bytes += origin.received_bytes;
    sum.seconds += origin.seconds;
  }
  std::vector<StatementStatistics> result;
  for (auto& [statement, sum] : by_statement) {
    if (sum.steps == 0) continue;
    sum.place = place(texts, typed.statements.at(statement).span);
    sum.statement = statement;
    result.push_back(std::move(sum));
  }
  return result;
}

std::vector<StatementProfile> profile_of(const Texts& texts, const typeck::Typed& typed, const typeck::Lowered& lowered,
                                         const std::vector<runtime::RankSeconds>& ranks) {
  std::map<std::uint32_t, std::vector<runtime::OriginSeconds>> by_statement;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const runtime::OriginSeconds& one : ranks[rank]) {
      auto& all = by_statement[lowered.origins.at(static_cast<std::size_t>(one.origin)).statement];
      all.resize(ranks.size());
      all[rank].computing += one.computing;
      all[rank].moving += one.moving;
      all[rank].waiting += one.waiting;
    }
  }
  std::vector<StatementProfile> result;
  for (const auto& [statement, all] : by_statement) {
    result.push_back({place(texts, typed.statements.at(statement).span), statement,
                      over_ranks(all, &runtime::OriginSeconds::computing),
                      over_ranks(all, &runtime::OriginSeconds::moving),
                      over_ranks(all, &runtime::OriginSeconds::waiting)});
  }
  return result;
}

std::vector<KeptValue> kept_values(const Texts& texts, const typeck::Typed& typed, const typeck::Lowered& lowered,
                                   const runtime::Outcome& outcome) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::size_t> numbers;
  std::vector<KeptValue> result;
  for (const runtime::KeptArray& one : outcome.kept) {
    std::string type = typeck::describe_type(lowered.program.registers[one.value], typed.after, typed.after.now());
    const auto [number, is_new] = numbers.emplace(std::tuple(one.made_origin, one.read_origin, type), result.size());
    if (is_new) {
      result.push_back({place(texts, lowered.origins.at(one.made_origin).span), std::move(type),
                        place(texts, lowered.origins.at(one.read_origin).span), 0, 0});
    }
    KeptValue& entry = result[number->second];
    entry.count += 1;
    entry.tile_bytes += one.tile_bytes;
  }
  return result;
}

}  // namespace tessera::embed
