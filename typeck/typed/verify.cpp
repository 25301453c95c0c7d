// Is the typed graph in order? Every operand is computed before its use, and every node has the results its kind has.
#include <fmt/format.h>

#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

namespace {

class Verifier {
 public:
  explicit Verifier(const Typed& typed) : typed_(typed), known_(typed.nodes.size(), false) {}

  void all() {
    for (std::size_t k = 0; k < typed_.nodes.size(); ++k) {
      const Node& node = typed_.nodes.items()[k];
      if (std::holds_alternative<Input>(node.body)) known_[k] = true;
    }
    for (const TypedStatement& statement : typed_.statements) {
      region(statement.region);
      for (const Bound& bound : statement.bound) use(bound.node, "a bound name");
    }
    for (const Instance& instance : typed_.instances.items()) {
      for (const NodeId parameter : instance.parameters) define(parameter);
      region(instance.body);
    }
  }

 private:
  void define(NodeId id) { known_[id.value] = true; }

  void use(NodeId id, const char* what) const {
    TESSERA_CHECK(id.valid() && id.value < known_.size(), fmt::format("{} names no node", what));
    TESSERA_CHECK(known_[id.value], fmt::format("{} is used before it is computed", what));
  }

  void region(const Region& nodes) {
    for (const NodeId id : nodes.order) {
      node(typed_.nodes[id]);
      define(id);
    }
    for (const NodeId result : nodes.results) use(result, "a region's result");
  }

  void node(const Node& one) {
    std::visit([&](const auto& body) { check(one, body); }, one.body);
  }

  void check(const Node& one, const Parameter&) const {
    TESSERA_CHECK(one.types.size() == 1, "a parameter has one type");
  }
  void check(const Node& one, const Input&) const { TESSERA_CHECK(one.types.size() == 1, "an input has one type"); }
  void check(const Node& one, const Compute& body) const {
    TESSERA_CHECK(one.types.size() <= 1, "an operation has at most one result");
    for (const NodeId operand : body.operands) use(operand, "an operand");
  }
  void check(const Node& one, const Redistribute& body) const {
    use(body.operand, "what is redistributed");
    TESSERA_CHECK(body.plan != nullptr && body.plan->verified, "a redistribution without a verified plan");
    TESSERA_CHECK(synth::same_type(one.types.at(0), body.plan->to), "a plan ends in another type");
    TESSERA_CHECK(synth::same_type(typed_.type(body.operand), body.plan->from), "a plan starts from another type");
  }
  void check(const Node& one, const Call& body) const {
    const Instance& instance = typed_.instances[body.instance];
    TESSERA_CHECK(instance.parameters.size() == body.arguments.size(), "a call with the wrong number of arguments");
    TESSERA_CHECK(instance.body.results.size() == one.types.size(), "a call with the wrong number of results");
    for (std::size_t k = 0; k < body.arguments.size(); ++k) {
      use(body.arguments[k], "an argument");
      TESSERA_CHECK(synth::same_type(typed_.type(body.arguments[k]), typed_.type(instance.parameters[k])),
                    "an argument of another type");
    }
  }
  void check(const Node& one, const Loop& body) {
    use(body.count, "a loop's bound");
    for (const NodeId initial : body.initial) use(initial, "a carried value");
    define(body.index);
    for (const NodeId index : body.indices_elsewhere) define(index);
    for (const NodeId parameter : body.parameters) define(parameter);
    region(body.body);
    TESSERA_CHECK(one.types.size() == body.initial.size() && body.parameters.size() == body.initial.size(),
                  "a loop's counts differ");
    for (std::size_t k = 0; k < one.types.size(); ++k) {
      TESSERA_CHECK(synth::same_type(typed_.type(body.body.results.at(k)), one.types[k]),
                    "a carried value changes its type");
    }
    const auto is_bool = [](const ArrayType& type) {
      return type.rank() == 0 && type.element() == synth::ElementType::boolean && type.layout().pending().empty();
    };
    TESSERA_CHECK(!body.condition || (*body.condition < one.types.size() && is_bool(one.types[*body.condition])),
                  "a loop's condition is no bool scalar");
  }
  void check(const Node& one, const If& body) {
    use(body.condition, "a condition");
    region(body.then_region);
    region(body.else_region);
    for (std::size_t k = 0; k < one.types.size(); ++k) {
      TESSERA_CHECK(synth::same_type(typed_.type(body.then_region.results.at(k)), one.types[k]),
                    "a branch of another type");
      TESSERA_CHECK(synth::same_type(typed_.type(body.else_region.results.at(k)), one.types[k]),
                    "a branch of another type");
    }
  }
  void check(const Node& one, const Again& body) {
    region(body.body);
    TESSERA_CHECK(one.types.size() == body.body.results.size(), "a block has other results than its body");
    for (std::size_t k = 0; k < one.types.size(); ++k) {
      TESSERA_CHECK(synth::same_type(typed_.type(body.body.results[k]), one.types[k]), "a result of another type");
    }
  }
  void check(const Node& one, const Element& body) const {
    use(body.tuple, "a tuple");
    TESSERA_CHECK(body.index < typed_.nodes[body.tuple].types.size() && one.types.size() == 1,
                  "a tuple has no such element");
  }

  const Typed& typed_;
  std::vector<bool> known_;
};

}  // namespace

base::Status verify(const Typed& typed) {
  return base::guarded([&]() -> base::Status {
    Verifier(typed).all();
    return base::Done{};
  });
}

}  // namespace tessera::typeck
