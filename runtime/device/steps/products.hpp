// Einstein sums on GPUs. Their bits are those of the host's kernels (kernels/contract.hpp), with products of matrices
// always in order; large ones of floats may be handed to a library instead, as the host does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/device/steps/contract_part.hpp"
#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// A matrix in memory: rows of `leading` elements, of which the first are used, and the next one of a batch.
struct GemmMatrix {
  Address address = 0;
  std::int64_t leading = 0;
  std::int64_t batch_step = 0;  // in elements; 0 repeats
  bool is_transposed = false;   // the memory has the rows as columns
};
// out[rows, columns] = left[rows, terms] right[terms, columns], row-major and never transposed, so many times.
struct Gemm {
  synth::ElementType element = synth::ElementType::f32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t terms = 0;
  std::int64_t batches = 1;
  GemmMatrix left, right, out;
};
using GemmCall = std::function<base::Status(const Gemm&)>;

// The product that the host would hand to BLAS, if a library can take it without copies.
std::optional<Gemm> gemm_of(const synth::Contract& how, const ContractPart& part);

bool can_contract(const runtime::LocalStep& step, const synth::Contract& operation);
// `library` takes large products; without it all are computed in order.
base::Status contract(Launcher& launcher, const runtime::LocalStep& step, const synth::Contract& operation,
                      const GemmCall& library = {});
// Of parts that have terms, or whose sums of nothing are the identity.
base::Status contract(Launcher& launcher, const synth::Contract& how, const std::vector<ContractPart>& parts,
                      const GemmCall& library = {});

}  // namespace tessera::device
