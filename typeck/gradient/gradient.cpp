// `grad(f, wrt=[w, b])(x, w, b)`: f's results, then the gradient of the first with respect to each name.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "typeck/gradient/scope.hpp"
#include "typeck/operations/table.hpp"

namespace tessera::typeck {

namespace {

using gradient::Activity;
using gradient::End;

// One gradient that is being checked.
class Differentiation {
 public:
  Differentiation(Checker& checker, const frontend::Gradient& written, const Function& function, Span span)
      : checker_(checker), written_(written), fn_(function.definition()), function_(function), span_(span) {}

  MaybeValue run() {
    const frontend::Call call{written_.function, written_.arguments};
    const auto bound = checker_.bind_call(span_, call, function_);
    if (!bound.has_value()) return std::nullopt;
    instance_ = checker_.typed().instances[bound->use.instance];
    if (!has_loss() || !choose_parameters() || !ways_lead_to_loss()) return std::nullopt;
    return reversed(bound->arguments);
  }

 private:
  Activity activity_of(const std::vector<std::size_t>& parameters) const {
    Activity activity(checker_.typed());
    for (const std::size_t k : parameters) activity.start(instance_.parameters[k], {true, false});
    activity.region(instance_.body);
    return activity;
  }

  bool has_loss() {
    const ArrayType type = checker_.type(instance_.body.results[0]);
    if (type.rank() == 0 && synth::is_float(type.element())) return true;
    const std::string help = synth::is_float(type.element()) ? "reduce it, as in `sum(...)` or `mean(...)`"
                                                             : "cast it first, as in f32(...)";
    checker_.report(base::make(Kind::not_differentiable, fmt::format("`{}`", fn_.name.text),
                               fmt::format("its first result is {}, not a scalar of floats", checker_.text(type)))
                        .at(written_.function.span)
                        .also(fn_.name.span, "declared here")
                        .suggest(help));
    return false;
  }

  bool is_float(std::size_t k) const {
    return synth::is_float(synth::computed_as(checker_.type(instance_.parameters[k]).element()));
  }

  bool choose_parameters() {
    if (!written_.wrt.has_value()) {
      for (std::size_t k = 0; k < fn_.parameters.size(); ++k) {
        if (is_float(k)) parameters_.push_back(k);
      }
      if (!parameters_.empty()) return true;
      checker_.report(base::make(Kind::not_differentiable, fmt::format("`{}`", fn_.name.text),
                                 std::string("it has no parameter of floats"))
                          .at(written_.function.span));
      return false;
    }
    return std::all_of(written_.wrt->begin(), written_.wrt->end(), [&](const auto& name) { return choose(name); });
  }

  bool choose(const frontend::Name& name) {
    const auto found = std::find_if(fn_.parameters.begin(), fn_.parameters.end(),
                                    [&](const auto& parameter) { return parameter.name.text == name.text; });
    const auto k = static_cast<std::size_t>(found - fn_.parameters.begin());
    if (found == fn_.parameters.end()) {
      checker_.report(base::make(Kind::wrong_arguments, fn_.name.text,
                                 fmt::format("there is no parameter `{}` to take a gradient by", name.text))
                          .at(name.span)
                          .also(fn_.name.span, "defined here"));
      return false;
    }
    if (std::find(parameters_.begin(), parameters_.end(), k) != parameters_.end()) {
      checker_.report(base::make(Kind::name_repeated, name.text).at(name.span));
      return false;
    }
    if (!is_float(k)) {
      checker_.report(base::make(Kind::not_differentiable, fmt::format("`{}`", name.text),
                                 fmt::format("it is {}", checker_.text(checker_.type(instance_.parameters[k]))))
                          .at(name.span)
                          .also(found->name.span, "declared here")
                          .suggest("gradients are with respect to floats"));
      return false;
    }
    parameters_.push_back(k);
    return true;
  }

  Span span_of_wrt(std::size_t at) const {
    return written_.wrt.has_value() ? (*written_.wrt)[at].span : written_.function.span;
  }

  // A gradient that is zero because no derivative reaches its parameter is an error; one that lacks a part, a note.
  bool ways_lead_to_loss() {
    bool good = true;
    for (std::size_t at = 0; at < parameters_.size(); ++at) {
      const Activity activity = activity_of({parameters_[at]});
      const gradient::Flags loss = activity.flags(instance_.body.results[0]);
      const std::string& name = fn_.parameters[parameters_[at]].name.text;
      good = good && loss.active;
      if (!loss.active) report_zero(name, span_of_wrt(at), activity.ends(), loss.severed);
      if (loss.active && loss.severed) note_partial(name, span_of_wrt(at), activity.ends());
    }
    return good;
  }

