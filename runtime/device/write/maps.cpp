#include "runtime/device/write/maps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/text/fault.hpp"
#include "runtime/device/write/access.hpp"
#include "runtime/device/write/expressions.hpp"
#include "runtime/device/write/table.hpp"
#include "runtime/kernels/nest.hpp"

namespace tessera::device {

namespace {

using runtime::TileView;

constexpr std::int64_t kThreads = 256;  // as in text/map_chain.hpp
// Positions in a row of the table are less: a kernel counts them in 32 bits.
constexpr std::int64_t kPieceMax = std::int64_t{1} << 30U;

// A part of a tile that is dense where the tile is: some indices of one dimension, one index of those before it.
struct Part {
  synth::Shape begin;
  synth::Shape shape;
};

std::vector<Part> parts_of(const synth::Shape& shape) {
  std::vector<Part> parts;
  if (runtime::is_empty(shape)) return parts;
  std::size_t cut = 0;
  std::int64_t behind = runtime::count(shape);
  for (; cut < shape.size() && behind / shape[cut] > kPieceMax; ++cut) behind /= shape[cut];
  if (runtime::count(shape) <= kPieceMax) return {{synth::Shape(shape.size(), std::int64_t{0}), shape}};
  const std::int64_t some = std::max<std::int64_t>(1, kPieceMax / (behind / shape[cut]));
  synth::Shape begin(shape.size(), std::int64_t{0});
  for (;;) {
    Part part{begin, shape};
    for (std::size_t d = 0; d < cut; ++d) part.shape[d] = 1;
    part.shape[cut] = std::min(some, shape[cut] - begin[cut]);
    parts.push_back(part);
    begin[cut] += some;
    std::size_t d = cut;
    for (; begin[d] >= shape[d]; --d) {
      if (d == 0) return parts;
      begin[d] = 0;
      ++begin[d - 1];
    }
  }
}

// What one row of the table is for.
struct Piece {
  std::size_t device = 0;
  std::int64_t first = 0;  // of its elements in the tile
  std::int64_t count = 0;
  std::vector<std::int64_t> addresses;  // of arrays and kept results, in the order of the values
  std::vector<Nest> nests;
};

class Maps {
 public:
  Maps(const runtime::Tiles& tiles, const Formula& formula, bool may_fail)
      : tiles_(tiles), formula_(formula), may_fail_(may_fail) {
    for (std::size_t v = 0; v < formula.values.size(); ++v) {
      const Value& value = formula.values[v];
      if (value.kind == Value::Kind::array || value.is_kept) slots_.push_back(v);
    }
    find_pieces();
    find_side();
    find_accesses();
  }

  const std::vector<Piece>& pieces() const { return pieces_; }

  KernelText text() const {
    const bool single = is_single(pieces_.size(), words_);
    std::vector<std::string> includes = {"runtime/device/text/map_chain.hpp", "runtime/device/text/groups.hpp",
                                         "runtime/elements/casts.hpp"};
    return {std::move(includes), fmt::format("MapChain<Chain, {}>", single), chain_text()};
  }

  base::Status launch(Launcher& launcher, kernel::Fault fault) const {
    ChainRows rows(words_);
    for (const Piece& piece : pieces_) {
      std::vector<std::int64_t> words = {piece.count};
      words.insert(words.end(), piece.addresses.begin(), piece.addresses.end());
      for (std::size_t k = 0; k < slots_.size(); ++k) append_words(words, accesses_[k], piece.nests[k]);
      const std::int64_t of_block = kThreads * side_ * rounds();
      rows.add(words, (piece.count + of_block - 1) / of_block);
    }
    return rows.launch(launcher, text(), std::as_bytes(std::span(&fault, 1)));
  }

 private:
  bool is_array(std::size_t slot) const { return value(slot).kind == Value::Kind::array; }
  const Value& value(std::size_t slot) const { return formula_.values[slots_[slot]]; }

  synth::RegisterId shaped() const {
    const auto computed = std::find_if(formula_.values.begin(), formula_.values.end(),
                                       [](const Value& value) { return value.kind != Value::Kind::array; });
    return computed->id;
  }

  void find_pieces() {
    const runtime::Block mine = tiles_.block(shaped());
    for (std::int64_t d = mine.begin; d < mine.end; ++d) {
      const auto device = static_cast<std::size_t>(d);
      const std::vector<Part> parts = parts_of(shape_on(tiles_, shaped(), device));
      std::int64_t first = 0;
      for (std::size_t part = 0; part < parts.size(); ++part) {
        Piece piece{device, first, runtime::count(parts[part].shape), {}, {}};
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) add_array(piece, slot, part);
        first += piece.count;
        pieces_.push_back(std::move(piece));
      }
    }
  }

