#include "runtime/memory/sections.hpp"

#include <algorithm>
#include <set>

#include "runtime/memory/chains.hpp"
#include "runtime/memory/window_edges.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;

// More are not worth it: each is a run of the chain.
constexpr std::size_t kSectionsMax = 32;

class SectionSearch {
 public:
  SectionSearch(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan)
      : program_(program), tiles_(tiles), plan_(plan) {}

  // Reductions sum whole rows, and blocks of rows are theirs: such chains are cut along the first dimension alone.
  std::optional<ChainSections> run(std::span<const synth::Step> chain, std::size_t lead) {
    const bool reduces = std::any_of(chain.begin(), chain.end(), [](const synth::Step& step) {
      return std::holds_alternative<synth::Reduce>(std::get<synth::Apply>(step.node).operation);
    });
    dimensions_ = reduces ? 1 : lead;
    for (const synth::Step& step : chain) {
      const auto& apply = std::get<synth::Apply>(step.node);
      if (is_computed(apply)) note(apply);
    }
    if (has_two_ways_ || !cuts_all_edges()) return std::nullopt;
    for (std::size_t device = 0; device < tiles_[shape_of_].boxes.size(); ++device) {
      if (!have_same_tiles(device) || !add_sections(device)) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  const WindowEdges* edges(RegisterId id) const { return plan_[id].edges.get(); }
  std::int64_t extent(RegisterId id, std::size_t d) const { return program_.registers[id].shape()[d]; }
  std::size_t rank(RegisterId id) const { return program_.registers[id].rank(); }

  // An elementwise step repeats an operand along dimensions that it lacks, or of which it has one index.
  void note(const synth::Apply& apply) {
    const RegisterId result = apply.results[0];
    const bool is_map = std::holds_alternative<synth::Map>(apply.operation);
    if (!shape_of_.valid()) shape_of_ = result;
    CutDimensions own(rank(result), kUncut);
    for (std::size_t d = 0; d < std::min(own.size(), dimensions_); ++d) own[d] = d;
    add(result, own);
    for (const RegisterId id : apply.operands) {
      const std::size_t before = is_map ? rank(result) - rank(id) : 0;
      CutDimensions cut(rank(id), kUncut);
      for (std::size_t d = 0; d < cut.size(); ++d) {
        const std::size_t of_result = before + d;
        if (of_result < dimensions_ && (!is_map || extent(id, d) == extent(result, of_result))) cut[d] = of_result;
      }
      add(id, cut);
    }
  }
  void add(RegisterId id, const CutDimensions& cut) {
    has_two_ways_ |= found_.cut.emplace(id, cut).first->second != cut;
  }

  bool cuts_all_edges() const {
    return std::all_of(found_.cut.begin(), found_.cut.end(), [&](const auto& entry) {
      const auto& [id, cut] = entry;
      for (std::size_t d = 0; edges(id) != nullptr && d < cut.size(); ++d) {
        if (cut[d] == kUncut && edges(id)->lacks(tiles_[id], d)) return false;
      }
      return true;
    });
  }
  bool have_same_tiles(std::size_t device) const {
    const synth::Box& first = tiles_[shape_of_].boxes[device];
    return std::all_of(found_.cut.begin(), found_.cut.end(), [&](const auto& entry) {
      const auto& [id, cut] = entry;
      for (std::size_t d = 0; d < cut.size(); ++d) {
        if (cut[d] != kUncut && tiles_[id].boxes[device][d] != first[cut[d]]) return false;
      }
      return true;
    });
  }

  // The places where the device's tiles are cut along a dimension of the sections.
  std::vector<synth::Interval> pieces(std::size_t device, std::size_t dimension) const {
    const synth::Interval all = tiles_[shape_of_].boxes[device][dimension];
    std::set<std::int64_t> cuts = {all.begin, all.end};
    for (const auto& [id, cut] : found_.cut) {
      for (std::size_t d = 0; edges(id) != nullptr && d < cut.size(); ++d) {
        const synth::Interval inside = edges(id)->inside[device][d];
        if (cut[d] == dimension) cuts.insert({inside.begin, inside.end});
      }
    }
    std::vector<synth::Interval> pieces;
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) pieces.push_back({*cut, *std::next(cut)});
    return pieces;
  }
  // False: there are too many.
  bool add_sections(std::size_t device) {
    std::vector<synth::Box> boxes = {{}};
    for (std::size_t d = 0; d < dimensions_; ++d) {
      std::vector<synth::Box> longer;
      for (const synth::Interval& piece : pieces(device, d)) {
        for (synth::Box box : boxes) {
          box.push_back(piece);
          longer.push_back(std::move(box));
        }
      }
      boxes = std::move(longer);
      if (boxes.size() > kSectionsMax) return false;
    }
    std::stable_sort(boxes.begin(), boxes.end(),
                     [](const synth::Box& a, const synth::Box& b) { return synth::elements(a) > synth::elements(b); });
    found_.boxes.push_back(std::move(boxes));
    return true;
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  const MemoryPlan& plan_;
  std::size_t dimensions_ = 0;  // of the sections
  RegisterId shape_of_;         // is cut along all of them
  bool has_two_ways_ = false;   // is something cut in one way and read in another?
  ChainSections found_;
};

}  // namespace

bool has_edges(std::span<const synth::Step> chain, const MemoryPlan& plan) {
  return std::any_of(chain.begin(), chain.end(), [&](const synth::Step& step) {
    const auto& apply = std::get<synth::Apply>(step.node);
    const auto has_them = [&](RegisterId id) { return plan[id].edges != nullptr; };
    return std::any_of(apply.operands.begin(), apply.operands.end(), has_them) ||
           (is_computed(apply) && has_them(apply.results[0]));
  });
}

std::optional<ChainSections> find_sections(const synth::Program& program, std::span<const synth::Step> chain,
                                           std::size_t lead, const TileMaps& tiles, const MemoryPlan& plan) {
  if (lead == 0) return std::nullopt;
  return SectionSearch(program, tiles, plan).run(chain, lead);
}

}  // namespace tessera::runtime
