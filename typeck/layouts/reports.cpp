#include "typeck/layouts/reports.hpp"

namespace tessera::typeck {

std::optional<synth::ArrayType> Reports::make_type(base::Span span, synth::ElementType element,
                                                   const synth::Shape& shape, const synth::MeshRef& mesh,
                                                   std::vector<synth::AxisList> splits, synth::AxisList pending,
                                                   synth::ReduceOp reduce) {
  auto layout = made(synth::Layout::make(*mesh, std::move(splits), std::move(pending), reduce), span);
  if (!layout.has_value()) return std::nullopt;
  return made(synth::ArrayType::make(element, shape, mesh, std::move(*layout)), span);
}

}  // namespace tessera::typeck
