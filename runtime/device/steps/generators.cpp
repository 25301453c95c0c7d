#include "runtime/device/steps/generators.hpp"

#include <cstring>

#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/generate.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::device {

namespace {

kernel::GeneratedTile generated_row(const GeneratedPart& part) {
  kernel::GeneratedTile row;
  row.out = address_of(part.out.data);
  row.value = part.value;
  row.bits = part.bits;
  row.count = runtime::count(part.out.shape);
  if (part.place.box.empty()) {  // a scalar, or nobody asks for numbers
    row.numbers = walk_of<1>({row.count}, {synth::Shape{1}});
    return row;
  }
  const synth::Shape strides = runtime::dense_strides(part.place.shape);
  for (std::size_t d = 0; d < strides.size(); ++d) row.start += part.place.box[d].begin * strides[d];
  row.numbers = walk_of<1>(part.out.shape, {strides});
  return row;
}

// Elements of a block.
template <template <class> class Kernel>
std::int64_t block_elements(synth::ElementType element) {
  switch (synth::bytes_of(element)) {
    case 1: return Kernel<std::uint8_t>::kElements;
    case 2: return Kernel<std::uint16_t>::kElements;
    case 4: return Kernel<float>::kElements;
    default: return Kernel<double>::kElements;
  }
}

struct GeneratingKernel {
  std::string type;
  std::int64_t elements;
};
GeneratingKernel generating_kernel(Generated what, synth::ElementType element) {
  const std::string word = word_name(synth::bytes_of(element));
  const std::string type = type_name(element);
  switch (what) {
    case Generated::filled: return {"Fill<" + word + ">", block_elements<kernel::Fill>(element)};
    case Generated::counted: return {"Iota<" + type + ">", block_elements<kernel::Iota>(element)};
    case Generated::uniform: return {"Random<" + type + ">", block_elements<kernel::Random>(element)};
    case Generated::normal: return {"Normal<" + type + ">", block_elements<kernel::Normal>(element)};
    case Generated::copied: return {"Literal<" + word + ">", block_elements<kernel::Literal>(element)};
  }
  return {};
}

// Every device fills its own part. In a pending array the device at position 0 along the pending axes holds the value,
// the others what changes nothing. `make` gives the rest of a part that has the value.
template <class F>
base::Status generate_tiles(Launcher& launcher, const runtime::LocalStep& step, Generated what, const F& make) {
  const synth::RegisterId result = step.apply.results[0];
  const synth::ArrayType& type = step.tiles.type(result);
  const runtime::Block block = step.tiles.block(result);
  std::vector<GeneratedPart> with_value;
  std::vector<GeneratedPart> without;
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    GeneratedPart part{step.tiles.out(result, device), {type.shape(), step.tiles.tiles(result).boxes[device]}};
    if (synth::keeps_value(type, type.layout().pending(), d)) {
      make(device, part);
      with_value.push_back(part);
    } else {
      part.bits = identity_bits(type.layout().reduce(), type.element());
      without.push_back(part);
    }
  }
  TESSERA_TRY_STATUS(generate(launcher, Generated::filled, without));
  return generate(launcher, what, with_value);
}

// The operand is a scalar that every device has.
auto scalar_of(const runtime::LocalStep& step) {
  return [&step](std::size_t device, GeneratedPart& part) {
    part.value = address_of(step.tiles.view(step.apply.operands[0], device).data);
  };
}

}  // namespace

std::uint64_t identity_bits(synth::ReduceOp op, synth::ElementType element) {
  std::uint64_t bits = 0;
  synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    runtime::visit_combine<T>(runtime::kind_of(op), [&](auto how) {
      const T identity = decltype(how)::identity();
      std::memcpy(&bits, &identity, sizeof identity);
    });
  });
  return bits;
}

base::Status generate(Launcher& launcher, Generated what, const std::vector<GeneratedPart>& parts) {
  if (parts.empty()) return base::Done{};
  const GeneratingKernel kind = generating_kernel(what, parts[0].out.element);
  TileTable<kernel::GeneratedTile> table;
  for (const GeneratedPart& part : parts)
    table.add(generated_row(part), blocks_for(runtime::count(part.out.shape), kind.elements));
  return launch_tiles(launcher, {{"runtime/device/text/generate.hpp"}, kind.type, ""}, table,
                      kernel::Fill<std::uint32_t>::Args{});
}

base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Constant& operation) {
  const synth::Literal& literal = step.program.literals[operation.literal];
  const std::size_t bytes = literal.bytes.size();
  if (runtime::count(literal.shape) == 1) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, literal.bytes.data(), bytes);
    return generate_tiles(launcher, step, Generated::filled,
                          [&](std::size_t, GeneratedPart& part) { part.bits = bits; });
  }
  if (bytes == 0) return base::Done{};
  TESSERA_TRY(all, launcher.table(std::as_bytes(std::span(literal.bytes))));
  return generate_tiles(launcher, step, Generated::copied, [&](std::size_t, GeneratedPart& part) { part.value = all; });
}

base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Fill&) {
  return generate_tiles(launcher, step, Generated::filled, scalar_of(step));
}
base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Iota&) {
  return generate_tiles(launcher, step, Generated::counted, [](std::size_t, GeneratedPart&) {});
}
base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Random&) {
  return generate_tiles(launcher, step, Generated::uniform, scalar_of(step));
}
base::Status generate(Launcher& launcher, const runtime::LocalStep& step, const synth::Normal&) {
  return generate_tiles(launcher, step, Generated::normal, scalar_of(step));
}

}  // namespace tessera::device
