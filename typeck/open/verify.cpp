// Is the open graph in order? Every operand is computed before its use, where it can be seen; every node has the
// results its kind has; and shapes agree where an operation says in a word how.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "typeck/open/open.hpp"
#include "typeck/open/shapes.hpp"

namespace tessera::typeck::open {

namespace {

bool same_elements(const Type& a, const Type& b) { return a.element() == b.element() && a.shape() == b.shape(); }

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), known_(program.nodes.size(), false) {
    texts_.strings = program.strings;
  }

  void all() {
    for (std::size_t k = 0; k < program_.nodes.size(); ++k) {
      const Node& node = program_.nodes.items()[k];
      if (!std::holds_alternative<Input>(node.body)) continue;
      TESSERA_CHECK(node.types.size() == 1, "an input has one type");
      known_[k] = true;
    }
    instances_ = program_.instances.size();
    for (const Statement& statement : program_.statements) {
      region(statement.region);
      for (const Bound& bound : statement.bound) {
        use(bound.value, "a bound name");
        type(bound.value);
      }
      if (statement.shown.has_value()) use(*statement.shown, "what is shown");
    }
    // A function may use what the program binds.
    for (std::size_t k = 0; k < program_.instances.size(); ++k) instance(program_.instances.items()[k], k);
  }

 private:
  // A function calls earlier ones.
  void instance(const Instance& one, std::size_t number) {
    instances_ = number;
    const std::size_t outer = scope_.size();
    for (const Instance::Parameter& parameter : one.parameters) {
      define_parameter(parameter.value);
      const bool fits = !parameter.layout.has_value() || layout_fits(*parameter.layout, type(parameter.value));
      TESSERA_CHECK(fits, "a parameter's layout is not one of its mesh");
    }
    region(one.body);
    if (one.chosen.has_value()) chosen(one, *one.chosen);
    TESSERA_CHECK(one.is_complete, "a function is not complete");
    leave(outer);
  }

  static void chosen(const Instance& one, const ChosenLayouts& layouts) {
    TESSERA_CHECK(layouts.mesh != nullptr, "layouts are chosen on no mesh");
    for (const std::size_t axis : layouts.axes)
      TESSERA_CHECK(axis < layouts.mesh->axes().size(), "layouts are chosen over an axis that the mesh does not have");
    TESSERA_CHECK(layouts.results_as.size() == one.body.results.size(), "a function has other results than are chosen");
    TESSERA_CHECK(layouts.result_names.empty() || layouts.result_names.size() == layouts.results_as.size(),
                  "a function has other results than have names");
    for (const auto& as : layouts.results_as)
      TESSERA_CHECK(!as.has_value() || *as < one.parameters.size(), "a result lies as no parameter");
  }

  const Type& type(ValueId id) const {
    const std::vector<Type>& types = program_.nodes[id].types;
    TESSERA_CHECK(!types.empty(), "a value without a type is used");
    return types.front();
  }
  void define(ValueId id) {
    TESSERA_CHECK(id.valid() && id.value < known_.size(), "a region lists no node");
    TESSERA_CHECK(!known_[id.value], "a value is computed twice");
    known_[id.value] = true;
    scope_.push_back(id);
  }
  void define_parameter(ValueId id) {
    define(id);
    const Node& node = program_.nodes[id];
    TESSERA_CHECK(std::holds_alternative<Parameter>(node.body) && node.types.size() == 1, "a parameter has one type");
  }
  // What was defined since is not seen outside; it is not defined again, either.
  void leave(std::size_t outer) {
    for (std::size_t k = outer; k < scope_.size(); ++k) left_.insert(scope_[k]);
    scope_.resize(outer);
  }
  void use(ValueId id, const char* what) const {
    TESSERA_CHECK(id.valid() && id.value < known_.size(), fmt::format("{} names no value", what));
    TESSERA_CHECK(known_[id.value], fmt::format("{} is used before it is computed", what));
    TESSERA_CHECK(!left_.contains(id), fmt::format("{} is used outside the region that computes it", what));
  }
  void uses(const std::vector<Use>& all, const char* what) const {
    for (const Use& one : all) use(one.value, what);
  }
  void open_uses(const std::vector<Use>& all, const char* what) const {
    for (const Use& one : all) {
      if (one.value.valid()) use(one.value, what);
    }
  }

