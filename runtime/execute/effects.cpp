#include "runtime/execute/effects.hpp"

#include <span>
#include <string>

#include "base/units_text.hpp"
#include "runtime/execute/file_name.hpp"
#include "runtime/execute/stopping.hpp"
#include "runtime/kinds.hpp"
#include "runtime/ranks/reads.hpp"
#include "runtime/ranks/save.hpp"
#include "runtime/ranks/whole.hpp"

namespace tessera::runtime {

namespace {

// May so many bytes be written, too?
base::Status fits(const EffectStep& step, std::int64_t bytes) {
  const std::int64_t most = step.world.output_bytes_max;
  if (most <= 0 || step.output_bytes + bytes <= most) return base::Done{};
  return base::make(Kind::too_much_output, base::exact_bytes_text(most));
}

// By rank 0, once all ranks have come so far: nothing is written after a failure.
base::Status write(const EffectStep& step, const std::string& text) {
  TESSERA_TRY_STATUS(report_to_first(step.storage.team()));
  if (step.storage.team().rank() != 0) return base::Done{};
  TESSERA_TRY_STATUS(fits(step, std::ssize(text)));
  step.output_bytes += std::ssize(text);
  if (step.world.output) step.world.output(text);
  return base::Done{};
}

}  // namespace

base::Status run_effect(const EffectStep& step, const synth::PrintText& operation) {
  return write(step, step.program.strings[operation.text] + "\n");
}

base::Status run_effect(const EffectStep& step, const synth::Print& operation) {
  std::string line;
  for (const synth::PrintItem& item : operation.items) {
    // There may be thousands of items.
    if (stop_asked(step.world.stop)) return base::make(base::Kind::interrupted);
    if (step.storage.team().alone()) TESSERA_TRY_STATUS(fits(step, std::ssize(line)));
    if (&item != &operation.items.front()) line += ' ';
    if (item.operand < 0) {
      line += step.program.strings[item.text];
      continue;
    }
    const Distributed array = step.storage.array(step.apply.operands[static_cast<std::size_t>(item.operand)]);
    TESSERA_TRY(text, value_text(step.storage.team(), Readers::first, array));
    line += text;
  }
  return write(step, line + "\n");
}

base::Status run_effect(const EffectStep& step, const synth::Show& operation) {
  const Distributed array = step.storage.array(step.apply.operands[0]);
  TESSERA_TRY(text, show_text(step.storage.team(), Readers::first, array, step.program.strings[operation.label],
                              step.world.picture_columns));
  return write(step, text);
}

base::Status run_effect(const EffectStep& step, const synth::Save& operation) {
  const Distributed array = step.storage.array(step.apply.operands[0]);
  const std::span numbers = std::span(step.apply.operands).subspan(1);
  TESSERA_TRY(path, file_name(step.program.strings[operation.path], step.storage, numbers));
  Team& team = step.storage.team();
  const base::StopToken stop(step.world.stop);
  return operation.shards ? save_shards(team, step.world.files, path, array, stop)
                          : save_whole(team, step.world.files, path, array, stop);
}

base::Status run_effect(const EffectStep& step, const synth::Assert& operation) {
  TESSERA_TRY(holds, step.storage.scalar<bool>(step.apply.operands[0]));
  if (holds) return base::Done{};
  const std::string& message = step.program.strings[operation.message];
  auto failed = base::make(Kind::assertion_failed, message.empty() ? "the assertion does not hold" : message);
  std::string sides;
  for (const synth::RegisterId side : std::span(step.apply.operands).subspan(1)) {
    TESSERA_TRY(text, value_text(step.storage.team(), Readers::all, step.storage.array(side)));
    sides.append(sides.empty() ? "the sides are " : " and ").append(text);
  }
  return sides.empty() ? std::move(failed) : std::move(failed).suggest(std::move(sides));
}

}  // namespace tessera::runtime
