// `grad(f, wrt=[w, b])(x, w, b)`: f's results, then the gradient of the first with respect to each name.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/records.hpp"
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
         const open::Instance& instance, bool is_record_first)
      : elaborator_(elaborator),
        written_(written),
        fn_(function.definition()),
        instance_(instance),
        is_record_first_(is_record_first) {
    first_.push_back(0);
    for (const frontend::Parameter& parameter : fn_.parameters) {
      const std::vector<TypedField> fields = fields_of(*function.ast, parameter.type);
      fields_.push_back(names_of(fields));
      first_.push_back(first_.back() + fields.size());
    }
  }

  bool has_loss() {
    if (is_record_first_) {
      elaborator_.report(base::make(Kind::not_differentiable, fmt::format("`{}`", fn_.name.text),
                                    std::string("its first result is a record, not a scalar of floats"))
                             .at(written_.function.span)
                             .also(fn_.name.span, "declared here")
                             .suggest("give the loss first, as in `(loss, r)`"));
      return false;
    }
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
  // The instance's parameters that a parameter is: the fields of a record.
  std::vector<std::size_t> arrays_of(std::size_t k) const {
    std::vector<std::size_t> arrays;
    for (std::size_t at = first_[k]; at < first_[k + 1]; ++at) arrays.push_back(at);
    return arrays;
  }
  const Fields& fields_of_parameter(std::size_t k) const { return fields_[k]; }

 private:
  const open::Type& type_of(std::size_t k) const { return elaborator_.type(instance_.parameters[k].value); }
  bool has_slope(std::size_t k) const { return !without_slope(k).has_value(); }
  // The first of a parameter's arrays that is of no floats or complex numbers.
  std::optional<std::size_t> without_slope(std::size_t k) const {
    for (const std::size_t at : arrays_of(k)) {
      if (!synth::is_rounded(synth::computed_as(type_of(at).element()))) return at;
    }
    return std::nullopt;
  }

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
    if (const auto without = without_slope(k)) {
      const std::string is = elaborator_.text(instance_.parameters[*without].value);
      const std::string field = fields_[k].empty() ? "" : fields_[k][*without - first_[k]];
      elaborator_.report(
          base::make(Kind::not_differentiable, fmt::format("`{}`", name.text),
                     field.empty() ? fmt::format("it is {}", is) : fmt::format("its field `{}` is {}", field, is))
              .at(name.span)
              .also(found->name.span, "declared here")
              .suggest(field.empty() ? "gradients are with respect to floats and complex numbers"
                                     : "hand that field over as a parameter of its own"));
      return false;
    }
    parameters.push_back(k);
    return true;
  }

  Elaborator& elaborator_;
  const frontend::Gradient& written_;
  const frontend::Fn& fn_;
  const open::Instance& instance_;
  bool is_record_first_;
  std::vector<Fields> fields_;      // of each parameter
  std::vector<std::size_t> first_;  // of each parameter: the first of the instance's that it is
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
  const bool is_record_first = !bound->use.items.empty() && !bound->use.items.front().empty();
  Chosen chosen(*this, gradient, *function, program_.instances[callee], is_record_first);
  const bool good = bound->use.is_complete && chosen.has_loss() && chosen.choose_parameters();
  gradient::Graph graph(program_, *region_, messages_, limits(), local_depth_ > 0);
  if (!good) {
    gradient::enter(graph, taken);
    return std::nullopt;
  }
  std::vector<Fields> items = bound->use.items;
  if (items.empty()) items.resize(types.size());
  for (std::size_t at = 0; at < chosen.parameters.size(); ++at) {
    items.push_back(chosen.fields_of_parameter(chosen.parameters[at]));
    for (const std::size_t parameter : chosen.arrays_of(chosen.parameters[at])) {
      const open::Type& own = type(program_.instances[callee].parameters[parameter].value);
      types.emplace_back(synth::computed_as(own.element()), own.shape(), own.mesh_ref());
      taken.spans.push_back(gradient.wrt.has_value() ? (*gradient.wrt)[at].span : gradient.function.span);
      taken.parameters.push_back(parameter);
    }
  }
  return elements_of(gradient::differentiate(graph, taken, std::move(types)), span, std::move(items));
}

}  // namespace tessera::typeck
