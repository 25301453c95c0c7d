// `pipeline`: a loop whose body is cut into visits, and the order in which they are taken.
#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "synth/program/schedule/pipeline_plan.hpp"
#include "synth/program/schedule/prices.hpp"
#include "synth/program/schedule/visits.hpp"
#include "typeck/insert/inserter.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::typeck {

namespace {

// A visit in an order takes a quarter of the memory of a step, while it is simulated.
constexpr std::size_t kVisitsForAStep = 4;

// Gives the place at which the step was written.
Span place_of(const LoopDraft& draft, std::size_t step) {
  const std::uint32_t origin = draft.body[step].origin;
  return origin < draft.spans.size() ? draft.spans[origin] : Span{};
}

std::string inner_name(const synth::Step& step) {
  if (std::holds_alternative<synth::Choose>(step.node)) return "if";
  const auto* apply = std::get_if<synth::Apply>(&step.node);
  if (apply == nullptr) return "loop";
  return std::holds_alternative<synth::Assemble>(apply->operation) ? "slice" : synth::describe(apply->operation);
}

// Says why a body cannot be cut.
Diagnostic why_not(const LoopDraft& draft, const synth::CutFault& fault, const open::Loop& loop) {
  const synth::Step& step = draft.body[fault.step];
  switch (fault.reason) {
    case synth::CutFault::Reason::chained: {
      const frontend::Name& name = loop.names[fault.parameter];
      return base::make(Kind::pipeline_serial, name.text)
          .at(place_of(draft, fault.step), "this border waits for it")
          .also(name.span, "carried from microbatch to microbatch")
          .suggest("send values of the microbatch alone, and add them up after the border; or write `loop`");
    }
    case synth::CutFault::Reason::hidden:
      return base::make(Kind::pipeline_inner, inner_name(step))
          .at(place_of(draft, fault.step))
          .suggest("bring values from mesh to mesh in the pipeline's own body, before or after it, with `as ... on`");
    case synth::CutFault::Reason::effect: {
      const auto* apply = std::get_if<synth::Apply>(&step.node);
      const std::string what = apply == nullptr ? "print" : std::string(synth::name(apply->operation));
      return base::make(Kind::pipeline_effect, what == "print_text" ? "print" : what)
          .at(place_of(draft, fault.step))
          .suggest("carry the values, and show them after the pipeline; or write `loop`");
    }
  }
  throw base::InternalError("an unknown fault of a pipeline");
}

}  // namespace

bool Inserter::plan_pipeline(Span span, const open::Loop& loop, Loop& made_loop) {
  const std::int64_t count = std::max<std::int64_t>(*made_loop.known_count, 0);
  const auto draft = draft_of(typed_, made_loop, options_.stop, options_.steps_max);
  const auto too_large = [&](std::size_t most, const char* of) {
    report(base::make(synth::Kind::program_too_large, most, of).at(span));
    return false;
  };
  if (!draft.has_value()) return too_large(options_.steps_max, "steps");
  const auto cut = synth::cut_visits(draft->program, draft->body, draft->parameters, draft->next);
  if (const auto* fault = std::get_if<synth::CutFault>(&cut)) {
    report(why_not(*draft, *fault, loop));
    return false;
  }
  const auto& visits = std::get<synth::Cut>(cut);
  const std::size_t visits_max = std::min(kVisitsForAStep * options_.steps_max, synth::kProgramStepsMax);
  if (count > static_cast<std::int64_t>(visits_max / visits.visits.size())) return too_large(visits_max, "visits");
  auto shape = synth::shape_of(draft->body, visits, draft->next,
                               synth::seconds_of_steps(draft->program, draft->body, plans_.machine()));
  if (shape.stages == 1) {
    report(base::make(Kind::pipeline_one_mesh)
               .at(span)
               .suggest("bring values to another mesh in its body with `as ... on`, or write `loop`"));
  }
  made_loop.pipeline = std::make_shared<const synth::PipelinePlan>(
      synth::plan_pipeline(visits, std::move(shape), *loop.pipeline, count, options_.stop));
  return true;
}

}  // namespace tessera::typeck
