#include "synth/planner/text/read_recipes.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "synth/layout/cursor.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/planner/text/fields.hpp"

namespace tessera::synth {

namespace {

using json::bad;
using json::object_with;
using json::read_integer;
using json::text_of;

constexpr std::array<std::string_view, 3> kTransferKeys = {"recipe", "hops", "stretches"};

std::optional<std::int64_t> integer_at(const json::Array& items, std::size_t index, std::int64_t most) {
  const auto value = json::as_integer(items[index]);
  return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

std::optional<Box> read_box(const json::Value& value) {
  const auto* sides = std::get_if<json::Array>(&value.content);
  if (sides == nullptr || sides->size() > kRankMax) return std::nullopt;
  Box box;
  for (const json::Value& side : *sides) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto* ends = std::get_if<json::Array>(&side.content);
    if (ends == nullptr || ends->size() != 2) return std::nullopt;
    const auto begin = integer_at(*ends, 0, kMost);
    const auto end = integer_at(*ends, 1, kMost);
    if (!begin || !end || *begin > *end) return std::nullopt;
    box.push_back({*begin, *end});
  }
  return box;
}

// Whether the box has the array's dimensions is found when it is replayed.
bool ends_beyond(const Box& box, const Shape& array) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d].end > (d < array.size() ? array[d] : 1)) return true;
  }
  return false;
}

// `[box, from, to, hop]`, of an adding send `"add"` and what it carries after that.
std::optional<BoxSend> read_send(const json::Value& value) {
  constexpr std::size_t kCopy = 4;
  constexpr std::size_t kAdd = 6;
  constexpr std::int64_t kNumberMax = 100'000;
  const auto* items = std::get_if<json::Array>(&value.content);
  if (items == nullptr || (items->size() != kCopy && items->size() != kAdd)) return std::nullopt;
  const auto box = read_box((*items)[0]);
  const auto from = integer_at(*items, 1, kNumberMax);
  const auto to = integer_at(*items, 2, kNumberMax);
  const auto hop = integer_at(*items, 3, kNumberMax);
  if (!box || !from || !to || !hop) return std::nullopt;
  BoxSend send{static_cast<std::int32_t>(*from), static_cast<std::int32_t>(*to), *box,
               static_cast<std::int32_t>(*hop),  items->size() == kAdd,          Carried::own};
  if (!send.adds) return send;
  const auto* act = std::get_if<std::string>(&(*items)[kCopy].content);
  const auto* what = std::get_if<std::string>(&(*items)[kCopy + 1].content);
  const auto carried = what == nullptr ? std::nullopt : carried_by_name(*what);
  if (act == nullptr || *act != "add" || !carried) return std::nullopt;
  send.carried = *carried;
  return send;
}

base::Result<ListedRef> read_sends(const json::Object& transfer, const Shape& array, ListedSends listed) {
  const json::Value* const value = json::member(transfer, "sends");
  if (value == nullptr) return ListedRef();
  const auto* items = std::get_if<json::Array>(&value->content);
  if (items == nullptr) return bad("`sends` is not a list");
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto send = read_send((*items)[i]);
    if (!send) return bad(fmt::format("send {} is not one: `[[[lo, hi], ..], from, to, hop]`", i + 1));
    if (ends_beyond(send->box, array)) return bad(fmt::format("the box of send {} ends beyond the array", i + 1));
    listed.sends.push_back(*send);
  }
  return std::make_shared<const ListedSends>(std::move(listed));
}

constexpr std::array<std::string_view, 3> kProgramKeys = {"stretches", "hops", "steps"};
constexpr std::array<std::string_view, 4> kProgramStepKeys = {"op", "axes", "first", "form"};
constexpr std::string_view kOpNames = "all_reduce, reduce_scatter, reduce, all_gather or broadcast";

