#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime {

std::string_view name(VectorTarget target) {
  switch (target) {
    case VectorTarget::baseline: return "baseline";
    case VectorTarget::avx2: return "avx2";
    case VectorTarget::avx512: return "avx512";
  }
  return "";
}

std::vector<VectorTarget> vector_targets() {
  std::vector<VectorTarget> targets = {VectorTarget::baseline};
#if TESSERA_HAS_TARGETS
  if (__builtin_cpu_supports("avx2")) targets.push_back(VectorTarget::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    targets.push_back(VectorTarget::avx512);
#endif
  return targets;
}

VectorTarget widest_target() {
  static const VectorTarget kWidest = vector_targets().back();
  return kWidest;
}

}  // namespace tessera::runtime
