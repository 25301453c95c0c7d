// `grad(f, wrt=[w, b])(x, w, b)` as a function's instance and its reverse pass.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "typeck/gradient/scope.hpp"

namespace tessera::typeck {

namespace {

using gradient::Activity;
using gradient::End;

// One gradient that is being inserted.
class Differentiation {
 public:
  Differentiation(Inserter& inserter, const open::Gradient& written, const open::Instance& function,
                  const Instance& instance, Span span)
      : inserter_(inserter), written_(written), function_(function), instance_(instance), span_(span) {}

  MaybeHeld run(const std::vector<NodeId>& arguments) {
    return ways_lead_to_loss() ? reversed(arguments) : std::nullopt;
  }

 private:
  Activity activity_of(const std::vector<std::size_t>& parameters) const {
    Activity activity(inserter_.typed());
    for (const std::size_t k : parameters) activity.start(instance_.parameters[k], {true, false});
    activity.region(instance_.body);
    return activity;
  }

  // A gradient that is zero because no derivative reaches its parameter is an error; one that lacks a part, a note.
  bool ways_lead_to_loss() {
    bool good = true;
    for (std::size_t at = 0; at < written_.parameters.size(); ++at) {
      const std::size_t k = written_.parameters[at];
      const Activity activity = activity_of({k});
      const gradient::Flags loss = activity.flags(instance_.body.results[0]);
      const std::string& name = function_.parameters[k].name;
      good = good && loss.active;
      if (!loss.active) report_zero(name, written_.spans[at], activity.ends(), loss.severed);
      if (loss.active && loss.severed) note_partial(name, written_.spans[at], activity.ends());
    }
    return good;
  }

  void report_zero(const std::string& name, Span span, const std::set<End>& ends, bool severed) {
    Diagnostic diagnostic = base::make(Kind::gradient_zero, function_.name, name).at(span);
    if (severed) {
      for (const End& end : ends)
        diagnostic.labels.push_back({end.span, fmt::format("{} has no derivative", end.what), false});
    } else {
      diagnostic.labels.push_back({function_.name_span,
                                   fmt::format("no way with a derivative leads from `{}` to its first result", name),
                                   false});
    }
    const std::string others = written_.names_parameters ? "leave it out of `wrt`" : "name the others in `wrt=[...]`";
    inserter_.report(std::move(diagnostic).suggest(others));
  }

  void note_partial(const std::string& name, Span span, const std::set<End>& ends) {
    std::string what;
    std::set<std::string> seen;
    for (const End& end : ends) {
      if (seen.insert(end.what).second) what += (what.empty() ? "" : " and ") + end.what;
    }
    Diagnostic note = base::make(Kind::gradient_partial, function_.name, name, what).at(span);
    for (const End& end : ends) note.labels.push_back({end.span, fmt::format("{} has no derivative", end.what), false});
    inserter_.report(std::move(note));
  }

  MaybeHeld reversed(const std::vector<NodeId>& arguments) {
    const Activity activity = activity_of(written_.parameters);
    gradient::Scope scope(inserter_, instance_.body, activity, nullptr, gradient::Purpose::reverse,
                          gradient::Effects::kept);
    for (std::size_t k = 0; k < arguments.size(); ++k) scope.give(instance_.parameters[k], arguments[k]);
    const gradient::Build build(inserter_, span_, "`grad`");
    const NodeId loss = instance_.body.results[0];
    const auto backward = [&] {
      const MaybeHeld one = build.number(1, scope.value(loss));
      return scope.add(loss, one, build) && scope.reverse();
    };
    if (!inserter_.in_pass(synth::Pass::forward, [&] { return scope.compute(); })) return std::nullopt;
    if (!inserter_.in_pass(synth::Pass::backward, backward)) return std::nullopt;
    Held all{scope.results(), span_, {}, {}};
    bool good = true;
    for (std::size_t at = 0; at < written_.parameters.size(); ++at) {
      const std::size_t k = written_.parameters[at];
      const Held* const found = scope.cotangent(instance_.parameters[k]);
      // Its only way to the loss leads through a loop that is never taken.
      if (found == nullptr) report_zero(function_.parameters[k].name, written_.spans[at], {}, false);
      good = good && found != nullptr;
      if (good) all.nodes.push_back(found->node());
    }
    return good ? MaybeHeld(all) : std::nullopt;
  }

  Inserter& inserter_;
  const open::Gradient& written_;
  const open::Instance& function_;
  const Instance instance_;  // a copy: the store grows
  Span span_;
};

}  // namespace

void Inserter::insert(open::ValueId id, const open::Node& node, const open::Gradient& body) {
  const open::Instance& function = program_.instances[body.instance];
  const auto arguments = bring_arguments(id, function, body.arguments);
  if (!arguments.has_value()) return;
  std::vector<ArrayType> types;
  for (const NodeId argument : *arguments) types.push_back(type(argument));
  const auto instance = close(body.instance, types, node.span);
  if (!instance.has_value() || !local_allows(*instance, function.name, node.span) || !node.is_complete) return;
  keep(id, Differentiation(*this, body, function, typed_.instances[*instance], node.span).run(*arguments));
}

}  // namespace tessera::typeck
