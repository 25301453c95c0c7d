#include "synth/verify/assembled.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/program/fetched_parts.hpp"
#include "synth/verify/holdings.hpp"

namespace tessera::synth {

namespace {

using verifier::Holdings;

// The least k with k * step at or above the bound; the step is above 0.
std::int64_t first_at(std::int64_t bound, std::int64_t step) { return bound / step + (bound % step > 0 ? 1 : 0); }

// The numbers whose elements lie in an interval, if the first lies at `at` and each next one `step` further.
Interval numbers_from(std::int64_t at, std::int64_t step, const Interval& within) {
  if (step > 0) return {first_at(within.begin - at, step), first_at(within.end - at, step)};
  return {first_at(at - within.end + 1, -step), first_at(at - within.begin + 1, -step)};
}

bool is_empty(const Box& box) {
  return std::ranges::any_of(box, [](const Interval& side) { return side.begin >= side.end; });
}

std::int64_t volume(const Box& box) {
  std::int64_t count = 1;
  for (const Interval& side : box) count *= std::max<std::int64_t>(0, side.end - side.begin);
  return count;
}

Box common(const Box& a, const Box& b) {
  Box box;
  for (std::size_t d = 0; d < a.size(); ++d) box.push_back(verifier::common(a[d], b[d]));
  return box;
}

class PartReplay {
 public:
  PartReplay(const ArrayType& part, const ArrayType& result, const std::vector<LaidElements>& laid)
      : part_(part), result_(result), laid_(laid) {}

  std::optional<std::string> run(std::vector<GivenBox> copies, std::int64_t received_elements) const {
    std::ranges::stable_sort(copies, {}, &GivenBox::target);
    std::int64_t received = 0;
    auto begin = copies.begin();
    for (std::int64_t device = 0; device < result_.devices(); ++device) {
      const auto end = std::find_if(begin, copies.end(), [&](const GivenBox& copy) { return copy.target != device; });
      if (auto fault = fault_of(device, {begin, end})) return fmt::format("device {}: {}", device, *fault);
      received += volume(needed(device)) - volume(common(needed(device), held(device)));
      begin = end;
    }
    if (begin != copies.end()) return "a device that there is not gets elements";
    if (received != received_elements)
      return fmt::format("{} elements are received, not {}", received, received_elements);
    return std::nullopt;
  }

 private:
  // The numbers of the elements that a device's tile has of the part.
  Box needed(std::int64_t device) const {
    Box box;
    for (std::size_t d = 0; d < laid_.size(); ++d) {
      const LaidElements& laid = laid_[d];
      box.push_back(verifier::common(numbers_from(laid.first, laid.step, {0, part_.extents[d]}),
                                     numbers_from(laid.add, laid.spread, result_.interval(d, device))));
    }
    return box;
  }
  // The numbers of those that its tile of the part has.
  Box held(std::int64_t device) const {
    Box box;
    for (std::size_t d = 0; d < laid_.size(); ++d)
      box.push_back(numbers_from(laid_[d].first, laid_[d].step, part_.interval(d, device)));
    return box;
  }

  std::optional<std::string> fault_of(std::int64_t device, const std::vector<GivenBox>& copies) const {
    const Box need = needed(device);
    std::int64_t brought = 0;
    for (auto copy = copies.begin(); copy != copies.end(); ++copy) {
      if (copy->source < 0 || copy->source >= part_.devices())
        return "its elements come from a device that there is not";
      if (copy->numbers.size() != need.size() || is_empty(copy->numbers)) return "it gets a box of nothing";
      if (common(copy->numbers, need) != copy->numbers) return "it gets elements that its tile has not";
      if (common(copy->numbers, held(copy->source)) != copy->numbers)
        return fmt::format("device {} does not have what it sends", copy->source);
      if (copy->source != device && !is_empty(common(copy->numbers, held(device)))) return "it gets what it has";
      if (part_.pending[static_cast<std::size_t>(copy->source)] != part_.pending[static_cast<std::size_t>(device)])
        return fmt::format("device {} has another part of the sum", copy->source);
      const auto meets = [&](const GivenBox& other) { return !is_empty(common(copy->numbers, other.numbers)); };
      if (std::any_of(copies.begin(), copy, meets)) return "it gets an element twice";
      brought += volume(copy->numbers);
    }
    return brought == volume(need) ? std::nullopt : std::optional<std::string>("elements of its tile are missing");
  }

  Holdings part_;
  Holdings result_;
  const std::vector<LaidElements>& laid_;
};

}  // namespace

std::optional<std::string> fault_of_part(const ArrayType& part, const ArrayType& result,
                                         const std::vector<LaidElements>& laid, const std::vector<GivenBox>& copies,
                                         std::int64_t received_elements) {
  return PartReplay(part, result, laid).run(copies, received_elements);
}

namespace {

std::optional<std::string> fault_of_copies(const Part& part, const ArrayType& own, const ArrayType& result) {
  const auto made = copies_of_part(part, own, result);
  if (!made) return std::nullopt;
  std::vector<LaidElements> laid;
  for (const Placement& placement : part.placements) {
    const Shift shift = shift_of(placement);
    laid.push_back({shift.offset, shift.step, shift.add, shift.spread});
  }
  std::vector<GivenBox> copies;
  for (const BoxCopy& copy : made->copies) copies.push_back({copy.source, copy.target, copy.box});
  return fault_of_part(own, result, laid, copies, made->received_elements);
}

}  // namespace

std::optional<std::string> fault_of_assembly(const Assemble& assemble, const std::vector<ArrayType>& operands,
                                             const ArrayType& result) {
  for (const Part& part : assemble.parts) {
    const auto is_placed_later = [](const Placement& own) { return own.scalar >= 0; };
    if (std::ranges::any_of(part.placements, is_placed_later)) continue;
    if (auto fault = fault_of_copies(part, operands[part.operand], result)) return fault;
  }
  return std::nullopt;
}

}  // namespace tessera::synth
