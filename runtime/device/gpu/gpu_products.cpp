#include "runtime/device/gpu/gpu_products.hpp"

#include <fmt/format.h>

#include "runtime/device/text/narrow.hpp"
#include "runtime/kinds.hpp"

namespace tessera::device {

namespace {

constexpr std::int64_t kWorkspace = std::int64_t{32} << 20U;

// What cuBLAS is told of a matrix. It counts columns first, so that a row-major matrix is the transpose of one of its.
struct Operand {
  const void* memory = nullptr;
  int turned = 0;
};
Operand operand_of(const GemmMatrix& matrix) {
  return {reinterpret_cast<const void*>(matrix.address), matrix.is_transposed ? cublas::kTurned : cublas::kNotTurned};
}

int type_of(synth::ElementType element) {
  if (element == synth::ElementType::f16) return cublas::kFloat16;
  if (element == synth::ElementType::bf16) return cublas::kBrain16;
  return element == synth::ElementType::f64 ? cublas::kFloat64 : cublas::kFloat32;
}

// Elements from a matrix's first to its last, with those between its rows.
std::int64_t reach_of(const GemmMatrix& matrix, const GemmExtents& extents) {
  const std::int64_t lines = matrix.is_transposed ? extents.columns : extents.rows;
  const std::int64_t line = matrix.is_transposed ? extents.rows : extents.columns;
  return (extents.batches - 1) * matrix.batch_step + (lines - 1) * matrix.leading + line;
}

// Their 16 bits again, side by side as they are, in room of the step's own.
base::Status narrow(Launcher& launcher, GemmMatrix& matrix, const GemmExtents& extents, synth::ElementType to) {
  const std::int64_t count = reach_of(matrix, extents);
  TESSERA_TRY(room, launcher.scratch(count * synth::bytes_of(to)));
  using Narrowed = kernel::Narrow<true>;
  const KernelText text{
      {"runtime/device/text/narrow.hpp"}, to == synth::ElementType::bf16 ? "Narrow<true>" : "Narrow<false>", ""};
  constexpr std::int64_t kOfBlock = std::int64_t{Narrowed::kThreads} * Narrowed::kEach;
  const Narrowed::Args args{matrix.address, room, count};
  TESSERA_TRY_STATUS(launch(launcher, text, (count + kOfBlock - 1) / kOfBlock, args));
  matrix.address = room;
  return base::Done{};
}

// Both operands, where that is worth its time. True: they are.
base::Result<bool> narrow_operands(Launcher& launcher, Gemm& gemm, synth::ElementType to) {
  const GemmExtents left{gemm.rows, gemm.terms, gemm.left.batch_step == 0 ? 1 : gemm.batches};
  const GemmExtents right{gemm.terms, gemm.columns, gemm.right.batch_step == 0 ? 1 : gemm.batches};
  const std::int64_t elements = left.rows * left.columns * left.batches + right.rows * right.columns * right.batches;
  const bool is_aligned = (gemm.left.address | gemm.right.address) % 16 == 0;
  if (!is_aligned || reach_of(gemm.left, left) + reach_of(gemm.right, right) > 2 * elements) return false;
  TESSERA_TRY_STATUS(narrow(launcher, gemm.left, left, to));
  TESSERA_TRY_STATUS(narrow(launcher, gemm.right, right, to));
  return true;
}

}  // namespace

GpuProducts::~GpuProducts() {
  if (handle_ == nullptr) return;
  const Current current(gpu_);
  cublas_->calls.destroy(handle_);
  memory_.give_back(workspace_);
}

GemmCall GpuProducts::call(std::optional<synth::ElementType> narrow) {
  if (cublas_ == nullptr) return {};
  return [this, narrow](const Gemm& gemm) {
    return narrow ? multiply_narrow(gemm, *narrow) : multiply(gemm, gemm.element);
  };
}

GemmCall GpuProducts::count(Launcher& counting, std::optional<synth::ElementType> narrow, std::int64_t& lasting) const {
  if (cublas_ == nullptr) return {};
  return [&counting, narrow, &lasting](Gemm gemm) -> base::Status {
    lasting = kWorkspace;
    if (narrow) TESSERA_TRY_STATUS(narrow_operands(counting, gemm, *narrow));
    return base::Done{};
  };
}

base::Status GpuProducts::multiply_narrow(Gemm gemm, synth::ElementType operands) {
  TESSERA_TRY(is_narrow, narrow_operands(launcher_, gemm, operands));
  return multiply(gemm, is_narrow ? operands : gemm.element);
}

base::Status GpuProducts::check(int code) {
  if (code == 0) return base::Done{};
  return base::make(runtime::Kind::gpu_failed, gpu_.label(), "a product of matrices",
                    fmt::format("cuBLAS error {}", code));
}

base::Status GpuProducts::begin() {
  if (handle_ != nullptr) return base::Done{};
  const CublasCalls& calls = cublas_->calls;
  workspace_ = memory_.take(kWorkspace);
  if (workspace_ == 0) return no_room(gpu_, kWorkspace);
  void* handle = nullptr;
  base::Status made = check(calls.create(&handle));
  if (made.ok()) {
    made = set_up(handle);
    if (!made.ok()) calls.destroy(handle);
  }
  if (made.ok()) {
    handle_ = handle;
  } else {
    memory_.give_back(workspace_);
  }
  return made;
}

base::Status GpuProducts::set_up(void* handle) {
  const CublasCalls& calls = cublas_->calls;
  TESSERA_TRY_STATUS(check(calls.set_stream(handle, gpu_.stream())));
  TESSERA_TRY_STATUS(check(calls.set_workspace(handle, reinterpret_cast<void*>(workspace_), kWorkspace)));
  return check(calls.set_math_mode(handle, cublas::kDefaultMath));
}

// How terms are computed: TF32 is for operands of 32 bits, and only where it was asked for.
int GpuProducts::sums_of(int out, int operands) const {
  if (out == cublas::kFloat64) return cublas::kSumsOfFloat64;
  return in_tf32_ && operands == cublas::kFloat32 ? cublas::kSumsOfTensor32 : cublas::kSumsOfFloat32;
}

// The transposes: out' = right' left'.
base::Status GpuProducts::multiply(const Gemm& gemm, synth::ElementType operands) {
  TESSERA_TRY_STATUS(begin());
  TESSERA_TRY_STATUS(launcher_.begin_work());
  const CublasCalls& calls = cublas_->calls;
  const Operand a = operand_of(gemm.right);
  const Operand b = operand_of(gemm.left);
  const int in = type_of(operands);
  const int type = type_of(gemm.element);
  const bool is_double = type == cublas::kFloat64;
  const int sums = sums_of(type, in);
  static constexpr float kOneSingle = 1;
  static constexpr float kZeroSingle = 0;
  static constexpr double kOneDouble = 1;
  static constexpr double kZeroDouble = 0;
  const void* const one = is_double ? static_cast<const void*>(&kOneDouble) : &kOneSingle;
  const void* const zero = is_double ? static_cast<const void*>(&kZeroDouble) : &kZeroSingle;
  void* const out = reinterpret_cast<void*>(gemm.out.address);
  if (gemm.batches == 1) {
    return check(calls.multiply(handle_, a.turned, b.turned, gemm.columns, gemm.rows, gemm.terms, one, a.memory, in,
                                gemm.right.leading, b.memory, in, gemm.left.leading, zero, out, type, gemm.out.leading,
                                sums, cublas::kDefaultAlgorithm));
  }
  return check(calls.multiply_batch(handle_, a.turned, b.turned, gemm.columns, gemm.rows, gemm.terms, one, a.memory, in,
                                    gemm.right.leading, gemm.right.batch_step, b.memory, in, gemm.left.leading,
                                    gemm.left.batch_step, zero, out, type, gemm.out.leading, gemm.out.batch_step,
                                    gemm.batches, sums, cublas::kDefaultAlgorithm));
}

}  // namespace tessera::device
