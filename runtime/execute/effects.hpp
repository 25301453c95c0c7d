// Steps that reach the world: print, show, save, assert.
#pragma once

#include "base/result.hpp"
#include "runtime/execute/world.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

struct EffectStep {
  const synth::Program& program;
  const Storage& storage;
  const World& world;
  const synth::Apply& apply;
  std::int64_t& output_bytes;  // written by the run so far
};

base::Status run_effect(const EffectStep& step, const synth::PrintText& operation);
base::Status run_effect(const EffectStep& step, const synth::Print& operation);
base::Status run_effect(const EffectStep& step, const synth::Show& operation);
base::Status run_effect(const EffectStep& step, const synth::Save& operation);
base::Status run_effect(const EffectStep& step, const synth::Assert& operation);

}  // namespace tessera::runtime
