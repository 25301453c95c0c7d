#include "runtime/device/write/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/text/row_chain.hpp"
#include "runtime/device/write/expressions.hpp"
#include "runtime/device/write/row_text.hpp"
#include "runtime/device/write/table.hpp"
#include "runtime/kernels/nest.hpp"

namespace tessera::device {

namespace {

using runtime::TileView;

// A device's rows.
struct DeviceRows {
  std::size_t device = 0;
  std::int64_t rows = 0;
  std::int64_t length = 0;  // of a row; of all rows together where they are pieces of one sequence
  std::vector<std::int64_t> addresses;
  std::vector<Nest> row_nests;
  std::vector<Nest> side_nests;
};

class Rows {
 public:
  Rows(const runtime::Tiles& tiles, const Formula& formula) : tiles_(tiles), formula_(formula), form_{formula, {}, {}} {
    for (std::size_t v = 0; v < formula.values.size(); ++v) {
      const Value& value = formula.values[v];
      if (value.kind == Value::Kind::array || value.is_kept) form_.slots.push_back({v, value.is_side, {}, {}});
    }
    find_shapes();
    form_.plan = plan_rows(formula, longest());
  }

  const RowPlan& plan() const { return form_.plan; }
  // A sequence without an element has no piece that could be joined to a result.
  bool has_no_piece() const {
    return formula_.is_flat &&
           std::any_of(devices_.begin(), devices_.end(), [](const DeviceRows& device) { return device.rows == 0; });
  }
  std::int64_t longest() const {
    std::int64_t most = 0;
    for (const DeviceRows& device : devices_) most = std::max(most, device.length);
    return formula_.is_flat ? kernel::kPiece : most;
  }

  base::Status run(Launcher& launcher) {
    std::vector<Address> pieces(devices_.size(), 0);
    if (formula_.is_flat) {
      for (std::size_t d = 0; d < devices_.size(); ++d) {
        TESSERA_TRY(room, launcher.scratch(piece_bytes() * (devices_[d].rows + pieces_of(devices_[d].rows))));
        pieces[d] = room;
      }
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) find_arrays(devices_[d], pieces[d]);
    find_accesses();
    TESSERA_TRY_STATUS(launch_rows(launcher));
    if (!formula_.is_flat || !last().is_kept) return base::Done{};
    for (std::size_t d = 0; d < devices_.size(); ++d) TESSERA_TRY_STATUS(join(launcher, devices_[d], pieces[d]));
    return base::Done{};
  }

 private:
  const Value& value(std::size_t slot) const { return formula_.values[form_.slots[slot].value]; }
  const Value& last() const { return formula_.values.back(); }
  std::int64_t piece_bytes() const { return synth::bytes_of(last().element); }
  // What JoinPieces leaves of so many.
  static std::int64_t pieces_of(std::int64_t count) {
    constexpr std::int64_t kJoined = kernel::JoinPieces<void, float>::kOfBlock;
    return std::max<std::int64_t>(1, (count + kJoined - 1) / kJoined);
  }
  std::size_t lead() const { return formula_.is_flat ? 0 : formula_.lead; }

  void find_shapes() {
    const auto side = std::find_if(formula_.values.begin(), formula_.values.end(), [](const Value& value) {
      return value.is_side && (value.kind != Value::Kind::array || value.seen_as == value.id);
    });
    const synth::RegisterId shaped = side->kind == Value::Kind::array ? side->seen_as : side->id;
    const runtime::Block mine = tiles_.block(shaped);
    for (std::int64_t d = mine.begin; d < mine.end; ++d) {
      DeviceRows device{static_cast<std::size_t>(d), 1, 1, {}, {}, {}};
      const synth::Shape shape = shape_on(tiles_, shaped, device.device);
      for (std::size_t dim = 0; dim < shape.size(); ++dim) (dim < lead() ? device.rows : device.length) *= shape[dim];
      if (formula_.is_flat) device.rows = (device.length + kernel::kPiece - 1) / kernel::kPiece;
      devices_.push_back(std::move(device));
    }
  }

