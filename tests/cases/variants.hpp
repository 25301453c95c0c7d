// The same program on other devices: its meshes resized in the text, its results compared.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tests/cases/case_file.hpp"
#include "tests/cases/scenario.hpp"

namespace tessera::cases {

// The new size of a mesh axis by its old one, none where that is not a plain number; no new size leaves it as it is.
using Size = std::optional<std::int64_t>;
using Resize = std::function<Size(Size)>;

Size same_size(Size size);
// All axes of size 1.
Size one_device(Size size);
// Another, small, mostly uneven size: 1 becomes 2, 2 becomes 3, 3 becomes 2, anything else 3.
Size other_size(Size size);

// The text with its meshes resized, and with an empty line printed wherever it shows what depends on them (`show`,
// `plan`, `save_shards`). The text must parse. Nothing if it declares no mesh.
std::optional<std::string> on_other_devices(std::string_view text, const Resize& resize);

// The differences between two runs, one line each: what failed, what was printed, what the names hold. With a
// tolerance, floats agree where |a - b| <= tolerance * max(1, |a|, |b|).
Faults differences(const RunRecord& expected, const RunRecord& actual, std::optional<double> tolerance);

}  // namespace tessera::cases
