// What the text wants of an operation's result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::typeck {

struct Want {
  std::optional<synth::Layout> layout;
  synth::MeshRef mesh;  // of the layout
  base::Span because;   // the annotation
  std::vector<std::string> written_pending = {};
  bool is_summed = false;  // it is added up at once, so that a sum that is left pending costs nothing

  // Is the wanted layout one for such an array?
  bool fits(std::size_t rank, const synth::Mesh& own) const {
    return layout.has_value() && layout->rank() == rank && *mesh == own;
  }
};

}  // namespace tessera::typeck
