#include "typeck/typed/pipelines.hpp"

#include <algorithm>
#include <functional>

#include "typeck/typed/walk.hpp"

namespace tessera::typeck {

std::vector<FoundPipeline> pipelines(const Typed& typed, const Region& region) {
  std::vector<FoundPipeline> found;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    const auto* loop = std::get_if<Loop>(&node.body);
    if (loop != nullptr && loop->pipeline != nullptr) found.push_back({node.span, loop->pipeline.get()});
  };
  Walk(typed, visit).region(region);
  return found;
}

PeaksByPlace peaks_by_place(const Lowered& lowered, const std::vector<synth::PipelinePeaks>& peaks) {
  PeaksByPlace all;
  for (const synth::PipelinePeaks& one : peaks) {
    std::vector<std::int64_t>& most = all[lowered.origins.at(one.origin).span];
    most.resize(std::max(most.size(), one.bytes.size()), 0);
    for (std::size_t d = 0; d < one.bytes.size(); ++d) most[d] = std::max(most[d], one.bytes[d]);
  }
  return all;
}

}  // namespace tessera::typeck
