// The indices of an Einstein sum on tiles: their extents, and the step every operand takes along each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

using IndexList = std::vector<std::uint8_t>;

class ContractIndices {
 public:
  ContractIndices(const synth::Contract& how, std::span<const TileView> operands, const synth::Shape& result);

  const IndexList& result() const { return result_; }
  const IndexList& summed() const { return summed_; }  // ascending
  std::int64_t extent(std::uint8_t index) const { return extents_[index]; }
  // An index that an operand carries twice walks its diagonal.
  std::int64_t stride(std::size_t operand, std::uint8_t index) const { return strides_[operand][index]; }
  bool carries(std::size_t operand, std::uint8_t index) const { return carried_[operand][index]; }
  std::size_t operands() const { return strides_.size(); }

  // Product of the extents.
  std::int64_t count(const IndexList& indices) const;
  // Where the operand's element at this position along the indices, row-major, lies.
  std::int64_t place(std::size_t operand, const IndexList& indices, std::int64_t position) const;
  // For every position along the indices, row-major, where the operand's elements lie.
  std::vector<std::int64_t> offsets(std::size_t operand, const IndexList& indices) const;
  // The same with the steps given, one for each index.
  std::vector<std::int64_t> offsets(const IndexList& indices, std::span<const std::int64_t> steps) const;

 private:
  std::array<std::int64_t, 256> extents_{};
  std::vector<std::array<std::int64_t, 256>> strides_;
  std::vector<std::array<bool, 256>> carried_;
  IndexList result_;
  IndexList summed_;
};

}  // namespace tessera::runtime