  void find_arrays(DeviceRows& device, Address pieces) const {
    for (std::size_t slot = 0; slot < form_.slots.size(); ++slot) {
      const Value& value = this->value(slot);
      if (value.kind == Value::Kind::array)
        add_array(device, value);
      else
        add_result(device, value, pieces);
    }
  }
  void add_array(DeviceRows& device, const Value& value) const {
    const TileView view = tiles_.view(value.id, device.device);
    const synth::Shape shape = shape_on(tiles_, value.seen_as, device.device);
    const synth::Shape strides = runtime::broadcast_strides(view, shape);
    const auto extents = std::span(shape.begin(), shape.end());
    const auto steps = std::span(strides.begin(), strides.end());
    device.addresses.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data)));
    device.side_nests.push_back(nest_of(extents.subspan(lead()), steps.subspan(lead())));
    if (formula_.is_flat)
      device.row_nests.push_back(value.is_side ? Nest{{device.rows}, {kernel::kPiece}} : Nest{});
    else
      device.row_nests.push_back(nest_of(extents.first(lead()), steps.first(lead())));
  }
  void add_result(DeviceRows& device, const Value& value, Address pieces) const {
    const bool is_piece = formula_.is_flat && &value == &last();
    const auto data = reinterpret_cast<std::uintptr_t>(is_piece ? nullptr : tiles_.out(value.id, device.device).data);
    device.addresses.push_back(static_cast<std::int64_t>(is_piece ? pieces : data));
    device.side_nests.push_back(value.is_side ? Nest{{device.length}, {1}} : Nest{});
    const std::int64_t step = value.is_side ? (formula_.is_flat ? kernel::kPiece : device.length) : 1;
    device.row_nests.push_back(Nest{{device.rows}, {step}});
  }

  void find_accesses() {
    form_.words = 3 + static_cast<int>(form_.slots.size());
    form_.is_whole = std::all_of(devices_.begin(), devices_.end(),
                                 [](const DeviceRows& device) { return device.length % kernel::kReduceLanes == 0; });
    for (std::size_t slot = 0; slot < form_.slots.size(); ++slot) {
      bool is_first = true;
      for (const DeviceRows& device : devices_) {
        if (device.rows == 0) continue;
        add_accesses(form_.slots[slot], device, slot, is_first);
        is_first = false;
      }
      RowSlot& own = form_.slots[slot];
      own.row.word = form_.words;
      own.side.word = form_.words + own.row.words();
      form_.words += own.row.words() + own.side.words();
    }
    form_.is_single = is_single(launched(), form_.words);
  }
  void add_accesses(RowSlot& slot, const DeviceRows& device, std::size_t number, bool is_first) const {
    const std::int64_t bytes = synth::bytes_of(value(number).element);
    const std::int64_t side = form_.plan.side;
    const Nest& rows = device.row_nests[number];
    const Access row = access_of(rows, 1);
    Access own = access_of(device.side_nests[number], side);
    own.is_aligned = are_aligned(device.side_nests[number], device.addresses[number], bytes, side);
    for (std::size_t d = 0; d < rows.strides.size(); ++d) {
      if (rows.extents[d] > 1 && rows.strides[d] * bytes % std::min<std::int64_t>(16, bytes * side) != 0)
        own.is_aligned = false;
    }
    slot.row = is_first ? row : joined(slot.row, row);
    slot.side = is_first ? own : joined(slot.side, own);
  }
  std::size_t launched() const {
    return static_cast<std::size_t>(
        std::count_if(devices_.begin(), devices_.end(), [](const DeviceRows& device) { return device.rows > 0; }));
  }

  base::Status launch_rows(Launcher& launcher) const {
    ChainRows table(form_.words);
    const std::int64_t at_once = form_.plan.threads / form_.plan.of_row;
    for (const DeviceRows& device : devices_) {
      if (device.rows == 0) continue;
      std::vector<std::int64_t> words = {device.rows, device.length};
      words.insert(words.end(), device.addresses.begin(), device.addresses.end());
      for (std::size_t slot = 0; slot < form_.slots.size(); ++slot) {
        append_words(words, form_.slots[slot].row, device.row_nests[slot]);
        append_words(words, form_.slots[slot].side, device.side_nests[slot]);
      }
      table.add(words, (device.rows + at_once - 1) / at_once);
    }
    if (launched() == 0) return base::Done{};
    return table.launch(launcher, text_of(form_));
  }

  // Until one value is left, which is the result.
  base::Status join(Launcher& launcher, const DeviceRows& device, Address pieces) const {
    struct Args {
      std::uint64_t from, to;
      std::int64_t count;
    };
    const KernelText text{{"runtime/device/text/row_chain.hpp"},
                          fmt::format("JoinPieces<{}, {}>", combine_text(last()), type_text(last().element)),
                          "namespace tessera::kernel { using namespace runtime; }"};
    const auto out = reinterpret_cast<std::uintptr_t>(tiles_.out(last().id, device.device).data);
    Address from = pieces;
    Address to = pieces + static_cast<Address>(device.rows * piece_bytes());
    for (std::int64_t count = device.rows;;) {
      const std::int64_t left = pieces_of(count);
      if (left == 1) to = out;
      TESSERA_TRY_STATUS(device::launch(launcher, text, left, Args{from, to, count}));
      if (left == 1) return base::Done{};
      std::swap(from, to);
      count = left;
    }
  }

  const runtime::Tiles& tiles_;
  const Formula& formula_;
  RowForm form_;
  std::vector<DeviceRows> devices_;
};

}  // namespace

bool can_run_rows(const runtime::Tiles& tiles, const Formula& formula) {
  constexpr std::int64_t kSharedMax = 48 * 1024;
  const Rows rows(tiles, formula);
  return !rows.has_no_piece() && rows.longest() <= kernel::kReduceBlock * kernel::kBlocksMax &&
         shared_bytes(formula, rows.plan()) <= kSharedMax;
}

base::Status run_rows(Launcher& launcher, const runtime::Tiles& tiles, const Formula& formula) {
  return Rows(tiles, formula).run(launcher);
}

}  // namespace tessera::device
