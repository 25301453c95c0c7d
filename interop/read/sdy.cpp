// Shardy's attributes: `#sdy.sharding<@mesh, [{"y", "x":(1)2}, {?}], unreduced={"u"}>`, with their `sdy.mesh`.
#include <algorithm>

#include "interop/kinds.hpp"
#include "interop/read/parts.hpp"

namespace tessera::interop {

namespace {

// Reads `device_ids=[0, 1]` after a comma: only the order that positions have anyway.
base::Status read_device_ids(Scanner& scanner) {
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  TESSERA_TRY_STATUS(scanner.expect("device_ids"));
  TESSERA_TRY_STATUS(scanner.expect("="));
  TESSERA_TRY_STATUS(scanner.expect("["));
  std::int64_t next = 0;
  while (!scanner.take("]")) {
    if (next > 0) {
      TESSERA_TRY_STATUS(scanner.expect(","));
    }
    const auto id = scanner.number();
    if (!id) return scanner.wrong("the number of a device is wanted here");
    if (*id != next)
      return scanner.unsupported(begin, "`device_ids` in another order", "positions in the mesh count from 0 here");
    ++next;
  }
  return base::Done{};
}

// Reads `mesh<["x"=4]>` after the word.
base::Result<std::vector<synth::MeshAxis>> read_inlined_mesh(Scanner& scanner) {
  TESSERA_TRY_STATUS(scanner.expect("<"));
  TESSERA_TRY_STATUS(scanner.expect("["));
  TESSERA_TRY(axes, read_axis_sizes(scanner, "]"));
  if (scanner.take(",")) {
    TESSERA_TRY_STATUS(read_device_ids(scanner));
  }
  TESSERA_TRY_STATUS(scanner.expect(">"));
  return axes;
}

// The mesh that `--mesh` gives, in Shardy's words with `device_ids` or in any others.
base::Result<std::vector<synth::MeshAxis>> read_given_mesh(const Reading& reading) {
  if (reading.mesh && reading.mesh->text.find("device_ids") != std::string_view::npos) {
    Scanner scanner(*reading.mesh);
    if (scanner.take("sdy.mesh")) {
      (void)scanner.take("@");
      (void)scanner.name();
      TESSERA_TRY_STATUS(scanner.expect("="));
    }
    return read_inlined_mesh(scanner);
  }
  return axes_for(reading);
}

base::Status go_to_leaf_of_values(Scanner& scanner, const Reading& reading) {
  TESSERA_TRY_STATUS(scanner.expect("["));
  if (!reading.leaf)
    return scanner.unsupported(0, "a list of shardings", "it has one for each value")
        .suggest("say which is meant: --leaf 0");
  for (std::int64_t leaf = 0; leaf < *reading.leaf; ++leaf) {
    TESSERA_TRY_STATUS(scanner.expect("<"));
    if (!scanner.skip_to_closing() || !scanner.take(",")) return scanner.wrong("there is no such value");
  }
  return base::Done{};
}

}  // namespace

base::Result<Described> read_sdy(const Reading& reading) {
  Scanner scanner(reading.text);
  (void)scanner.take("sdy.sharding");
  (void)scanner.take("=");
  bool of_values = false;
  if (scanner.take("#")) {
    of_values = scanner.take("sdy.sharding_per_value");
    if (!of_values && !scanner.take("sdy.sharding")) return scanner.wrong("`sdy.sharding` is wanted here");
  }
  TESSERA_TRY_STATUS(scanner.expect("<"));
  if (of_values) {
    TESSERA_TRY_STATUS(go_to_leaf_of_values(scanner, reading));
    TESSERA_TRY_STATUS(scanner.expect("<"));
  }
  std::vector<synth::MeshAxis> axes;
  if (scanner.take("mesh")) {
    TESSERA_TRY(inlined, read_inlined_mesh(scanner));
    axes = std::move(inlined);
  } else {
    TESSERA_TRY_STATUS(scanner.expect("@"));
    if (scanner.name().empty()) return scanner.wrong("the name of a mesh is wanted here");
    TESSERA_TRY(given, read_given_mesh(reading));
    axes = std::move(given);
  }
  TESSERA_TRY_STATUS(scanner.expect(","));
  AxisUses uses(std::move(axes));
  Described result = uses.begin(scanner);
  TESSERA_TRY_STATUS(read_named_dimensions(scanner, uses, result));
  TESSERA_TRY_STATUS(scanner.expect(">"));
  if (!of_values) {
    TESSERA_TRY_STATUS(scanner.expect_end());
  }
  return result;
}

}  // namespace tessera::interop