  void report_zero(const std::string& name, Span span, const std::set<End>& ends, bool severed) {
    Diagnostic diagnostic = base::make(Kind::gradient_zero, fn_.name.text, name).at(span);
    if (severed) {
      for (const End& end : ends)
        diagnostic.labels.push_back({end.span, fmt::format("{} has no derivative", end.what), false});
    } else {
      diagnostic.labels.push_back(
          {fn_.name.span, fmt::format("no way with a derivative leads from `{}` to its first result", name), false});
    }
    const std::string others = written_.wrt.has_value() ? "leave it out of `wrt`" : "name the others in `wrt=[...]`";
    checker_.report(std::move(diagnostic).suggest(others));
  }

  void note_partial(const std::string& name, Span span, const std::set<End>& ends) {
    std::string what;
    std::set<std::string> seen;
    for (const End& end : ends) {
      if (seen.insert(end.what).second) what += (what.empty() ? "" : " and ") + end.what;
    }
    Diagnostic note = base::make(Kind::gradient_partial, fn_.name.text, name, what).at(span);
    for (const End& end : ends) note.labels.push_back({end.span, fmt::format("{} has no derivative", end.what), false});
    checker_.report(std::move(note));
  }

  MaybeValue reversed(const std::vector<NodeId>& arguments) {
    const Activity activity = activity_of(parameters_);
    gradient::Scope scope(checker_, instance_.body, activity, nullptr, gradient::Purpose::reverse,
                          gradient::Effects::kept);
    for (std::size_t k = 0; k < arguments.size(); ++k) scope.give(instance_.parameters[k], arguments[k]);
    const gradient::Build build(checker_, span_, "`grad`");
    const NodeId loss = instance_.body.results[0];
    const auto backward = [&] {
      const MaybeValue one = build.number(1, scope.value(loss));
      return scope.add(loss, one, build) && scope.reverse();
    };
    if (!checker_.in_pass(synth::Pass::forward, [&] { return scope.compute(); })) return std::nullopt;
    if (!checker_.in_pass(synth::Pass::backward, backward)) return std::nullopt;
    Checked all{scope.results(), span_, {}, {}, {}};
    bool good = true;
    for (std::size_t at = 0; at < parameters_.size(); ++at) {
      const std::size_t k = parameters_[at];
      const Checked* const found = scope.cotangent(instance_.parameters[k]);
      // Its only way to the loss leads through a loop that is never taken.
      if (found == nullptr) report_zero(fn_.parameters[k].name.text, span_of_wrt(at), {}, false);
      good = good && found != nullptr;
      if (good) all.nodes.push_back(found->node());
    }
    return good ? MaybeValue(all) : std::nullopt;
  }

  Checker& checker_;
  const frontend::Gradient& written_;
  const frontend::Fn& fn_;
  const Function& function_;
  Span span_;
  Instance instance_;
  std::vector<std::size_t> parameters_;
};

// A scalar made by an operation: `sum(a)`, `sum(relu(a))`.
std::string loss_of(std::string_view operation) {
  constexpr std::array<std::string_view, 5> kGiveScalars = {"sum", "mean", "max", "min", "prod"};
  const bool gives_scalar = std::find(kGiveScalars.begin(), kGiveScalars.end(), operation) != kGiveScalars.end();
  return gives_scalar ? fmt::format("{}(a)", operation) : fmt::format("sum({}(a))", operation);
}

}  // namespace

MaybeValue Checker::check_gradient(ExprId id, const frontend::Gradient& gradient) {
  if (find_operation(gradient.function.text) != nullptr) {
    report(base::make(Kind::not_differentiable, fmt::format("`{}`", gradient.function.text),
                      std::string("`grad` takes a function of the program"))
               .at(gradient.function.span)
               .suggest(fmt::format("write a function around it, as in `fn f(a: f32[N]?) = {}`",
                                    loss_of(gradient.function.text))));
    return std::nullopt;
  }
  const Function* const function = callable(gradient.function);
  if (function == nullptr) return std::nullopt;
  return Differentiation(*this, gradient, *function, ast()[id].span).run();
}

}  // namespace tessera::typeck
