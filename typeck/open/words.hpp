// The words of the open program's text: one for each kind of node and each operation of its own. Private to
// typeck/open.
#pragma once

#include <string_view>

#include "typeck/open/open.hpp"

namespace tessera::typeck::open {

template <class T>
inline constexpr std::string_view kWord = "";

template <>
inline constexpr std::string_view kWord<Parameter> = "parameter";
template <>
inline constexpr std::string_view kWord<Input> = "input";
template <>
inline constexpr std::string_view kWord<As> = "as";
template <>
inline constexpr std::string_view kWord<Call> = "call";
template <>
inline constexpr std::string_view kWord<Loop> = "loop";
template <>
inline constexpr std::string_view kWord<If> = "if";
template <>
inline constexpr std::string_view kWord<Again> = "again";
template <>
inline constexpr std::string_view kWord<Element> = "element";
template <>
inline constexpr std::string_view kWord<Enter> = "enter";
template <>
inline constexpr std::string_view kWord<Gradient> = "gradient";
template <>
inline constexpr std::string_view kWord<PlanText> = "plan";
template <>
inline constexpr std::string_view kWord<Definition> = "definition";

template <>
inline constexpr std::string_view kWord<Squeeze> = "squeeze";
template <>
inline constexpr std::string_view kWord<Unsqueeze> = "unsqueeze";
template <>
inline constexpr std::string_view kWord<Slice> = "slice";
template <>
inline constexpr std::string_view kWord<Pad> = "pad";
template <>
inline constexpr std::string_view kWord<Concat> = "concat";
template <>
inline constexpr std::string_view kWord<Update> = "update";
template <>
inline constexpr std::string_view kWord<Roll> = "roll";
template <>
inline constexpr std::string_view kWord<Product> = "product";
template <>
inline constexpr std::string_view kWord<Broadcast> = "broadcast";
template <>
inline constexpr std::string_view kWord<Widen> = "widen";
template <>
inline constexpr std::string_view kWord<Together> = "together";
template <>
inline constexpr std::string_view kWord<Whole> = "whole";
template <>
inline constexpr std::string_view kWord<Finish> = "finish";
template <>
inline constexpr std::string_view kWord<Make> = "make";
template <>
inline constexpr std::string_view kWord<ByHand> = "by_hand";

template <>
inline constexpr std::string_view kWord<Used> = "used";
template <>
inline constexpr std::string_view kWord<Back> = "back";
template <>
inline constexpr std::string_view kWord<Both> = "both";
template <>
inline constexpr std::string_view kWord<Home> = "home";
template <>
inline constexpr std::string_view kWord<FinishAs> = "finish_as";
template <>
inline constexpr std::string_view kWord<ZerosAs> = "zeros_as";
template <>
inline constexpr std::string_view kWord<Sum> = "sum";
template <>
inline constexpr std::string_view kWord<PutRow> = "put_row";
template <>
inline constexpr std::string_view kWord<TakeRow> = "take_row";

}  // namespace tessera::typeck::open
