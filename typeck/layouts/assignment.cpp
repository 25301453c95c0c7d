#include "typeck/layouts/assignment.hpp"

#include <algorithm>

namespace tessera::typeck {

BodyLayouts* Assignment::find(open::InstanceId function, const std::vector<synth::ArrayType>& arguments) {
  const auto found = std::ranges::find_if(
      bodies_, [&](const BodyLayouts& body) { return body.function == function && body.arguments == arguments; });
  return found == bodies_.end() ? nullptr : &*found;
}

BodyLayouts& Assignment::add(open::InstanceId function, std::vector<synth::ArrayType> arguments) {
  return bodies_.emplace_back(BodyLayouts{function, std::move(arguments), {}});
}

namespace {

// Does the layout belong to the node's results?
void verify_types(const open::Node& node, const NodeLayouts& layouts) {
  TESSERA_CHECK(layouts.types.size() == node.types.size(), "a node has another number of results than layouts");
  for (std::size_t k = 0; k < node.types.size(); ++k) {
    TESSERA_CHECK(layouts.types[k].shape() == node.types[k].shape(), "a layout is one of another shape");
  }
}

// An operand changes its layout, and nothing else.
void verify_uses(const open::Program& program, const std::vector<open::Use>& operands, const NodeLayouts& layouts) {
  TESSERA_CHECK(layouts.uses.size() <= operands.size(), "a node has more ways than operands");
  for (std::size_t k = 0; k < layouts.uses.size(); ++k) {
    for (const Change& change : layouts.uses[k])
      TESSERA_CHECK(change.to.shape() == program.type(operands[k].value).shape(), "a use changes a shape");
  }
}

void verify_body(const open::Program& program, const BodyLayouts& body) {
  TESSERA_CHECK(!body.function.has_value() || body.function->value < program.instances.size(),
                "layouts of a function that is not there");
  for (const auto& [id, layouts] : body.nodes) {
    TESSERA_CHECK(id.value < program.nodes.size(), "layouts of a value that is not there");
    const open::Node& node = program.nodes[id];
    if (!std::holds_alternative<open::Gradient>(node.body)) verify_types(node, layouts);
    if (const auto* compute = std::get_if<open::Compute>(&node.body)) verify_uses(program, compute->operands, layouts);
    if (const auto* call = std::get_if<open::Call>(&node.body)) verify_uses(program, call->arguments, layouts);
    if (const auto* written = std::get_if<open::As>(&node.body)) verify_uses(program, {written->operand}, layouts);
  }
}

}  // namespace

base::Status verify(const open::Program& program, const Assignment& assignment) {
  return base::guarded([&]() -> base::Status {
    for (const BodyLayouts& body : assignment.bodies()) verify_body(program, body);
    return base::Done{};
  });
}

}  // namespace tessera::typeck