  void region(const Region& nodes) {
    for (const ValueId id : nodes.order) {
      node(program_.nodes[id]);
      define(id);
    }
    open_uses(nodes.results, "a region's result");
  }
  void inner(const Region& nodes) {
    const std::size_t outer = scope_.size();
    region(nodes);
    leave(outer);
  }

  void node(const Node& one) {
    TESSERA_CHECK(one.is_complete, "a node is not complete");
    if (one.wish.has_value() && one.wish->layout.has_value())
      TESSERA_CHECK(one.wish->mesh != nullptr, "a layout is wished for on no mesh");
    if (one.wish.has_value() && one.wish->as_that.valid()) use(one.wish->as_that, "a value that is wished for");
    if (one.made_for.valid()) made_for(one);
    if (one.copy_of.valid()) copy(one);
    std::visit([&](const auto& body) { check(one, body); }, one.body);
  }
  void made_for(const Node& one) const {
    TESSERA_CHECK(one.made_for.value < known_.size(), "a node is made for none");
    use(one.entered, "the function that a node is made for");
    TESSERA_CHECK(std::holds_alternative<Enter>(program_.nodes[one.entered].body), "a node is made for no function");
  }
  void copy(const Node& one) const {
    TESSERA_CHECK(one.copy_of == one.made_for, "a copy of no node");
    const Node& original = program_.nodes[one.copy_of];
    TESSERA_CHECK(original.body.index() == one.body.index() && original.types == one.types,
                  "a copy is not like its original");
  }

