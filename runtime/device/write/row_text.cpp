#include "runtime/device/write/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/write/expressions.hpp"

namespace tessera::device {

namespace {

class RowText {
 public:
  explicit RowText(const RowForm& form) : form_(form), formula_(form.formula) {}

  std::string text() const {
    std::string levels;
    for (int level = 0; level <= formula_.levels; ++level) levels += lanes_text(level) + take_text(level);
    for (int level = 0; level < formula_.levels; ++level) levels += finish_text(level);
    return fmt::format(R"(
namespace tessera::kernel {{
using namespace runtime;
struct ChainForm {{
{}}};
struct Chain : ChainForm {{
{}{}{}}};
}}  // namespace tessera::kernel
)",
                       constants_text(), members_text(), levels, begin_text() + store_text());
  }

 private:
  const Value& value(std::size_t v) const { return formula_.values[v]; }
  std::string_view type(std::size_t v) const { return type_text(value(v).element); }
  bool is_reduced_at(std::size_t v, int level) const {
    return value(v).kind == Value::Kind::reduce && value(v).level == level;
  }
  template <class F>
  void for_reductions(int level, const F& f) const {
    for (std::size_t v = 0; v < formula_.values.size(); ++v) {
      if (is_reduced_at(v, level)) f(v);
    }
  }
  bool is_kept_on_the_way(std::size_t v) const { return form_.plan.keeps && form_.plan.kept.count(v) != 0; }

  std::string constants_text() const {
    const auto is_stored = [&](bool side) {
      return std::any_of(formula_.values.begin(), formula_.values.end(), [&](const Value& value) {
        return value.kind != Value::Kind::array && value.is_kept && value.is_side == side;
      });
    };
    return fmt::format(R"(  static constexpr int kWords = {};
  static constexpr int kSide = {};
  static constexpr int kThreads = {};
  static constexpr int kOfRow = {};
  static constexpr int kLevels = {};
  static constexpr int kSteps = {};
  static constexpr bool kKeeps = {};
  static constexpr bool kHasRest = {};
  static constexpr bool kIsFlat = {};
  static constexpr bool kStoresSide = {};
  static constexpr bool kStoresRow = {};
)",
                       form_.words, form_.plan.side, form_.plan.threads, form_.plan.of_row, formula_.levels,
                       form_.plan.steps, form_.plan.keeps, !form_.is_whole, formula_.is_flat, is_stored(true),
                       is_stored(false));
  }

  // Rows of the reductions of one level lie behind each other on the stage.
  std::int64_t rows_bytes(std::size_t v) const {
    const RowPlan& plan = form_.plan;
    const auto longest = static_cast<int>(plan.steps * plan.of_row * plan.side);
    return staged_bytes(value(v).element, longest) * (plan.threads / plan.of_row);
  }
  std::string totals_text(std::size_t v) const {
    if (!form_.plan.is_staged)
      return fmt::format("    Totals<{}, {}, ChainForm> v{};\n", combine_text(value(v)), type(v), v);
    std::int64_t begin = 0;
    for (std::size_t other = 0; other < v; ++other) {
      if (is_reduced_at(other, value(v).level)) begin += rows_bytes(other);
    }
    return fmt::format("    StagedTotals<{}, {}, ChainForm, {}> v{};\n", combine_text(value(v)), type(v), begin, v);
  }
  std::string stage_text() const {
    std::int64_t most = 0;
    for (int level = 0; level < formula_.levels; ++level) {
      std::int64_t bytes = 0;
      for_reductions(level, [&](std::size_t v) { bytes += rows_bytes(v); });
      most = std::max(most, bytes);
    }
    return fmt::format("    alignas(16) unsigned char stage[{}];\n", most);
  }

