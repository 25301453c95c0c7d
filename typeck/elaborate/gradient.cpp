// `grad(f, wrt=[w, b])(x, w, b)`: f's results, then the gradient of the first with respect to each name.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/table.hpp"
#include "typeck/gradient/gradient.hpp"

namespace tessera::typeck {

namespace {

// A scalar made by an operation: `sum(a)`, `sum(relu(a))`.
std::string loss_of(std::string_view operation) {
  constexpr std::array<std::string_view, 5> kGiveScalars = {"sum", "mean", "max", "min", "prod"};
  const bool gives_scalar = std::find(kGiveScalars.begin(), kGiveScalars.end(), operation) != kGiveScalars.end();
  return gives_scalar ? fmt::format("{}(a)", operation) : fmt::format("sum({}(a))", operation);
}

// The parameters that a gradient is taken by, and whether there is one.
class Chosen {
 public:
  Chosen(Elaborator& elaborator, const frontend::Gradient& written, const Function& function,
         const open::Instance& instance)
      : elaborator_(elaborator), written_(written), fn_(function.definition()), instance_(instance) {}

  bool has_loss() {
    const ValueId loss = instance_.body.results[0].value;
    const open::Type type = elaborator_.type(loss);
    if (type.rank() == 0 && synth::is_float(type.element())) return true;
    const std::string help = synth::is_complex(type.element())
                                 ? "a loss is real: take `re(...)`, or a sum of `abs(...)`"
                             : synth::is_float(type.element()) ? "reduce it, as in `sum(...)` or `mean(...)`"
                                                               : "cast it first, as in f32(...)";
    elaborator_.report(base::make(Kind::not_differentiable, fmt::format("`{}`", fn_.name.text),
                                  fmt::format("its first result is {}, not a scalar of floats", elaborator_.text(loss)))
                           .at(written_.function.span)
                           .also(fn_.name.span, "declared here")
                           .suggest(help));
    return false;
  }

  bool choose_parameters() {
    if (written_.wrt.has_value())
      return std::all_of(written_.wrt->begin(), written_.wrt->end(), [&](const auto& name) { return choose(name); });
    for (std::size_t k = 0; k < fn_.parameters.size(); ++k) {
      if (has_slope(k)) parameters.push_back(k);
    }
    if (!parameters.empty()) return true;
    elaborator_.report(base::make(Kind::not_differentiable, fmt::format("`{}`", fn_.name.text),
                                  std::string("it has no parameter of floats or complex numbers"))
                           .at(written_.function.span));
    return false;
  }

  std::vector<std::size_t> parameters;

 private:
  const open::Type& type_of(std::size_t k) const { return elaborator_.type(instance_.parameters[k].value); }
  bool has_slope(std::size_t k) const { return synth::is_rounded(synth::computed_as(type_of(k).element())); }

  bool choose(const frontend::Name& name) {
    const auto found = std::find_if(fn_.parameters.begin(), fn_.parameters.end(),
                                    [&](const auto& parameter) { return parameter.name.text == name.text; });
    const auto k = static_cast<std::size_t>(found - fn_.parameters.begin());
    if (found == fn_.parameters.end()) {
      elaborator_.report(base::make(Kind::wrong_arguments, fn_.name.text,
                                    fmt::format("there is no parameter `{}` to take a gradient by", name.text))
                             .at(name.span)
                             .also(fn_.name.span, "defined here"));
      return false;
    }
    if (std::find(parameters.begin(), parameters.end(), k) != parameters.end()) {
      elaborator_.report(base::make(Kind::name_repeated, name.text).at(name.span));
      return false;
    }
    if (!has_slope(k)) {
      elaborator_.report(base::make(Kind::not_differentiable, fmt::format("`{}`", name.text),
                                    fmt::format("it is {}", elaborator_.text(instance_.parameters[k].value)))
                             .at(name.span)
                             .also(found->name.span, "declared here")
                             .suggest("gradients are with respect to floats and complex numbers"));
      return false;
    }
    parameters.push_back(k);
    return true;
  }

  Elaborator& elaborator_;
  const frontend::Gradient& written_;
  const frontend::Fn& fn_;
  const open::Instance& instance_;
};

}  // namespace

MaybeValue Elaborator::check_gradient(ExprId id, const frontend::Gradient& gradient) {
  if (find_operation(gradient.function.text) != nullptr) {
    report(base::make(Kind::not_differentiable, fmt::format("`{}`", gradient.function.text),
                      std::string("`grad` takes a function of the program"))
               .at(gradient.function.span)
               .suggest(fmt::format("write a function around it, as in `fn f(a: f32[N]?) = {}`",
                                    loss_of(gradient.function.text))));
    return std::nullopt;
  }
  const Function* const function = calls_.callable(gradient.function);
  if (function == nullptr) return std::nullopt;
  const Span span = ast()[id].span;
  auto bound = calls_.bind_call(span, {gradient.function, gradient.arguments}, *function);
  if (!bound.has_value()) return std::nullopt;
  const open::InstanceId callee = bound->use.instance;
  gradient::Written taken{callee, std::move(bound->arguments), {}, {}, gradient.wrt.has_value(), span};
  std::vector<open::Type> types = bound->use.results;
  Chosen chosen(*this, gradient, *function, program_.instances[callee]);
  const bool good = bound->use.is_complete && chosen.has_loss() && chosen.choose_parameters();
  gradient::Graph graph(program_, *region_, messages_, limits(), local_depth_ > 0);
  if (!good) {
    gradient::enter(graph, taken);
    return std::nullopt;
  }
  for (std::size_t at = 0; at < chosen.parameters.size(); ++at) {
    const open::Type& own = type(program_.instances[callee].parameters[chosen.parameters[at]].value);
    types.emplace_back(synth::computed_as(own.element()), own.shape(), own.mesh_ref());
    taken.spans.push_back(gradient.wrt.has_value() ? (*gradient.wrt)[at].span : gradient.function.span);
  }
  taken.parameters = std::move(chosen.parameters);
  return elements_of(gradient::differentiate(graph, taken, std::move(types)), span);
}

}  // namespace tessera::typeck
