// Layouts as other systems write them, and plans as programs that run there: docs/interop.md is their page.
//
//     const tessera::ForeignLayout written{.format = "jax", .text = "P(('y', 'x'), None)", .mesh = "x:4,y:2",
//                                          .shape = "f32[16,8]"};
//     auto read = tessera::read_layout(written);
//     std::cout << read->mesh << ' ' << read->type;  // x:4,y:2 f32[16@(y,x), 8]
//     auto plan = tessera::make_plan({.mesh = "x:4", .from = "f32[8@x,8]", .to = "f32[8,8@x]"});
//     std::cout << *tessera::emit(*plan, "jax");  // a Python module with a function `reshard`
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// A layout's text, and what such a text leaves out. Formats are `hlo`, `sdy`, `jax`, `dtensor`, `alpa`, and `tessera`
// for our own types.
struct ForeignLayout {
  std::string format = {};
  std::string text = {};
  std::string mesh = {};                  // `x:4,y:2`, or as any of the systems writes its mesh
  std::string shape = {};                 // `f32[16,16]`
  std::int64_t devices = 0;               // how many there are, where neither text nor mesh says it
  std::int64_t bytes = 0;                 // of an element: any of our types of that width will do
  std::optional<std::int64_t> leaf = {};  // which sharding of a tuple
};

// The same layout as one of our types.
struct ReadLayout {
  std::string mesh;  // `a:4,b:2`; the text's own names, where it has any
  std::string type;  // `f32[16@b, 16, 16@a]`
  std::int64_t devices = 1;
  std::vector<std::string> notes = {};  // what the text said besides, and why it was dropped
};

struct WrittenLayout {
  std::string text;
  std::string mesh = {};  // where the format writes it apart
};

// Fails with `interop-syntax`, `interop-devices`, `interop-unsupported`, `interop-uneven` or `interop-no-mesh`; places
// are in texts named `text`, `mesh` and `shape`.
TESSERA_API Result<ReadLayout> read_layout(const ForeignLayout& layout);
// Both ends of a change of layout on one mesh. The array's shape may stand at either end.
TESSERA_API Result<std::pair<ReadLayout, ReadLayout>> read_layouts(const ForeignLayout& from, const ForeignLayout& to);
// A type of ours in another system's words; `interop-unwritable` where it has none for it.
TESSERA_API Result<WrittenLayout> write_layout(const std::string& mesh, const std::string& type,
                                               std::string_view format);
// `hlo sdy jax dtensor alpa tessera`.
TESSERA_API const std::vector<std::string>& layout_formats();

// A layout as one JSON object with the keys format, text, shape, mesh, devices, bytes and leaf. Keys that are missing
// are taken from `defaults`.
TESSERA_API Result<ForeignLayout> parse_layout_request(std::string_view json, const ForeignLayout& defaults = {});
// One line each: what was read, and what was written if anything; why there is nothing.
TESSERA_API std::string layout_json(const ReadLayout& layout,
                                    const std::optional<WrittenLayout>& written = std::nullopt);
TESSERA_API std::string layout_failure_json(const Diagnostics& why);

// The plan as a program for another system: `jax`, a Python module, or `mpi-c`, a C99 file (docs/interop.md).
// `emit-unsupported` where the system cannot do what the plan does, `bad-call` for an unknown target.
TESSERA_API Result<std::string> emit(const Plan& plan, std::string_view target);
// `jax mpi-c`.
TESSERA_API const std::vector<std::string>& emit_targets();

}  // namespace tessera