  // An array's part, or a result's.
  void add_array(Piece& piece, std::size_t slot, std::size_t part) const {
    const Value& value = this->value(slot);
    const synth::RegisterId seen_as = is_array(slot) ? value.seen_as : value.id;
    const synth::Shape shape = shape_on(tiles_, seen_as, piece.device);
    TileView view;
    if (is_array(slot)) {
      view = tiles_.view(value.id, piece.device);
      view.strides = runtime::broadcast_strides(view, shape);
      view.shape = shape;
    } else {
      view = tiles_.view(value.id, piece.device);
    }
    const Part own = parts_of(shape)[part];
    view = runtime::part_of(view, own.begin, own.shape);
    piece.addresses.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data)));
    piece.nests.push_back(nest_of(view.shape, view.strides));
  }

  // Sixteen bytes of the largest elements.
  void find_side() {
    std::int64_t bytes = 1;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      const bool is_long = std::any_of(pieces_.begin(), pieces_.end(),
                                       [&](const Piece& piece) { return !piece.nests[slot].extents.empty(); });
      if (is_long || !is_array(slot)) bytes = std::max(bytes, synth::bytes_of(value(slot).element));
    }
    side_ = std::min<std::int64_t>(8, 16 / bytes);
    const bool fits =
        std::all_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.count % side_ == 0; });
    if (!fits) side_ = 1;
  }

  void find_accesses() {
    words_ = 2 + static_cast<int>(slots_.size());
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      Access access;
      for (const Piece& piece : pieces_) {
        Access own = access_of(piece.nests[slot], side_);
        own.is_aligned =
            are_aligned(piece.nests[slot], piece.addresses[slot], synth::bytes_of(value(slot).element), side_);
        access = &piece == pieces_.data() ? own : joined(access, own);
      }
      access.word = words_;
      words_ += access.words();
      accesses_.push_back(access);
    }
  }

  // So many groups of a thread that about 64 bytes of each thread's come from memory at once.
  std::int64_t rounds() const {
    std::int64_t bytes = 0;
    int weight = 0;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (is_array(slot) && accesses_[slot].rank == 1) bytes += side_ * synth::bytes_of(value(slot).element);
    }
    for (const Value& value : formula_.values) weight += weight_of(value);
    const std::int64_t most = weight > 100 ? 1 : (side_ == 1 ? 8 : 4);
    return std::clamp<std::int64_t>(64 / std::max<std::int64_t>(bytes, 1), 1, most);
  }

  std::string chain_text() const {
    std::string members;
    std::string reads;
    std::string computes;
    std::string outs;
    std::string stores;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      const std::string_view type = type_text(value(slot).element);
      const Group group{type, side_, fmt::format("row.address({})", slot + 2)};
      const std::size_t v = slots_[slot];
      if (is_array(slot)) {
        members += fmt::format("    Several<{}, {}> v{};\n", type, side_, v);
        reads += fmt::format("    in.v{} = {};\n", v, load_text(accesses_[slot], group, "p", ""));
      } else {
        outs += fmt::format("    Several<{}, {}> out{};\n", type, side_, v);
        stores += fmt::format("    {}\n", store(accesses_[slot], group, fmt::format("out{}", v)));
      }
    }
    for (std::size_t v = 0; v < formula_.values.size(); ++v) computes += value_text(v);
    return fmt::format(R"(
namespace tessera::kernel {{
using namespace runtime;
struct Chain {{
  static constexpr int kWords = {};
  static constexpr int kSide = {};
  static constexpr int kRounds = {};
  static constexpr bool kMayFail = {};
  struct In {{
{}  }};
  static void read(const TableRow& row, std::uint32_t p, In& in) {{
{}  }}
  static void write(const TableRow& row, std::uint32_t p, const In& in, const Fault& fault) {{
{}    TESSERA_UNROLL
    for (int k = 0; k < kSide; ++k) {{
{}    }}
{}  }}
}};
}}  // namespace tessera::kernel
)",
                       words_, side_, rounds(), may_fail_, members, reads, outs, computes, stores);
  }

  std::string store(const Access& access, const Group& group, const std::string& value) const {
    if (!access.is_plain()) return store_text(access, group, "p", value);
    return store_text(access.is_aligned || side_ == 1, group, "p", "", value);
  }

  std::string value_text(std::size_t v) const {
    const Value& value = formula_.values[v];
    const std::string_view type = type_text(value.element);
    if (value.kind == Value::Kind::array) return fmt::format("      const {} v{} = in.v{}[k];\n", type, v, v);
    std::vector<std::string> names;
    for (const std::size_t operand : value.operands) names.push_back(fmt::format("v{}", operand));
    std::string text;
    if (may_fail_) {
      text += fmt::format("      if (v{} {}) fail(fault, row.number, p + k);\n", value.operands[1],
                          value.op == synth::MapOp::power ? "< 0" : "== 0");
    }
    text += fmt::format("      const {} v{} = {};\n", type, v, expression(formula_, value, names));
    if (value.is_kept) text += fmt::format("      out{}[k] = v{};\n", v, v);
    return text;
  }

  const runtime::Tiles& tiles_;
  const Formula& formula_;
  bool may_fail_;
  std::vector<std::size_t> slots_;  // values that lie in memory
  std::vector<Piece> pieces_;
  std::vector<Access> accesses_;  // of the slots
  std::int64_t side_ = 1;
  int words_ = 0;
};

}  // namespace

base::Status run_maps(Launcher& launcher, const runtime::Tiles& tiles, const Formula& formula,
                      const ElementReport& report) {
  const Maps maps(tiles, formula, report != nullptr);
  if (maps.pieces().empty()) return base::Done{};
  kernel::Fault fault;
  if (report != nullptr) {
    const auto say = [report, pieces = maps.pieces()](std::int64_t row, std::int64_t position, std::int64_t) {
      const Piece& piece = pieces[static_cast<std::size_t>(row)];
      return report(piece.device, piece.first + position);
    };
    const FaultPlace place = launcher.fault(say);
    fault = {place.word, place.launch};
  }
  return maps.launch(launcher, fault);
}

}  // namespace tessera::device
