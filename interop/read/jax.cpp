// JAX's: `P(('y', 'x'), None, unreduced={'z'})`, `NamedSharding(mesh=Mesh('x': 4), spec=P('x'))`,
// `float32[8@(y,x),2]{U:z}`.
#include <fmt/format.h>

#include "interop/kinds.hpp"
#include "interop/read/parts.hpp"

namespace tessera::interop {

namespace {

base::Result<Digit> use_name(Scanner& scanner, AxisUses& uses) {
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  const auto name = scanner.quoted();
  if (!name) return scanner.wrong("None, the name of an axis in quotes, or a tuple of names is wanted here");
  return uses.use(scanner, begin, *name);
}

// Reads names up to `closing`; a comma may follow the last.
base::Result<Digits> use_names(Scanner& scanner, AxisUses& uses, std::string_view closing) {
  Digits digits;
  while (!scanner.take(closing)) {
    TESSERA_TRY(digit, use_name(scanner, uses));
    digits.push_back(digit);
    if (scanner.take(",")) continue;
    TESSERA_TRY_STATUS(scanner.expect(closing));
    break;
  }
  return digits;
}

base::Result<Digits> read_entry(Scanner& scanner, AxisUses& uses) {
  if (scanner.take("None")) return Digits{};
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  if (scanner.take("UNCONSTRAINED") || scanner.take("P.UNCONSTRAINED") || scanner.take("PartitionSpec.UNCONSTRAINED"))
    return scanner.unsupported(begin, "`UNCONSTRAINED`", "XLA chooses what splits the dimension");
  if (scanner.take("(")) return use_names(scanner, uses, ")");
  if (scanner.take("[")) return use_names(scanner, uses, "]");
  TESSERA_TRY(digit, use_name(scanner, uses));
  return Digits{digit};
}

// Reads `unreduced={'y'}`, also as `frozenset({'y'})`; `reduced` says nothing about places.
base::Result<bool> read_axis_set(Scanner& scanner, AxisUses& uses, Described& into) {
  const bool unreduced = scanner.take("unreduced");
  if (!unreduced && !scanner.take("reduced")) return false;
  TESSERA_TRY_STATUS(scanner.expect("="));
  const bool wrapped = scanner.take("frozenset(") || scanner.take("set(");
  AxisUses aside(uses.axes());
  Digits digits;
  if (scanner.take("{")) {
    TESSERA_TRY(read, use_names(scanner, unreduced ? uses : aside, "}"));
    digits = std::move(read);
  } else if (!wrapped) {
    return scanner.wrong("a set of names in braces is wanted here");
  }
  if (wrapped) {
    TESSERA_TRY_STATUS(scanner.expect(")"));
  }
  if (unreduced) into.pending = std::move(digits);
  return true;
}

// Reads a spec after `P(`.
base::Status read_entries(Scanner& scanner, AxisUses& uses, Described& into) {
  into.is_open = true;
  while (!scanner.take(")")) {
    TESSERA_TRY(was_set, read_axis_set(scanner, uses, into));
    if (!was_set) {
      TESSERA_TRY(digits, read_entry(scanner, uses));
      into.splits.push_back(std::move(digits));
      if (into.splits.size() > synth::kRankMax) return scanner.wrong("an array has at most 16 dimensions");
    }
    if (scanner.take(",")) continue;
    TESSERA_TRY_STATUS(scanner.expect(")"));
    break;
  }
  return base::Done{};
}

base::Status expect_spec(Scanner& scanner) {
  if (scanner.take("PartitionSpec") || scanner.take("P")) return scanner.expect("(");
  return scanner.wrong("P(..), NamedSharding(..) or a type such as float32[8@x] is wanted here");
}

// Reads `mesh=Mesh('x': 4), spec=P('x'), ..)` after `NamedSharding(`.
base::Result<Described> read_named_sharding(Scanner& scanner) {
  (void)scanner.take("mesh=");
  if (!scanner.take("Mesh(") && !scanner.take("AbstractMesh(") && !scanner.take("{"))
    return scanner.wrong("a mesh is wanted here: Mesh('x': 4, 'y': 2)");
  const bool braces = scanner.text().text[scanner.offset() - 1] == '{';
  TESSERA_TRY(axes, read_axis_sizes(scanner, braces ? "}" : ")"));
  AxisUses uses(std::move(axes));
  Described result = uses.begin(scanner);
  TESSERA_TRY_STATUS(scanner.expect(","));
  (void)scanner.take("spec=");
  TESSERA_TRY_STATUS(expect_spec(scanner));
  TESSERA_TRY_STATUS(read_entries(scanner, uses, result));
  if (!scanner.skip_to_closing()) return scanner.wrong("a `)` is missing");
  TESSERA_TRY_STATUS(scanner.expect_end());
  return result;
}

base::Result<Digit> use_bare(Scanner& scanner, AxisUses& uses) {
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  const std::string_view name = scanner.name();
  if (name.empty()) return scanner.wrong("the name of an axis is wanted here");
  return uses.use(scanner, begin, name);
}

// Reads `x` or `(y,x)`.
base::Result<Digits> use_bare_list(Scanner& scanner, AxisUses& uses) {
  Digits digits;
  const bool several = scanner.take("(");
  do {
    TESSERA_TRY(digit, use_bare(scanner, uses));
    digits.push_back(digit);
  } while (several && scanner.take(","));
  if (several) {
    TESSERA_TRY_STATUS(scanner.expect(")"));
  }
  return digits;
}

// Reads `{V:x, U:(y,z), R:w}` after the brace.
base::Status read_states(Scanner& scanner, AxisUses& uses, Described& into) {
  do {
    scanner.sees("");
    const std::uint32_t begin = scanner.offset();
    const std::string_view state = scanner.name();
    TESSERA_TRY_STATUS(scanner.expect(":"));
    if (state == "V")
      return scanner.unsupported(begin, "a varying value", "it is one device's part of a shard_map, not an array");
    if (state != "U" && state != "R") return scanner.wrong_from(begin, "`U:` or `R:` is wanted here");
    AxisUses aside(uses.axes());
    TESSERA_TRY(digits, use_bare_list(scanner, state == "U" ? uses : aside));
    if (state == "U") into.pending = std::move(digits);
  } while (scanner.take(","));
  return scanner.expect("}");
}

// Reads `float32[8@(y,x),2]{U:z}`, which says the shape, too.
base::Result<Described> read_type(const Reading& reading) {
  Scanner scanner(reading.text);
  TESSERA_TRY(axes, axes_for(reading));
  AxisUses uses(std::move(axes));
  Described result = uses.begin(scanner);
  ShapeText shape;
  const std::string_view word = scanner.name();
  const auto element = foreign_element(word);
  if (!element)
    return scanner.unsupported(0, fmt::format("`{}`", word),
                               "arrays hold bool, i8 to i64, u8 to u32, f32, f64, f16, bf16, c64 or c128");
  shape.element = *element;
  if (scanner.take("<") && !scanner.skip_to_closing()) return scanner.wrong("a `>` is missing");
  const auto read_axes_of = [&]() -> base::Status {
    result.splits.emplace_back();
    if (!scanner.take("@")) return base::Done{};
    TESSERA_TRY(used, use_bare_list(scanner, uses));
    result.splits.back() = std::move(used);
    return base::Done{};
  };
  TESSERA_TRY_STATUS(read_extents(scanner, shape, read_axes_of));
  if (scanner.take("{")) {
    TESSERA_TRY_STATUS(read_states(scanner, uses, result));
  }
  TESSERA_TRY_STATUS(scanner.expect_end());
  result.shape = shape;
  return result;
}

// Does the text begin as a type does: a word and then a bracket?
bool is_type(const Reading& reading) {
  Scanner scanner(reading.text);
  return !scanner.name().empty() && (scanner.sees("[") || scanner.sees("<"));
}

}  // namespace

base::Result<Described> read_jax(const Reading& reading) {
  Scanner scanner(reading.text);
  if (scanner.take("NamedSharding(")) return read_named_sharding(scanner);
  if (is_type(reading)) return read_type(reading);
  TESSERA_TRY_STATUS(expect_spec(scanner));
  TESSERA_TRY(axes, axes_for(reading));
  AxisUses uses(std::move(axes));
  Described result = uses.begin(scanner);
  TESSERA_TRY_STATUS(read_entries(scanner, uses, result));
  TESSERA_TRY_STATUS(scanner.expect_end());
  return result;
}

}  // namespace tessera::interop
