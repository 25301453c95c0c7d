#include "tests/synth/support.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "synth/moves/collective/moves.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/planner/text/print_text.hpp"

namespace tessera::synth::test {

namespace {

template <class T>
T must(base::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.errors()[0].message);
  return std::move(*result);
}

// The axis, evenly and by each of its cuts.
std::vector<AxisPart> all_cuts(const Mesh& on, std::size_t axis) {
  std::vector<AxisPart> all{whole_axis(on, axis)};
  for (const NamedCut& cut : on.axes()[axis].cuts) all.push_back(*named_cut(on, axis, cut.name));
  return all;
}

// All ways to give each axis from `axis` on to a dimension (at any place of its list, in each of its cuts) or to
// nobody.
void add_layouts(const Mesh& on, std::size_t axis, std::vector<AxisList>& splits, std::vector<Layout>& out) {
  if (axis == on.axes().size()) {
    out.push_back(must(Layout::make(on, splits)));
    return;
  }
  add_layouts(on, axis + 1, splits, out);
  for (AxisList& split : splits) {
    for (std::size_t at = 0; at <= split.size(); ++at) {
      for (const AxisPart& part : all_cuts(on, axis)) {
        split.insert(split.begin() + static_cast<std::ptrdiff_t>(at), part);
        add_layouts(on, axis + 1, splits, out);
        split.erase(split.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
}

std::vector<std::size_t> element_numbers(const ArrayType& type, const Box& box) {
  std::vector<std::size_t> numbers{0};
  for (std::size_t d = 0; d < box.size(); ++d) {
    std::vector<std::size_t> finer;
    for (const std::size_t number : numbers) {
      for (std::int64_t i = box[d].begin; i < box[d].end; ++i) {
        finer.push_back(number * static_cast<std::size_t>(type.shape()[d]) + static_cast<std::size_t>(i));
      }
    }
    numbers = std::move(finer);
  }
  return numbers;
}

Data nothing(const ArrayType& type) {
  return Data(static_cast<std::size_t>(type.devices()), DeviceData(static_cast<std::size_t>(elements(type.shape()))));
}

std::int64_t combine(ReduceOp reduce, std::int64_t a, std::int64_t b) {
  switch (reduce) {
    case ReduceOp::sum: return a + b;
    case ReduceOp::max: return std::max(a, b);
    case ReduceOp::min: return std::min(a, b);
    case ReduceOp::product: return a * b;
  }
  return 0;
}

std::int64_t identity(ReduceOp reduce) {
  switch (reduce) {
    case ReduceOp::sum: return 0;
    case ReduceOp::max: return std::numeric_limits<std::int64_t>::min();
    case ReduceOp::min: return std::numeric_limits<std::int64_t>::max();
    case ReduceOp::product: return 1;
  }
  return 0;
}

void put(Data& data, std::int64_t device, std::size_t element, std::int64_t value) {
  auto& slot = data[static_cast<std::size_t>(device)][element];
  ASSERT_FALSE(slot.has_value()) << "element " << element << " reaches device " << device << " twice";
  slot = value;
}

void run_copies(const ArrayType& before, const ArrayType& after, const Data& data, Data& out) {
  for (const BoxCopy& copy : copies(before, after)) {
    for (const std::size_t element : element_numbers(after, copy.box)) {
      const auto value = data[static_cast<std::size_t>(copy.source)][element];
      ASSERT_TRUE(value.has_value()) << "device " << copy.source << " sends what it does not hold";
      put(out, copy.target, element, *value);
    }
  }
}

// The number of a device of the run within a mesh; -1 if it is not there.
std::int64_t number_on(const ArrayType& type, std::int32_t device) {
  return type.mesh().number_of(DeviceId{static_cast<std::uint32_t>(device)}).value_or(-1);
}

// Slot by slot; what is sent in a slot arrives when all of it has been read.
void run_relay(const RelayRecipe& recipe, const ArrayType& before, const ArrayType& after, const Data& data,
               Data& out) {
  const auto transfer = transfer_of(relay_tasks(before, after), recipe);
  ASSERT_TRUE(transfer.has_value());
  for (std::int64_t device = 0; device < after.devices(); ++device) {
    const auto own = before.mesh().number_of(after.mesh().device_of_run(device));
    if (!own) continue;
    for (const std::size_t element : element_numbers(after, intersect(tile(before, *own), tile(after, device))))
      put(out, device, element, *data[static_cast<std::size_t>(*own)][element]);
  }
  struct Arrival {
    std::int64_t device;
    std::size_t element;
    std::int64_t value;
  };
  for (std::int64_t slot = 0; slot < transfer->slots(); ++slot) {
    std::vector<Arrival> arrivals;
    for (const Send& send : transfer->sends) {
      const std::int64_t stretch = slot - send.hop;
      if (stretch < 0 || stretch >= transfer->stretches) continue;
      const Box& piece = transfer->pieces[static_cast<std::size_t>(send.piece)];
      const std::int64_t from = number_on(send.hop == 0 ? before : after, send.from);
      const std::int64_t to = number_on(after, send.to);
      for (const std::size_t element : element_numbers(after, stretch_of(piece, transfer->stretches, stretch))) {
        ASSERT_GE(from, 0) << "device " << send.from << " has no part in this";
        const auto value = (send.hop == 0 ? data : out)[static_cast<std::size_t>(from)][element];
        ASSERT_TRUE(value.has_value()) << "device " << send.from << " sends what it does not have yet";
        arrivals.push_back({to, element, *value});
      }
    }
    for (const auto& [device, element, value] : arrivals) put(out, device, element, value);
  }
}

// Send by send: all that is sent at a hop is read before any of it arrives.
void run_program(const ProgrammedReduction& reduction, const ArrayType& before, const ArrayType& after,
                 const Data& data, Data& out) {
  Data now = data;
  Data came = nothing(before);  // at a hop
  const std::vector<BoxSend> sends = reduction.sends();
  for (std::int32_t hop = 0; hop < std::ssize(reduction.moves().hops); ++hop) {
    for (const BoxSend& send : sends) {
      if (send.hop != hop) continue;
      const auto source = static_cast<std::size_t>(number_on(before, send.source));
      const auto target = static_cast<std::size_t>(number_on(after, send.target));
      for (const std::size_t element : element_numbers(after, send.box)) {
        const auto value = now[source][element];
        ASSERT_TRUE(value.has_value()) << "device " << send.source << " sends what it does not have";
        auto& slot = came[target][element];
        slot = slot ? combine(before.layout().reduce(), *slot, *value) : *value;
      }
    }
    for (const BoxSend& send : sends) {
      if (send.hop != hop) continue;
      const auto target = static_cast<std::size_t>(number_on(after, send.target));
      for (const std::size_t element : element_numbers(after, send.box)) {
        if (auto& slot = came[target][element]) now[target][element] = std::exchange(slot, std::nullopt);
      }
    }
  }
  for (std::int32_t device = 0; device < after.devices(); ++device) {
    for (const std::size_t element : element_numbers(after, tile(after, device)))
      put(out, device, element, now[static_cast<std::size_t>(device)][element].value_or(-1));
  }
}

void run_reductions(const ArrayType& before, const ArrayType& after, const Data& data, Data& out) {
  for (const BoxReduction& reduction : reductions(before, after)) {
    for (const std::size_t element : element_numbers(after, reduction.box)) {
      std::int64_t sum = identity(before.layout().reduce());
      for (const std::int32_t source : *reduction.contributors) {
        const auto value = data[static_cast<std::size_t>(source)][element];
        ASSERT_TRUE(value.has_value()) << "device " << source << " adds what it does not hold";
        sum = combine(before.layout().reduce(), sum, *value);
      }
      put(out, reduction.target, element, sum);
    }
  }
}

void run_keep(const Keep& step, const ArrayType& before, const ArrayType& after, const Data& data, Data& out) {
  for (std::int64_t device = 0; device < before.devices(); ++device) {
    const bool keeps = step.from || keeps_value(before, step.axes, device);
    const std::vector<std::size_t> own = element_numbers(before, tile(before, device));
    for (const std::size_t element : element_numbers(after, tile(after, device))) {
      const bool is_own = std::binary_search(own.begin(), own.end(), element);
      const auto value = data[static_cast<std::size_t>(device)][element];
      ASSERT_TRUE(value.has_value() || !is_own);
      put(out, device, element, keeps && is_own ? *value : identity(step.reduce));
    }
  }
}

}  // namespace

MeshRef mesh(std::string_view text) { return must(parse_mesh(text)); }
ArrayType type(std::string_view text, const MeshRef& on) { return must(parse_array_type(text, on)); }
ArrayType type(std::string_view text, std::string_view on) { return type(text, mesh(on)); }

std::vector<Layout> all_layouts(const Mesh& on, std::size_t rank) {
  std::vector<Layout> all;
  std::vector<AxisList> splits(rank);
  add_layouts(on, 0, splits, all);
  return all;
}

std::vector<Layout> all_pending_layouts(const Mesh& on, std::size_t rank, ReduceOp reduce) {
  std::vector<Layout> all;
  for (const Layout& layout : all_layouts(on, rank)) {
    for (std::size_t set = 0; set < (std::size_t{1} << on.axes().size()); ++set) {
      AxisList pending;
      for (std::size_t axis = 0; axis < on.axes().size(); ++axis) {
        if ((set >> axis & 1U) != 0) pending.push_back(whole_axis(on, axis));
      }
      const auto with = Layout::make(on, layout.splits(), pending, reduce);
      if (with.ok()) all.push_back(*with);
    }
  }
  return all;
}

Data filled(const ArrayType& type) {
  Data data = nothing(type);
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    const std::int64_t part = position(type.mesh(), type.layout().pending(), device);
    for (const std::size_t element : element_numbers(type, tile(type, device))) {
      put(data, device, element, (static_cast<std::int64_t>(element) + 1) * 1000 + (part * part * 7 + part * 3) % 101);
    }
  }
  return data;
}

Data run_step(const Collective& step, const ArrayType& before, const ArrayType& after, const Data& data) {
  Data out = nothing(after);
  if (const auto* keep = std::get_if<Keep>(&step.effect)) {
    run_keep(*keep, before, after, data, out);
  } else if (movement(step) != Movement::sums) {
    if (const RelayRecipe* relay = relay_of(step))
      run_relay(*relay, before, after, data, out);
    else
      run_copies(before, after, data, out);
  } else if (const auto programmed = ProgrammedReduction::of(step, before, after)) {
    run_program(*programmed, before, after, data, out);
  } else {
    run_reductions(before, after, data, out);
  }
  return out;
}

std::int64_t round_of(const ArrayType& from, const ArrayType& to, std::size_t dimension, std::int64_t count,
                      std::int64_t coordinate) {
  Interval piece{0, to.shape()[dimension]};
  for (const ArrayType* type : {&from, &to}) {
    for (std::int64_t device = 0; device < type->devices(); ++device) {
      const Interval tile = tile_interval(*type, dimension, device);
      for (const std::int64_t end : {tile.begin, tile.end}) {
        if (end <= coordinate) piece.begin = std::max(piece.begin, end);
        if (end > coordinate) piece.end = std::min(piece.end, end);
      }
    }
  }
  std::int64_t round = 0;
  while (piece.length() * (round + 1) / count <= coordinate - piece.begin) ++round;
  return round;
}

namespace {

std::int64_t coordinate_of(const ArrayType& type, std::size_t element, std::size_t dimension) {
  auto number = static_cast<std::int64_t>(element);
  for (std::size_t d = type.rank(); d-- > dimension + 1;) number /= type.shape()[d];
  return number % type.shape()[dimension];
}

}  // namespace

std::int64_t most_held(const ArrayType& before, const Data& source, const ArrayType& after, const Data& target) {
  std::map<std::uint32_t, std::int64_t> held;  // by device of the run
  const auto add = [&](const ArrayType& type, const Data& data) {
    for (std::size_t device = 0; device < data.size(); ++device) {
      held[type.mesh().device_of_run(static_cast<std::int64_t>(device)).value] +=
          std::count_if(data[device].begin(), data[device].end(), [](const auto& slot) { return slot.has_value(); });
    }
  };
  add(before, source);
  add(after, target);
  std::int64_t most = 0;
  for (const auto& [device, count] : held) most = std::max(most, count * bytes_of(after.element()));
  return most;
}

std::int64_t run_round(const Collective& step, const ArrayType& before, Data& source, Data& target) {
  const ArrayType& after = *target_of(step);
  const auto [index, count, dimension] = *round_of(step);
  std::vector<bool> moved;  // by coordinate
  for (std::int64_t at = 0; at < after.shape()[dimension]; ++at) {
    moved.push_back(round_of(before, after, dimension, count, at) == index);
  }
  const auto moves = [&, d = dimension](std::size_t element) {
    return moved[static_cast<std::size_t>(coordinate_of(after, element, d))];
  };
  for (const BoxCopy& copy : copies(before, after)) {
    for (const std::size_t element : element_numbers(after, copy.box)) {
      if (!moves(element)) continue;
      const auto value = source[static_cast<std::size_t>(copy.source)][element];
      EXPECT_TRUE(value.has_value()) << "device " << copy.source << " sends what it does not hold any more";
      put(target, copy.target, element, value.value_or(-1));
    }
  }
  const std::int64_t most = most_held(before, source, after, target);
  for (DeviceData& data : source) {
    for (std::size_t element = 0; element < data.size(); ++element) {
      if (moves(element)) data[element].reset();
    }
  }
  return most;
}

std::vector<std::int64_t> resolved(const ArrayType& type, const Data& data) {
  const auto count = static_cast<std::size_t>(elements(type.shape()));
  const auto parts = static_cast<std::size_t>(shard_count(type.layout().pending()));
  std::vector<DeviceData> by_part(parts, DeviceData(count));
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    const auto part = static_cast<std::size_t>(position(type.mesh(), type.layout().pending(), device));
    for (const std::size_t element : element_numbers(type, tile(type, device))) {
      const auto value = data[static_cast<std::size_t>(device)][element];
      EXPECT_TRUE(value.has_value()) << "device " << device << " lacks element " << element;
      auto& known = by_part[part][element];
      if (!known) known = value;
      EXPECT_EQ(known, value) << "replicas of element " << element << " differ";
    }
  }
  std::vector<std::int64_t> whole(count, identity(type.layout().reduce()));
  for (const DeviceData& part : by_part) {
    for (std::size_t i = 0; i < count; ++i) whole[i] = combine(type.layout().reduce(), whole[i], part[i].value_or(-1));
  }
  return whole;
}

void expect_moves_data(const Plan& plan) {
  Data data = filled(plan.from);
  const std::vector<std::int64_t> wanted = resolved(plan.from, data);
  ArrayType before = plan.from;
  Data arrived;
  for (const PlanStep& step : plan.steps) {
    const Round* round = round_of(step.collective);
    if (round == nullptr) {
      data = run_step(step.collective, before, step.after, data);
      before = step.after;
      continue;
    }
    if (round->index == 0) arrived = nothing(step.after);
    EXPECT_EQ(run_round(step.collective, before, data, arrived), step.peak_bytes) << print_text(plan);
    if (round->index + 1 < round->count) continue;
    data = arrived;
    before = step.after;
  }
  EXPECT_EQ(resolved(plan.to, data), wanted) << print_text(plan);
}

RunMachine on_run(const Machine& machine) { return *machine_for(machine, 1); }

Plan planned(const ArrayType& from, const ArrayType& to, const PlanOptions& options, const Machine& machine) {
  return must(plan(from, to, machine, options));
}

std::string steps_of(const Plan& plan) {
  std::string names;
  for (const PlanStep& step : plan.steps) {
    names.append(names.empty() ? "" : ", ").append(std::string(name(step.collective)));
  }
  return names;
}

}  // namespace tessera::synth::test
