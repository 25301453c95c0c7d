// HLO's shardings: `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`, `{replicated}`, `{mesh['x'=4], [{'x'}, {}]}`.
#include <fmt/format.h>

#include <algorithm>

#include "interop/kinds.hpp"
#include "interop/read/devices.hpp"

namespace tessera::interop {

namespace {

// Reads `{unreduced, replicated}` behind `last_tile_dims=`.
base::Result<std::vector<Trailing>> read_subgroups(Scanner& scanner) {
  std::vector<Trailing> kinds;
  TESSERA_TRY_STATUS(scanner.expect("{"));
  do {
    scanner.sees("");
    const std::uint32_t begin = scanner.offset();
    if (scanner.take("replicated")) {
      kinds.push_back(Trailing::replicated);
    } else if (scanner.take("unreduced")) {
      kinds.push_back(Trailing::unreduced);
    } else if (scanner.take("manual")) {
      return scanner.unsupported(begin, "a manual subgroup", "the program itself says what such devices hold");
    } else {
      return scanner.wrong("`replicated` or `unreduced` is wanted here");
    }
  } while (scanner.take(","));
  TESSERA_TRY_STATUS(scanner.expect("}"));
  return kinds;
}

// Takes what may stand before the closing brace and says nothing about places; refuses what ties shardings together.
base::Status read_closing(Scanner& scanner) {
  if (scanner.take("metadata=")) {
    if (!scanner.take("{") || !scanner.skip_to_closing()) return scanner.wrong("metadata stands in braces");
  }
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  if (scanner.take("shard_as") || scanner.take("shard_like"))
    return scanner.unsupported(begin, "a sharding group",
                               "the layout is that of another array, which the text does not show");
  return scanner.expect("}");
}

Described whole_text(const Scanner& scanner) {
  Described result;
  result.span = {scanner.text().source, 0, static_cast<std::uint32_t>(scanner.text().text.size())};
  return result;
}

// A digit whose order says nothing, as the mesh has it.
void put_in_order(Digits& digits) {
  std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  digits = merged(digits);
}

base::Result<Described> read_devices(Scanner& scanner) {
  TESSERA_TRY(array, DeviceArray::read(scanner));
  std::vector<Trailing> trailing;
  if (scanner.take("last_tile_dim_replicate")) {
    trailing = {Trailing::replicated};
  } else if (scanner.take("last_tile_dims=")) {
    TESSERA_TRY(kinds, read_subgroups(scanner));
    trailing = std::move(kinds);
  }
  if (trailing.size() > array.rank()) return scanner.wrong("there are more subgroups than extents");
  TESSERA_TRY_STATUS(read_closing(scanner));
  TESSERA_TRY(grid, array.grid(scanner, trailing));
  Described result = whole_text(scanner);
  result.devices = grid.devices;
  const std::size_t rank = grid.extents.size() - trailing.size();
  result.splits.assign(grid.digits.begin(), grid.digits.begin() + static_cast<std::ptrdiff_t>(rank));
  for (std::size_t i = 0; i < trailing.size(); ++i) {
    if (trailing[i] == Trailing::replicated) continue;
    const Digits& group = grid.digits[rank + i];
    result.pending.insert(result.pending.end(), group.begin(), group.end());
  }
  put_in_order(result.pending);
  return result;
}

base::Result<Described> read_mesh_form(Scanner& scanner) {
  TESSERA_TRY_STATUS(scanner.expect("["));
  TESSERA_TRY(axes, read_axis_sizes(scanner, "]"));
  AxisUses uses(std::move(axes));
  Described result = uses.begin(scanner);
  TESSERA_TRY_STATUS(scanner.expect(","));
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  if (scanner.take("device_ids"))
    return scanner.unsupported(begin, "`device_ids`",
                               "positions in the mesh count from 0 here, and ids say another order");
  TESSERA_TRY_STATUS(read_named_dimensions(scanner, uses, result));
  put_in_order(result.pending);
  TESSERA_TRY_STATUS(read_closing(scanner));
  return result;
}

// Reads one sharding after its opening brace.
base::Result<Described> read_one(Scanner& scanner) {
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  if (scanner.take("devices=")) return read_devices(scanner);
  if (scanner.take("mesh")) return read_mesh_form(scanner);
  if (scanner.take("manual"))
    return scanner.unsupported(begin, "`manual`", "the program itself says what devices hold");
  if (scanner.take("maximal"))
    return scanner.unsupported(begin, "`maximal`", "one device holds all, and the others nothing");
  if (scanner.take("unknown")) return scanner.unsupported(begin, "`unknown`", "it says that nothing is known");
  Described result = whole_text(scanner);
  result.is_open = true;
  if (scanner.take("unreduced")) {
    result.pending_everywhere = true;
  } else if (!scanner.take("replicated")) {
    return scanner.wrong("`devices=`, `replicated`, `unreduced` or `mesh` is wanted here");
  }
  TESSERA_TRY_STATUS(read_closing(scanner));
  return result;
}

// Skips to the leaf of a tuple, whose opening brace was taken.
base::Status go_to_leaf(Scanner& scanner, const Reading& reading) {
  if (!reading.leaf) {
    return scanner.unsupported(0, "a tuple of shardings", "it has a sharding for each of its leaves")
        .suggest("say which leaf is meant: --leaf 0");
  }
  for (std::int64_t leaf = 0; leaf < *reading.leaf; ++leaf) {
    TESSERA_TRY_STATUS(scanner.expect("{"));
    if (!scanner.skip_to_closing()) return scanner.wrong("a `}` is missing");
    if (!scanner.take(",")) return scanner.wrong(fmt::format("the tuple has no leaf {}", *reading.leaf));
    if (scanner.take("/*")) {
      while (!scanner.at_end() && !scanner.take("*/")) scanner.go_back(scanner.offset() + 1);
    }
  }
  return base::Done{};
}

}  // namespace

base::Result<Described> read_hlo(const Reading& reading) {
  Scanner scanner(reading.text);
  (void)scanner.take("sharding=");
  TESSERA_TRY_STATUS(scanner.expect("{"));
  const bool is_tuple = scanner.sees("{");
  if (is_tuple) {
    TESSERA_TRY_STATUS(go_to_leaf(scanner, reading));
    TESSERA_TRY_STATUS(scanner.expect("{"));
  }
  TESSERA_TRY(result, read_one(scanner));
  if (!is_tuple) {
    TESSERA_TRY_STATUS(scanner.expect_end());
  }
  return result;
}

}  // namespace tessera::interop
