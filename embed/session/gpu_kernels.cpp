// Kernels for GPUs that are not here: a program is run on paper.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/device/gpu/kernel_cache.hpp"
#include "runtime/device/gpu/kernel_files.hpp"
#include "runtime/device/gpu/paper.hpp"
#include "runtime/execute/run.hpp"
#include "tessera/gpus.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera {

namespace {

// 90 for `sm_90`.
base::Result<int> architecture_of(std::string_view text) {
  constexpr std::string_view kBegin = "sm_";
  int number = 0;
  if (text.starts_with(kBegin)) {
    const std::string_view digits = text.substr(kBegin.size());
    const auto [end, failed] = std::from_chars(digits.begin(), digits.end(), number);
    if (failed == std::errc() && end == digits.end() && number > 0) return number;
  }
  return base::make(embed::Kind::bad_call, fmt::format("`{}` is no architecture of a GPU", text))
      .suggest("an H100 or H200 is sm_90, an A100 sm_80; `tessera gpu` says what a machine has");
}

base::Result<GpuKernels> compiled(const Program::Impl& checked, int architecture, const Config& config) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  TESSERA_TRY(lowered, typeck::lower(*checked.typed, typeck::Keep::nothing));
  if (device::kernel_cache_folder().empty()) {
    return base::make(embed::Kind::bad_call, "there is no folder to keep kernels in")
        .suggest("set XDG_CACHE_HOME to a folder that can be written");
  }
  device::PaperRequest request;
  request.architecture = architecture;
  request.ordered_products = config.products == Products::ordered;
  request.folders = device::folders_of_environment();
  TESSERA_TRY(gpu, device::PaperGpu::open(request));
  const device::KernelCacheFacts before = device::kernel_cache_facts();
  runtime::World world;
  world.output = [](std::string_view) {};
  world.machine = checked.machine;
  world.devices = checked.typed->after.devices();
  world.ordered_products = request.ordered_products;
  world.engine = gpu.engine();
  world.on_paper = true;
  TESSERA_TRY(outcome, runtime::run(lowered.program, {}, world));
  static_cast<void>(outcome);
  const device::KernelCacheFacts after = device::kernel_cache_facts();
  return GpuKernels{gpu.kernels(), std::max<std::int64_t>(after.files - before.files, 0), gpu.compiler_version(),
                    after.folder};
}

}  // namespace

Result<GpuKernels> compile_kernels(std::string_view text, std::string_view name, std::string_view architecture,
                                   const Config& config) {
  return embed::safely([&]() -> Result<GpuKernels> {
    const auto wanted = architecture_of(architecture);
    if (!wanted) return embed::to_public(embed::Texts{}, wanted.errors());
    Config own = config;
    own.gpus.clear();
    own.team = {};
    Session session(std::move(own));
    auto program = session.check(text, name);
    if (!program) return program.diagnostics();
    const Program::Impl& checked = *program->impl();
    auto made = compiled(checked, *wanted, config);
    if (!made) return embed::to_public(*checked.texts, made.errors());
    return *std::move(made);
  });
}

}  // namespace tessera
