// Where boxes begin whose places are computed as a program runs.
#include <fmt/format.h>

#include <algorithm>

#include "base/wide.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/ranges.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

base::Diagnostic out_of_range(std::int64_t index, std::int64_t length, std::int64_t extent, std::size_t dimension) {
  const std::int64_t piece = std::min(length, extent);
  const std::string where = fmt::format("dimension {} has {} elements", dimension, std::max(length, extent));
  const std::string why = piece == 1 ? where : fmt::format("{} elements are wanted from there, and {}", piece, where);
  return base::make(Kind::index_out_of_range, index, why);
}

// Where each range begins; a box that does not lie inside of the result is a failure.
base::Result<synth::Shape> Executor::starts_of(const synth::Apply& apply, const synth::Lay& lay) const {
  const synth::Shape& extents = storage_.type(apply.results[0]).shape();
  synth::Shape starts;
  for (std::size_t d = 0; d < lay.ranges.size(); ++d) {
    const synth::LaidRange& range = lay.ranges[d];
    std::int64_t start = range.start;
    if (range.scalar >= 0) {
      const synth::RegisterId id = apply.operands[static_cast<std::size_t>(range.scalar)];
      TESSERA_TRY(given, storage_.scalar<std::int64_t>(id));
      start = given < 0 && range.wraps ? given + extents[d] : given;
      if (start < 0 || static_cast<base::Wide>(start) + range.length > extents[d])
        return out_of_range(given, range.length, extents[d], d);
    }
    starts.push_back(start);
  }
  return starts;
}

}  // namespace tessera::runtime