  std::string members_text() const {
    std::string shared = form_.plan.is_staged ? stage_text() : "";
    std::string rows;
    std::string kept;
    std::string bases;
    std::string places;
    for (std::size_t v = 0; v < formula_.values.size(); ++v) {
      if (value(v).kind == Value::Kind::reduce) shared += totals_text(v);
      if (!value(v).is_side) rows += fmt::format("    {} v{};\n", type(v), v);
      if (is_kept_on_the_way(v)) kept += fmt::format("    Several<{}, kSide> v{};\n", type(v), v);
    }
    for (std::size_t slot = 0; slot < form_.slots.size(); ++slot) {
      const std::size_t v = form_.slots[slot].value;
      bases += fmt::format("    std::uint64_t v{};\n", v);
      places += fmt::format("    bases.v{} = row.address({}) + static_cast<std::uint64_t>({}) * sizeof({});\n", v,
                            slot + 3, place_text(form_.slots[slot].row, "r"), type(v));
    }
    return fmt::format(R"(  struct Shared {{
{}  }};
  struct Row {{
{}  }};
  struct Kept {{
{}  }};
  struct Bases {{
{}  }};
  static void locate(const TableRow& row, std::uint32_t r, Bases& bases) {{
{}  }}
)",
                       shared, rows, kept, bases, places);
  }

  // What a level reduces.
  std::string lanes_text(int level) const {
    std::string members;
    std::string with;
    std::string each;
    std::string reduced;
    std::string fill;
    for_reductions(level, [&](std::size_t v) {
      const std::string how = combine_text(value(v));
      members += fmt::format("    Several<{}, kSide> v{};\n", type(v), v);
      with += fmt::format("      f({}{{}}, v{}, next.v{}, shared.v{});\n", how, v, v, v);
      each += fmt::format("      f(shared.v{});\n", v);
      reduced += fmt::format("      f({}{{}}, shared.v{});\n", how, v);
      fill += fmt::format("    for (int k = 0; k < kSide; ++k) all.v{}[k] = {}::identity();\n", v, how);
    });
    return fmt::format(R"(  struct Lanes{0} {{
{1}    template <class F>
    void with(const Lanes{0}& next, Shared& shared, const F& f) {{
{2}    }}
    template <class F>
    static void each(Shared& shared, const F& f) {{
{3}    }}
    template <class F>
    static void reduced(Shared& shared, const F& f) {{
{5}    }}
  }};
  static Lanes{0} lanes(Level<{0}>) {{
    Lanes{0} all;
{4}    return all;
  }}
)",
                       level, members, with, each, fill, reduced);
  }

  std::string operand_name(std::size_t v, bool in_row) const {
    return value(v).is_side && !in_row ? fmt::format("v{}[k]", v) : fmt::format("own.v{}", v);
  }
  std::string expression_of(std::size_t v, bool in_row) const {
    std::vector<std::string> names;
    for (const std::size_t operand : value(v).operands) names.push_back(operand_name(operand, in_row));
    return expression(formula_, value(v), names);
  }
  // A map of a group of elements.
  std::string group_text(std::size_t v) const {
    const std::size_t first = value(v).operands[0];
    if (value(v).op == synth::MapOp::exp && value(first).is_side) return fmt::format("exps(v{})", first);
    return fmt::format("made<{}, kSide>([&](int k) {{ return {}; }})", type(v), expression_of(v, false));
  }

  const RowSlot& slot_of(std::size_t v) const {
    return *std::find_if(form_.slots.begin(), form_.slots.end(), [&](const RowSlot& slot) { return slot.value == v; });
  }
  Group group_of(std::size_t v) const { return {type(v), form_.plan.side, fmt::format("bases.v{}", v)}; }

  // The elements of a group: what they are computed of, and where they go.
  std::string take_text(int level) const {
    const auto number = static_cast<std::size_t>(level);
    const std::string last = form_.is_whole ? "" : "n - 1";
    std::string steps;
    for (const std::size_t v : form_.plan.known[number])
      steps += fmt::format("    const Several<{}, kSide> v{} = kept.v{};\n", type(v), v, v);
    for (const std::size_t v : form_.plan.taken[number]) {
      const bool is_array = value(v).kind == Value::Kind::array;
      const std::string text = is_array ? load_text(slot_of(v).side, group_of(v), "i", last) : group_text(v);
      steps += fmt::format("    const Several<{}, kSide> v{} = {};\n", type(v), v, text);
      if (is_kept_on_the_way(v)) steps += fmt::format("    kept.v{} = v{};\n", v, v);
    }
    for_reductions(level,
                   [&](std::size_t v) { steps += fmt::format("    lanes.v{} = v{};\n", v, value(v).operands[0]); });
    for (const RowSlot& slot : form_.slots) {
      const std::size_t v = slot.value;
      if (level != formula_.levels || value(v).kind == Value::Kind::array || !value(v).is_side) continue;
      steps += fmt::format("    {}\n", device::store_text(slot.side.is_aligned, group_of(v), "i",
                                                          form_.is_whole ? "" : "n - i", fmt::format("v{}", v)));
    }
    return fmt::format(
        R"(  static void take(Level<{0}>, const TableRow& row, const Bases& bases, const Row& own, Kept& kept,
                   std::uint32_t i, std::uint32_t n, Lanes{0}& lanes) {{
{1}  }}
)",
        level, steps);
  }

  // Values of the row that are known when the reductions of the level before are.
  std::string row_maps_text(int level) const {
    std::string text;
    for (std::size_t v = 0; v < formula_.values.size(); ++v) {
      if (value(v).kind == Value::Kind::map && !value(v).is_side && value(v).level == level)
        text += fmt::format("    own.v{} = {};\n", v, expression_of(v, true));
    }
    return text;
  }
  std::string finish_text(int level) const {
    std::string wholes;
    for_reductions(level,
                   [&](std::size_t v) { wholes += fmt::format("    own.v{} = whole(shared.v{}, place);\n", v, v); });
    return fmt::format(R"(  static void finish(Level<{}>, Shared& shared, const RowPlace& place, Row& own) {{
{}{}  }}
)",
                       level, wholes, row_maps_text(level + 1));
  }
  std::string begin_text() const {
    std::string loads;
    for (const RowSlot& slot : form_.slots) {
      const std::size_t v = slot.value;
      if (value(v).kind == Value::Kind::array && !value(v).is_side)
        loads += fmt::format("    own.v{} = memory<const {}>(bases.v{})[0];\n", v, type(v), v);
    }
    return fmt::format("  static void begin(const TableRow&, const Bases& bases, Row& own) {{\n{}{}  }}\n", loads,
                       row_maps_text(0));
  }
  std::string store_text() const {
    std::string stores;
    for (const RowSlot& slot : form_.slots) {
      const std::size_t v = slot.value;
      if (value(v).kind != Value::Kind::array && !value(v).is_side)
        stores += fmt::format("    memory<{}>(bases.v{})[0] = own.v{};\n", type(v), v, v);
    }
    return fmt::format("  static void store(const TableRow&, const Bases& bases, const Row& own) {{\n{}  }}\n", stores);
  }

  const RowForm& form_;
  const Formula& formula_;
};

}  // namespace

KernelText text_of(const RowForm& form) {
  std::vector<std::string> includes = {"runtime/device/text/staged_rows.hpp", "runtime/device/text/groups.hpp",
                                       "runtime/elements/casts.hpp"};
  const std::string_view kernel = form.plan.is_staged ? "StagedRows" : "RowChain";
  return {std::move(includes), fmt::format("{}<Chain, {}>", kernel, form.is_single), RowText(form).text()};
}

}  // namespace tessera::device
