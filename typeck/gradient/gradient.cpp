#include "typeck/gradient/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "typeck/gradient/scope.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck::gradient {

namespace {

// One gradient that is being taken.
class Differentiation {
 public:
  Differentiation(Graph& graph, const Written& written)
      : graph_(graph), written_(written), function_(graph.program().instances[written.instance]) {}

  // The results, or none.
  std::vector<Use> run(ValueId entered, const std::vector<ValueId>& arguments) {
    return ways_lead_to_loss() ? reversed(entered, arguments) : std::vector<Use>{};
  }

 private:
  Activity activity_of(const std::vector<std::size_t>& parameters) const {
    Activity activity(graph_.program());
    for (const std::size_t k : parameters) activity.start(function_.parameters[k].value, {true, false});
    activity.region(function_.body);
    return activity;
  }

  // A gradient that is zero because no derivative reaches its parameter is an error; one that lacks a part, a note.
  bool ways_lead_to_loss() {
    bool good = true;
    for (std::size_t at = 0; at < written_.parameters.size(); ++at) {
      const std::size_t k = written_.parameters[at];
      const Activity activity = activity_of({k});
      const Flags loss = activity.flags(function_.body.results[0].value);
      const std::string& name = function_.parameters[k].name;
      good = good && loss.active;
      if (!loss.active) report_zero(name, written_.spans[at], activity.ends(), loss.severed);
      if (loss.active && loss.severed) note_partial(name, written_.spans[at], activity.ends());
    }
    return good;
  }

  void report_zero(const std::string& name, Span span, const std::set<End>& ends, bool severed) {
    base::Diagnostic diagnostic = base::make(Kind::gradient_zero, function_.name, name).at(span);
    if (severed) {
      for (const End& end : ends)
        diagnostic.labels.push_back({end.span, fmt::format("{} has no derivative", end.what), false});
    } else {
      diagnostic.labels.push_back({function_.name_span,
                                   fmt::format("no way with a derivative leads from `{}` to its first result", name),
                                   false});
    }
    const std::string others = written_.names_parameters ? "leave it out of `wrt`" : "name the others in `wrt=[...]`";
    graph_.report(std::move(diagnostic).suggest(others));
  }

  void note_partial(const std::string& name, Span span, const std::set<End>& ends) {
    std::string what;
    std::set<std::string> seen;
    for (const End& end : ends) {
      if (seen.insert(end.what).second) what += (what.empty() ? "" : " and ") + end.what;
    }
    base::Diagnostic note = base::make(Kind::gradient_partial, function_.name, name, what).at(span);
    for (const End& end : ends) note.labels.push_back({end.span, fmt::format("{} has no derivative", end.what), false});
    graph_.report(std::move(note));
  }

  std::vector<Use> reversed(ValueId entered, const std::vector<ValueId>& arguments) {
    const Activity activity = activity_of(written_.parameters);
    Scope scope(graph_, function_.body, activity, nullptr, Purpose::reverse, Effects::kept);
    scope.enter(entered);
    for (std::size_t k = 0; k < arguments.size(); ++k) scope.give(function_.parameters[k].value, arguments[k]);
    const Build build(graph_, written_.span, "`grad`");
    const ValueId loss = function_.body.results[0].value;
    const auto backward = [&] {
      scope.add(loss, build.number(1, scope.value(loss)), build);
      return scope.reverse();
    };
    if (!graph_.in_pass(synth::Pass::forward, [&] { return scope.compute(); })) return {};
    if (!graph_.in_pass(synth::Pass::backward, backward)) return {};
    std::vector<Use> all;
    for (const ValueId result : scope.results()) all.push_back({result, written_.span, {}});
    bool good = true;
    for (std::size_t at = 0; at < written_.parameters.size(); ++at) {
      const std::size_t k = written_.parameters[at];
      const auto found = scope.cotangent(function_.parameters[k].value);
      // Its only way to the loss leads through a loop that is never taken.
      if (!found.has_value()) report_zero(function_.parameters[k].name, written_.spans[at], {}, false);
      good = good && found.has_value();
      if (good) all.push_back({found->value, written_.span, {}});
    }
    return good ? all : std::vector<Use>{};
  }

  Graph& graph_;
  const Written& written_;
  const open::Instance function_;  // a copy: the store may grow
};

}  // namespace

ValueId enter(Graph& graph, const Written& written) {
  const open::Instance function = graph.program().instances[written.instance];
  std::vector<Use> arguments;
  for (std::size_t k = 0; k < written.arguments.size(); ++k)
    arguments.push_back(argument(graph, function, k, written.arguments[k]));
  return graph.enter(written.span, written.instance, std::move(arguments));
}

ValueId differentiate(Graph& graph, const Written& written, std::vector<open::Type> types) {
  const ValueId entered = enter(graph, written);
  const std::vector<ValueId> arguments = graph.elements_of(entered, written.span);
  open::Gradient gradient{Differentiation(graph, written).run(entered, arguments)};
  return graph.emit(written.span, std::move(types), std::move(gradient));
}

}  // namespace tessera::typeck::gradient
