#include "runtime/device/write/formula.hpp"

#include <algorithm>
#include <map>

#include "runtime/kernels/nest.hpp"
#include "runtime/memory/chains.hpp"

namespace tessera::device {

namespace {

using runtime::Tiles;
using synth::RegisterId;

// Elements of a row on every device.
using Lengths = std::vector<std::int64_t>;

class Builder {
 public:
  Builder(const Tiles& tiles, std::size_t lead, bool is_flat) : tiles_(tiles) {
    formula_.lead = lead;
    formula_.is_flat = is_flat;
  }

  void see_as(RegisterId view, RegisterId of) { view_of_[view] = of; }

  void add(const synth::Apply& apply, bool is_kept) {
    Value value;
    value.id = apply.results[0];
    value.element = tiles_.type(value.id).element();
    value.is_kept = is_kept;
    if (const auto* const map = std::get_if<synth::Map>(&apply.operation)) {
      value.kind = Value::Kind::map;
      value.op = map->op;
      for (const RegisterId id : apply.operands) value.operands.push_back(operand(id, value.id));
    } else {
      const auto& reduce = std::get<synth::Reduce>(apply.operation);
      value.kind = Value::Kind::reduce;
      value.how = reduce.kind;
      value.operands.push_back(operand(apply.operands[0], apply.operands[0]));
      reduces_last_ = reduces_last_ && reduce.dimensions.back() + 1U == tiles_.type(apply.operands[0]).rank();
    }
    made_[value.id] = formula_.values.size();
    formula_.values.push_back(std::move(value));
  }

  std::optional<Formula> finish() {
    if (!sort_by_rows()) return std::nullopt;
    find_levels();
    return std::move(formula_);
  }

 private:
  std::size_t operand(RegisterId id, RegisterId seen_as) {
    RegisterId at_last = id;
    for (auto view = view_of_.find(id); view != view_of_.end(); view = view_of_.find(at_last)) at_last = view->second;
    if (const auto made = made_.find(at_last); made != made_.end()) return made->second;
    const auto same = std::find_if(formula_.values.begin(), formula_.values.end(), [&](const Value& value) {
      return value.kind == Value::Kind::array && value.id == id &&
             tiles_.type(value.seen_as).shape() == tiles_.type(seen_as).shape();
    });
    if (same != formula_.values.end()) return static_cast<std::size_t>(same - formula_.values.begin());
    Value value;
    value.id = id;
    value.seen_as = seen_as;
    value.element = tiles_.type(id).element();
    formula_.values.push_back(value);
    return formula_.values.size() - 1;
  }

  Lengths lengths(RegisterId id) const {
    Lengths all;
    const runtime::Block mine = tiles_.block(id);
    for (std::int64_t device = mine.begin; device < mine.end; ++device) {
      const synth::Shape shape = shape_on(tiles_, id, static_cast<std::size_t>(device));
      std::int64_t row = 1;
      for (std::size_t d = formula_.is_flat ? 0 : formula_.lead; d < shape.size(); ++d) row *= shape[d];
      all.push_back(row);
    }
    return all;
  }

  // Is an array, broadcast, the same for all elements of a row?
  bool is_alike_in_rows(const Value& array) const {
    const runtime::Block mine = tiles_.block(array.seen_as);
    for (std::int64_t device = mine.begin; device < mine.end; ++device) {
      const auto number = static_cast<std::size_t>(device);
      const synth::Shape shape = shape_on(tiles_, array.seen_as, number);
      const synth::Shape strides = runtime::broadcast_strides(tiles_.view(array.id, number), shape);
      for (std::size_t d = formula_.is_flat ? 0 : formula_.lead; d < shape.size(); ++d) {
        if (shape[d] != 1 && strides[d] != 0) return false;
      }
    }
    return true;
  }