// As the text that a program is read of: one way to say it, and one reader.
base::Result<std::string> program_step_text(const json::Value& value, std::size_t number, const Mesh& mesh) {
  TESSERA_TRY(object, object_with(value, kProgramStepKeys));
  TESSERA_TRY(op, text_of(*object, "op"));
  TESSERA_TRY(axes, text_of(*object, "axes"));
  TESSERA_TRY(first, text_of(*object, "first"));
  TESSERA_TRY(form, text_of(*object, "form"));
  std::string step_text = fmt::format("{} {}{}{}", op, axes, first.empty() ? "" : " first " + first,
                                      form == name(ReduceForm::direct) ? "" : " " + form);
  const auto alone = parse_reduce_program(mesh, step_text);
  if (alone && print(mesh, *alone) == step_text) return step_text;
  return bad(
      fmt::format("step {} of its program, `{}`, cannot be read: `op` is {}, `axes` and `first` are parts of "
                  "axes of {}, and `form` is direct, halving, ring or units of a number, which may be at rates",
                  number, excerpt(step_text), kOpNames, print(mesh)));
}

}  // namespace

base::Result<ReadTransfer> read_transfer(const json::Object& step, const Shape& array) {
  constexpr std::int64_t kStretchesMax = 4096;
  constexpr std::string_view kRelay = "relay ";
  const json::Value* const value = json::member(step, "transfer");
  if (value == nullptr) return ReadTransfer{};
  TESSERA_TRY(object, object_with(*value, kTransferKeys, {"sends"}));
  TESSERA_TRY(text, text_of(*object, "recipe"));
  ListedSends listed;
  TESSERA_TRY_STATUS(read_integer(*object, "hops", listed.hops));
  TESSERA_TRY_STATUS(read_integer(*object, "stretches", listed.stretches));
  if (listed.stretches < 1 || listed.stretches > kStretchesMax)
    return bad(fmt::format("a transfer has 1 to {} stretches", kStretchesMax));
  listed.at_once = text == "direct";
  TESSERA_TRY(sends, read_sends(*object, array, listed));
  const bool is_program = text == "program" && json::member(step, "program") != nullptr;
  if (text == "direct" || is_program || (text == "listed" && sends != nullptr)) return ReadTransfer{nullptr, sends};
  auto recipe = text.starts_with(kRelay) ? parse_relay_recipe(std::string_view(text).substr(kRelay.size()))
                                         : std::optional<RelayRecipe>();
  if (!recipe) return bad(fmt::format("the recipe `{}` cannot be read", excerpt(text)));
  if (listed.hops != recipe->hops || listed.stretches != recipe->stretches)
    return bad("a recipe and what is said of it differ");
  return ReadTransfer{std::make_shared<const RelayRecipe>(std::move(*recipe)), sends};
}

base::Result<ReduceProgramRef> read_program(const json::Object& step, const Mesh& mesh) {
  const json::Value* const value = json::member(step, "program");
  if (value == nullptr) return ReduceProgramRef();
  TESSERA_TRY(object, object_with(*value, kProgramKeys));
  const auto* steps = std::get_if<json::Array>(&json::member(*object, "steps")->content);
  if (steps == nullptr) return bad("a program's `steps` are no list");
  std::string text;
  for (std::size_t i = 0; i < steps->size(); ++i) {
    TESSERA_TRY(part, program_step_text((*steps)[i], i + 1, mesh));
    text.append(text.empty() ? "" : "; ").append(part);
  }
  std::int64_t stretches = 1;
  std::int64_t hops = 0;
  TESSERA_TRY_STATUS(read_integer(*object, "stretches", stretches));
  TESSERA_TRY_STATUS(read_integer(*object, "hops", hops));
  if (stretches < 1) return bad("a program has at least 1 stretch");
  if (stretches != 1) text += fmt::format(" in {}", stretches);
  auto program = parse_reduce_program(mesh, text);
  if (!program || print(mesh, *program) != text)
    return bad(fmt::format("the program `{}` cannot be read", excerpt(text)));
  if (hop_slots(*program) != hops)
    return bad(fmt::format("its program takes {} hops, but `hops` says {}", hop_slots(*program), hops));
  return std::make_shared<const ReduceProgram>(std::move(*program));
}

}  // namespace tessera::synth
