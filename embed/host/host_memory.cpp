#include "embed/host/host_memory.hpp"

#include <fmt/format.h>

#include "embed/kinds.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::embed {

std::optional<synth::Shape> element_strides(const std::vector<std::int64_t>& strides_bytes, const synth::Shape& shape,
                                            std::int64_t element_bytes) {
  if (strides_bytes.empty()) return runtime::dense_strides(shape);
  if (strides_bytes.size() != shape.size()) return std::nullopt;
  synth::Shape strides;
  for (const std::int64_t stride : strides_bytes) {
    if (stride % element_bytes != 0) return std::nullopt;
    strides.push_back(stride / element_bytes);
  }
  return strides;
}

base::Diagnostic wrong_strides(const synth::Shape& shape, std::int64_t element_bytes) {
  return base::make(Kind::bad_call,
                    fmt::format("an array of {} dimensions has that many strides, each a multiple of {} bytes, or none",
                                shape.size(), element_bytes));
}

bool is_aligned(const std::byte* data, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) == 0;
}

std::byte* begin_of(std::byte* data, const synth::Box& box, const synth::Shape& strides, std::int64_t element_bytes) {
  for (std::size_t d = 0; d < box.size(); ++d) data += box[d].begin * strides[d] * element_bytes;
  return data;
}

}  // namespace tessera::embed