  // Which values are of an element, which of a row? False where there is a third kind.
  bool sort_by_rows() {
    const auto is_one = [](std::int64_t n) { return n == 1; };
    Lengths longest;
    bool has_rows = false;  // or none where some device has no element: it gives what changes nothing
    for (const Value& value : formula_.values) {
      const Lengths own = lengths(value.kind == Value::Kind::array ? value.seen_as : value.id);
      if (longest.empty()) longest = own;
      if (own.size() != longest.size()) return false;
      has_rows = has_rows || !std::all_of(own.begin(), own.end(), is_one);
      for (std::size_t d = 0; d < own.size(); ++d) longest[d] = std::max(longest[d], own[d]);
    }
    bool reduces = false;
    for (Value& value : formula_.values) {
      if (!has_rows) {
        if (value.kind == Value::Kind::reduce) copy_instead(value);
        continue;
      }
      const Lengths own = lengths(value.kind == Value::Kind::array ? value.seen_as : value.id);
      const bool is_row = std::all_of(own.begin(), own.end(), is_one);
      if (!is_row && own != shortened(longest, own)) return false;
      value.is_side = !is_row;
      if (value.kind == Value::Kind::reduce && !formula_.values[value.operands[0]].is_side) copy_instead(value);
      if (value.kind == Value::Kind::reduce && value.is_side) return false;
      reduces = reduces || value.kind == Value::Kind::reduce;
    }
    if (reduces) {
      for (Value& value : formula_.values) {
        if (value.kind == Value::Kind::array && is_alike_in_rows(value)) value.is_side = false;
      }
      return reduces_last_ || formula_.is_flat;
    }
    for (Value& value : formula_.values) {
      if (value.kind != Value::Kind::array && has_rows && !value.is_side) return false;
      value.is_side = true;
    }
    return true;
  }

  // Empty rows may be longer than what nothing is computed of.
  static Lengths shortened(const Lengths& longest, const Lengths& own) {
    Lengths all = longest;
    for (std::size_t d = 0; d < all.size(); ++d) {
      if (own[d] == 0) all[d] = 0;
    }
    return all;
  }

  static void copy_instead(Value& value) {
    value.kind = Value::Kind::map;
    value.op = synth::MapOp::copy;
  }

  void find_levels() {
    for (Value& value : formula_.values) {
      for (const std::size_t operand : value.operands)
        value.level = std::max(value.level, formula_.values[operand].known_at());
      formula_.levels = std::max(formula_.levels, value.known_at());
    }
  }

  const Tiles& tiles_;
  Formula formula_;
  std::map<RegisterId, RegisterId> view_of_;
  std::map<RegisterId, std::size_t> made_;
  bool reduces_last_ = true;
};

}  // namespace

synth::Shape shape_on(const runtime::Tiles& tiles, synth::RegisterId id, std::size_t device) {
  return synth::shape_of(tiles.tiles(id).boxes[device]);
}

std::optional<Formula> formula_of(const runtime::ChainStep& chain) {
  const auto apply_of = [](const synth::Step& step) -> const synth::Apply& {
    return std::get<synth::Apply>(step.node);
  };
  const synth::Step* last = nullptr;
  for (const synth::Step& step : chain.steps) {
    if (runtime::is_computed(apply_of(step))) last = &step;
  }
  const bool is_flat = chain.lead == 0 && std::holds_alternative<synth::Reduce>(apply_of(*last).operation);
  Builder builder(chain.tiles, chain.lead, is_flat);
  for (const synth::Step& step : chain.steps) {
    const synth::Apply& apply = apply_of(step);
    if (std::holds_alternative<synth::Reshape>(apply.operation))
      builder.see_as(apply.results[0], apply.operands[0]);
    else if (runtime::is_computed(apply))
      builder.add(apply, chain.plan[apply.results[0]].where != runtime::RegisterPlan::Where::blocks);
  }
  return builder.finish();
}

Formula formula_of(const runtime::LocalStep& step, const synth::Map&) {
  Builder builder(step.tiles, step.tiles.type(step.apply.results[0]).rank(), false);
  builder.add(step.apply, true);
  return *builder.finish();
}

}  // namespace tessera::device
