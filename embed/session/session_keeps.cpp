// What a session keeps from call to call, and what it forgets.
#include <algorithm>
#include <utility>

#include "embed/session/session_impl.hpp"
#include "frontend/parse.hpp"
#include "synth/program/program.hpp"
#include "typeck/open/limits.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera {

namespace embed {

namespace {

// Below this much, forgetting is not worth the search.
constexpr std::size_t kBindingsWorthIt = 64;
constexpr std::int64_t kTextBytesWorthIt = 1 << 16;

// What is allowed of each. Reading a word takes up to 700 bytes, a checked value 660 and a step 540, measured, so that
// all together stay below five times the limit.
constexpr std::int64_t kBytesPerTextByte = 16;
constexpr std::int64_t kBytesPerPiece = 512;
// A limit below this holds for arrays alone, so that there is room for programs at all.
constexpr std::int64_t kCheckBytesMin = 16 << 20;

std::size_t at_most(std::int64_t bytes, std::int64_t bytes_each, std::size_t most) {
  return std::min(static_cast<std::size_t>(bytes / bytes_each), most);
}

}  // namespace

CheckLimits check_limits(const Config& config) {
  if (config.memory_bytes_max <= 0)
    return {frontend::kSourceBytesMax, frontend::kTokensMax, typeck::kCheckedValuesMax, synth::kProgramStepsMax};
  const std::int64_t bytes = std::max(config.memory_bytes_max, kCheckBytesMin);
  return {at_most(bytes, kBytesPerTextByte, frontend::kSourceBytesMax),
          at_most(bytes, kBytesPerPiece, frontend::kTokensMax),
          at_most(bytes, kBytesPerPiece, typeck::kCheckedValuesMax),
          at_most(bytes, kBytesPerPiece, synth::kProgramStepsMax)};
}

std::int64_t bytes_of(const frontend::Ast& ast) {
  return static_cast<std::int64_t>(
      ast.exprs.size() * sizeof(frontend::Expr) + ast.types.size() * sizeof(frontend::TypeExpr) +
      ast.statements.size() * sizeof(frontend::Statement) + ast.blocks.size() * sizeof(frontend::Block));
}

StateRef tidied(State state, std::int64_t memory_bytes_max) {
  const bool many = state.environment.size() > 2 * state.bindings_left + kBindingsWorthIt;
  const bool long_texts = state.texts->bytes() > 2 * state.text_bytes_left + kTextBytesWorthIt;
  const bool counts = memory_bytes_max > 0 && state.texts->bytes() > memory_bytes_max / 4;
  if (many || long_texts || counts) {
    const typeck::Environment::Reached reached = state.environment.forget_unreachable();
    base::PersistentMap<std::uint32_t, runtime::Value> values;
    state.values.for_each([&](const auto& kept) {
      if (reached.slots.contains(kept.key)) values.set(kept.key, kept.value);
    });
    state.values = std::move(values);
    Texts texts = *state.texts;
    texts.keep_only(reached.texts);
    state.texts = std::make_shared<const Texts>(std::move(texts));
    state.bindings_left = state.environment.size();
    state.text_bytes_left = state.texts->bytes();
  }
  return std::make_shared<const State>(std::move(state));
}

}  // namespace embed

// Plans are remembered for the next text; in a session that makes ever new ones they begin anew now and then.
void Session::Impl::begin_work() {
  constexpr std::size_t kPlansMax = 4096;
  constexpr std::int64_t kBytesPerPlan = 1 << 14;
  const std::int64_t limit = config->memory_bytes_max;
  const std::size_t most =
      limit > 0 ? embed::at_most(std::max(limit, embed::kCheckBytesMin), kBytesPerPlan, kPlansMax) : kPlansMax;
  if (plans.size() > most) plans = synth::PlanCache(plans.machine());
  stop.store(false);
  stopped_by.renew();
  next.reset();
}

void Session::Impl::become(embed::State after) {
  known_types.clear();
  known_types_of.reset();
  state = embed::tidied(std::move(after), config->memory_bytes_max);
}

Result<RunReport> Session::Impl::kept(Result<RunReport> report) {
  std::optional<embed::State> made = std::exchange(next, std::nullopt);
  if (report && made) become(std::move(*made));
  if (report && !report->program.impl()->typed->choices.empty()) chosen = report->program;
  return report;
}

}  // namespace tessera
