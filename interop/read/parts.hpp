// Private to the readers: the axes that a text names, each used once, and the lists of them in braces that HLO and
// Shardy share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/described.hpp"
#include "interop/read/format.hpp"

namespace tessera::interop {

// The forms of the other systems; each reads one text.
base::Result<Described> read_hlo(const Reading& reading);
base::Result<Described> read_sdy(const Reading& reading);
base::Result<Described> read_jax(const Reading& reading);
base::Result<Described> read_dtensor(const Reading& reading);
base::Result<Described> read_alpa(const Reading& reading);

// An element type by the name that some system has for it: `float32`, `bf16`, `s32`, `pred`.
std::optional<synth::ElementType> foreign_element(std::string_view name);

// Reads `NAME: SIZE` pairs, or `=` between them, until `closing`, which is taken.
base::Result<std::vector<synth::MeshAxis>> read_axis_sizes(Scanner& scanner, std::string_view closing);

// The axes of the text's mesh, as another text or the text itself gives it; `interop-syntax` without one.
base::Result<std::vector<synth::MeshAxis>> axes_for(const Reading& reading);

// Digits by axes' names, and which of them a text has used.
class AxisUses {
 public:
  explicit AxisUses(std::vector<synth::MeshAxis> axes);

  const std::vector<synth::MeshAxis>& axes() const { return axes_; }
  std::int64_t devices() const { return devices_; }
  // The part `(before)size` of an axis, the whole of it without a size. Fails where there is no such axis or part, or
  // it has been used. `begin` is where the text names it.
  base::Result<Digit> use(const Scanner& scanner, std::uint32_t begin, std::string_view name, std::int64_t before = 1,
                          std::optional<std::int64_t> size = std::nullopt);
  // Reads `"x"` or `"x":(1)2`.
  base::Result<Digit> use_quoted(Scanner& scanner);
  // Reads `"x", "y"}` after the opening brace.
  base::Result<Digits> use_set(Scanner& scanner);
  // What all forms with names have in common.
  Described begin(const Scanner& scanner) const;

 private:
  std::vector<synth::MeshAxis> axes_;
  std::vector<std::int64_t> strides_;
  std::int64_t devices_ = 1;
  synth::AxisList used_;
};

// Reads `[8, 4]` into a shape; read_rest() reads what stands behind each extent.
base::Status read_extents(Scanner& scanner, ShapeText& shape, const std::function<base::Status()>& read_rest);

// Reads `[{"x"}, {"y", ?}p1], replicated={..}, unreduced={..}`.
base::Status read_named_dimensions(Scanner& scanner, AxisUses& uses, Described& into);

}  // namespace tessera::interop