  void check(const Node&, const Parameter&) const { TESSERA_CHECK(false, "a region lists a parameter"); }
  void check(const Node&, const Input&) const { TESSERA_CHECK(false, "a region lists an input"); }
  void check(const Node& one, const Compute& body) const {
    uses(body.operands, "an operand");
    std::vector<Type> operands;
    for (const Use& operand : body.operands) operands.push_back(type(operand.value));
    if (const auto* used = std::get_if<Used>(&body.operation)) use(used->by, "an operation whose operand is used");
    if (const auto* back = std::get_if<Back>(&body.operation)) use(back->by, "an operation that is reversed");
    if (const auto* home = std::get_if<Home>(&body.operation)) use(home->by, "an operation that is reversed");
    const std::string fault = fault_of(program_, texts_, body.operation, operands, one.types);
    TESSERA_CHECK(fault.empty(), fault);
  }
  void check(const Node& one, const As& body) const {
    use(body.operand.value, "what is laid out");
    TESSERA_CHECK(one.types.size() == 1 && one.types[0].shape() == type(body.operand.value).shape(),
                  "a layout changes a shape");
    TESSERA_CHECK(layout_fits(body.layout, one.types[0]), "a written layout is not one of its mesh");
  }
  void arguments_fit(InstanceId callee, const std::vector<Use>& arguments) const {
    TESSERA_CHECK(callee.value < instances_, "a function is called before it is there");
    const Instance& instance = program_.instances[callee];
    TESSERA_CHECK(instance.parameters.size() == arguments.size(), "a call with the wrong number of arguments");
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      use(arguments[k].value, "an argument");
      TESSERA_CHECK(same_elements(type(arguments[k].value), type(instance.parameters[k].value)),
                    "an argument of another type");
    }
  }
  void results_fit(const std::vector<Use>& results, const std::vector<Type>& types) const {
    for (const Use& result : results) TESSERA_CHECK(result.value.valid(), "a result is missing");
    open_results_fit(results, types);
  }
  // Those without a value are zeros.
  void open_results_fit(const std::vector<Use>& results, const std::vector<Type>& types) const {
    TESSERA_CHECK(results.size() == types.size(), "a region has another number of results");
    for (std::size_t k = 0; k < types.size(); ++k)
      TESSERA_CHECK(!results[k].value.valid() || same_elements(type(results[k].value), types[k]),
                    "a result of another type");
  }
  void check(const Node& one, const Call& body) const {
    arguments_fit(body.instance, body.arguments);
    results_fit(program_.instances[body.instance].body.results, one.types);
  }
  void check(const Node& one, const Loop& body) {
    use(body.count.value, "a loop's bound");
    open_uses(body.initial, "a carried value");
    // What gradients carry has no name.
    TESSERA_CHECK(body.parameters.size() == body.initial.size() && body.names.size() <= body.initial.size(),
                  "a loop's counts differ");
    if (body.condition.has_value()) {
      TESSERA_CHECK(*body.condition < body.initial.size() && !body.pipeline.has_value(), "a condition of no loop");
      const Type& own = type(body.initial[*body.condition].value);
      TESSERA_CHECK(own.shape().empty() && own.element() == synth::ElementType::boolean, "a condition is no bool");
    }
    TESSERA_CHECK(!body.is_limited || body.condition.has_value(), "a limit without a condition");
    for (const std::uint32_t k : body.fresh)
      TESSERA_CHECK(k < body.initial.size() && body.initial[k].value.valid(), "a start that is not there is laid out");
    const std::size_t outer = scope_.size();
    define_parameter(body.index);
    for (const ValueId index : body.indices_elsewhere) define_parameter(index);
    for (const ValueId parameter : body.parameters) define_parameter(parameter);
    for (std::size_t k = 0; k < body.initial.size(); ++k)
      TESSERA_CHECK(
          !body.initial[k].value.valid() || same_elements(type(body.initial[k].value), type(body.parameters[k])),
          "a carried value of another type");
    region(body.body);
    results_fit(body.body.results, one.types);
    open_results_fit(body.initial, one.types);
    leave(outer);
  }
  void check(const Node& one, const If& body) {
    use(body.condition, "a condition");
    TESSERA_CHECK(type(body.condition).shape().empty(), "a condition is no scalar");
    inner(body.then_region);
    inner(body.else_region);
    results_fit_branch(body.then_region.results, one.types);
    results_fit_branch(body.else_region.results, one.types);
  }
  void results_fit_branch(const std::vector<Use>& results, const std::vector<Type>& types) const {
    if (!types.empty() || !results.empty()) open_results_fit(results, types);
  }
  void check(const Node& one, const Again& body) {
    inner(body.body);
    results_fit(body.body.results, one.types);
  }
  void check(const Node& one, const Element& body) const {
    use(body.tuple, "a tuple");
    const std::vector<Type>& types = program_.nodes[body.tuple].types;
    TESSERA_CHECK(body.index < types.size() && one.types.size() == 1 && one.types[0] == types[body.index],
                  "a tuple has no such element");
  }
  void check(const Node& one, const Enter& body) const {
    arguments_fit(body.instance, body.arguments);
    results_fit(body.arguments, one.types);
  }
  void check(const Node& one, const Gradient& body) const {
    uses(body.results, "a result of a gradient");
    results_fit(body.results, one.types);
  }
  void check(const Node& one, const PlanText& body) {
    TESSERA_CHECK(one.types.empty(), "a plan has no results");
    inner(body.region);
  }
  void check(const Node&, const Definition& body) const {
    TESSERA_CHECK(body.instance.value < instances_, "a function is checked before it is there");
    for (const Instance::Parameter& parameter : program_.instances[body.instance].parameters)
      TESSERA_CHECK(parameter.layout.has_value(), "a function that says all of its layouts lacks one");
  }

  const Program& program_;
  synth::Program texts_;
  std::vector<bool> known_;
  std::vector<ValueId> scope_;  // what has been defined in the regions that are open
  std::set<ValueId> left_;      // what was defined in regions that are closed
  std::size_t instances_ = 0;   // those that may be called
};

}  // namespace

base::Status verify(const Program& program) {
  return base::guarded([&]() -> base::Status {
    Verifier(program).all();
    return base::Done{};
  });
}

}  // namespace tessera::typeck::open
