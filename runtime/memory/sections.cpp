#include "runtime/memory/sections.hpp"

#include <algorithm>

#include "runtime/memory/chains.hpp"
#include "runtime/memory/window_edges.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;

// More are not worth it: each is a run of the chain.
constexpr std::size_t kSectionsMax = 16;

class SectionSearch {
 public:
  SectionSearch(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan)
      : program_(program), tiles_(tiles), plan_(plan) {}

  std::optional<ChainSections> run(std::span<const synth::Step> chain) {
    for (const synth::Step& step : chain) {
      const auto& apply = std::get<synth::Apply>(step.node);
      if (is_computed(apply)) note(apply);
    }
    if (std::any_of(whole_.begin(), whole_.end(),
                    [&](RegisterId id) { return found_.cut.contains(id) || has_edges(id); }))
      return std::nullopt;
    for (std::size_t device = 0; device < tiles_[*found_.cut.begin()].boxes.size(); ++device) {
      if (!have_same_rows(device)) return std::nullopt;
      found_.rows.push_back(sections_on(device));
      if (found_.rows.back().size() > kSectionsMax) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  bool has_edges(RegisterId id) const { return plan_[id].edges != nullptr; }
  std::int64_t rows(RegisterId id) const { return program_.registers[id].shape()[0]; }

  // An elementwise step repeats an operand of fewer dimensions, or of one row, along the rows.
  void note(const synth::Apply& apply) {
    const RegisterId result = apply.results[0];
    const bool is_map = std::holds_alternative<synth::Map>(apply.operation);
    const std::size_t rank = program_.registers[result].rank();
    found_.cut.insert(result);
    for (const RegisterId id : apply.operands) {
      const bool has_rows = !is_map || (program_.registers[id].rank() == rank && rows(id) == rows(result));
      (has_rows ? found_.cut : whole_).insert(id);
    }
  }

  bool have_same_rows(std::size_t device) const {
    const synth::Interval first = tiles_[*found_.cut.begin()].boxes[device][0];
    return std::all_of(found_.cut.begin(), found_.cut.end(),
                       [&](RegisterId id) { return tiles_[id].boxes[device][0] == first; });
  }
  std::vector<synth::Interval> sections_on(std::size_t device) const {
    const synth::Interval all = tiles_[*found_.cut.begin()].boxes[device][0];
    std::set<std::int64_t> cuts = {0, all.length()};
    for (const RegisterId id : found_.cut) {
      if (!has_edges(id)) continue;
      const synth::Interval inside = plan_[id].edges->inside[device];
      cuts.insert({inside.begin - all.begin, inside.end - all.begin});
    }
    std::vector<synth::Interval> sections;
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) sections.push_back({*cut, *std::next(cut)});
    std::stable_sort(sections.begin(), sections.end(),
                     [](const synth::Interval& a, const synth::Interval& b) { return a.length() > b.length(); });
    return sections;
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  const MemoryPlan& plan_;
  std::set<RegisterId> whole_;
  ChainSections found_;
};

}  // namespace

bool reads_edges(std::span<const synth::Step> chain, const MemoryPlan& plan) {
  return std::any_of(chain.begin(), chain.end(), [&](const synth::Step& step) {
    const auto& operands = std::get<synth::Apply>(step.node).operands;
    return std::any_of(operands.begin(), operands.end(), [&](RegisterId id) { return plan[id].edges != nullptr; });
  });
}

std::optional<ChainSections> find_sections(const synth::Program& program, std::span<const synth::Step> chain,
                                           std::size_t lead, const TileMaps& tiles, const MemoryPlan& plan) {
  if (lead == 0) return std::nullopt;
  return SectionSearch(program, tiles, plan).run(chain);
}

}  // namespace tessera::runtime
