#include "bench/choose/training.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace tessera::bench {

using synth::ChoiceNode;
using synth::Contract;
using synth::ElementType;
using synth::Map;
using synth::MapOp;
using synth::Reduce;
using synth::ReduceKind;
using synth::Shape;

namespace {

Contract contract_of(std::string_view indices) {
  Contract contract;
  contract.operand_indices.resize(2);
  std::size_t part = 0;
  for (const char c : indices) {
    if (c == ',' || c == '>') ++part;
    if (c < 'a' || c > 'z') continue;
    const auto index = static_cast<std::uint8_t>(c - 'a');
    (part < 2 ? contract.operand_indices[part] : contract.result_indices).push_back(index);
  }
  return contract;
}

}  // namespace

TrainingTape::TrainingTape(synth::MeshRef mesh, std::vector<std::size_t> axes) {
  problem_.mesh = std::move(mesh);
  problem_.axes = std::move(axes);
}

ChoiceValueId TrainingTape::add(synth::Operation operation, const std::vector<ChoiceValueId>& operands,
                                const Shape& shape, bool scales_sums) {
  ChoiceNode node;
  node.operation = std::move(operation);
  for (const ChoiceValueId operand : operands) node.uses.push_back({operand, {}});
  node.executions = executions_;
  node.scales_sums = scales_sums;
  node.result = problem_.add(ElementType::f32, shape);
  maker_.push_back(problem_.nodes.size());
  problem_.nodes.push_back(std::move(node));
  return *problem_.nodes.back().result;
}

ChoiceValueId TrainingTape::parameter(const Shape& shape) {
  ChoiceNode node;
  node.executions = executions_;
  node.result = problem_.add(ElementType::f32, shape);
  maker_.push_back(problem_.nodes.size());
  problem_.nodes.push_back(std::move(node));
  return *problem_.nodes.back().result;
}

ChoiceValueId TrainingTape::argument(const Shape& shape, const synth::Layout& pin) {
  const ChoiceValueId value = parameter(shape);
  problem_.nodes.back().pin = pin;
  return value;
}

ChoiceValueId TrainingTape::product(std::string_view indices, ChoiceValueId a, ChoiceValueId b) {
  const Contract contract = contract_of(indices);
  Shape shape;
  for (const std::uint8_t index : contract.result_indices) {
    for (const auto& [own, value] :
         {std::pair(contract.operand_indices[0], a), std::pair(contract.operand_indices[1], b)}) {
      const auto found = std::ranges::find(own, index);
      if (found == own.end()) continue;
      shape.push_back(problem_[value].shape[static_cast<std::size_t>(found - own.begin())]);
      break;
    }
  }
  return add(contract, {a, b}, shape);
}

ChoiceValueId TrainingTape::map(MapOp op, const std::vector<ChoiceValueId>& operands) {
  Shape shape;
  for (const ChoiceValueId operand : operands) {
    const Shape& own = problem_[operand].shape;
    if (own.size() > shape.size()) shape = own;
  }
  for (const ChoiceValueId operand : operands) {
    const Shape& own = problem_[operand].shape;
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& extent = shape[shape.size() - own.size() + d];
      extent = std::max(extent, own[d]);
    }
  }
  return add(Map{op}, operands, shape);
}

ChoiceValueId TrainingTape::scaled(ChoiceValueId value) {
  const ChoiceValueId rate = add(synth::Constant{}, {}, {});
  return add(Map{MapOp::multiply}, {value, rate}, Shape(problem_[value].shape), true);
}

ChoiceValueId TrainingTape::sum(ChoiceValueId value, std::uint8_t dimension) {
  Shape shape = problem_[value].shape;
  shape.erase(dimension);
  return add(Reduce{ReduceKind::sum, {dimension}}, {value}, shape);
}

ChoiceValueId TrainingTape::sum_of_all(ChoiceValueId value) {
  Reduce reduce{ReduceKind::sum, {}};
  for (std::size_t d = 0; d < problem_[value].shape.size(); ++d)
    reduce.dimensions.push_back(static_cast<std::uint8_t>(d));
  return add(reduce, {value}, {});
}

// A dimension of extent 1 is put in, and repeats.
ChoiceValueId TrainingTape::repeated(ChoiceValueId value, const Shape& shape, std::uint8_t dimension) {
  Shape with_one = problem_[value].shape;
  with_one.insert(dimension, 1);
  const ChoiceValueId wide = reshaped(value, with_one);
  return add(Map{MapOp::copy}, {wide}, shape);
}

ChoiceValueId TrainingTape::reshaped(ChoiceValueId value, const Shape& shape) {
  return add(synth::Reshape{}, {value}, shape);
}

void TrainingTape::becomes(ChoiceValueId parameter, ChoiceValueId next) {
  problem_.nodes[maker_[parameter.value]].uses.push_back({next, {}});
}

void TrainingTape::result(ChoiceValueId value) {
  ChoiceNode node;
  node.uses = {{value, {}}};
  problem_.nodes.push_back(std::move(node));
}

// ---- Gradients ----

// The cotangents of several readers are added up.
void TrainingTape::give(ChoiceValueId value, ChoiceValueId cotangent) {
  ChoiceValueId& own = cotangents_[value.value];
  own = own.valid() ? map(MapOp::add, {own, cotangent}) : cotangent;
}

// Sums over what was repeated.
ChoiceValueId TrainingTape::summed_to(ChoiceValueId value, const Shape& shape) {
  ChoiceValueId found = value;
  while (problem_[found].shape.size() > shape.size()) found = sum(found, 0);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 || problem_[found].shape[d] == 1) continue;
    const ChoiceValueId without = sum(found, static_cast<std::uint8_t>(d));
    Shape with_one = problem_[without].shape;
    with_one.insert(d, 1);
    found = reshaped(without, with_one);
  }
  return found;
}

void TrainingTape::back_through(const Contract& contract, std::size_t node, ChoiceValueId cotangent) {
  const ChoiceValueId a = problem_.nodes[node].uses[0].value;
  const ChoiceValueId b = problem_.nodes[node].uses[1].value;
  const Contract to_a{{contract.result_indices, contract.operand_indices[1]}, contract.operand_indices[0]};
  const Contract to_b{{contract.operand_indices[0], contract.result_indices}, contract.operand_indices[1]};
  give(a, add(to_a, {cotangent, b}, Shape(problem_[a].shape)));
  give(b, add(to_b, {a, cotangent}, Shape(problem_[b].shape)));
}

void TrainingTape::back_through(MapOp op, std::size_t node, ChoiceValueId cotangent) {
  const auto operand = [&](std::size_t k) { return problem_.nodes[node].uses[k].value; };
  const ChoiceValueId result = *problem_.nodes[node].result;
  const auto to = [&](std::size_t k, ChoiceValueId own) {
    give(operand(k), summed_to(own, Shape(problem_[operand(k)].shape)));
  };
  if (op == MapOp::add || op == MapOp::subtract) {
    to(0, cotangent);
    to(1, op == MapOp::add ? cotangent : map(MapOp::negate, {cotangent}));
  } else if (op == MapOp::multiply) {
    const ChoiceValueId first = map(MapOp::multiply, {cotangent, operand(1)});
    const ChoiceValueId second = operand(0) == operand(1) ? first : map(MapOp::multiply, {cotangent, operand(0)});
    to(0, first);
    to(1, second);
  } else if (op == MapOp::exp) {
    to(0, map(MapOp::multiply, {cotangent, result}));
  } else if (op == MapOp::divide) {
    const ChoiceValueId first = map(MapOp::divide, {cotangent, operand(1)});
    to(0, first);
    to(1, map(MapOp::negate, {map(MapOp::multiply, {first, result})}));
  } else if (op == MapOp::copy) {
    to(0, cotangent);
  } else {  // relu, rsqrt: a mask or a power of what came out
    to(0, map(MapOp::multiply, {cotangent, map(MapOp::sign, {result})}));
  }
}

void TrainingTape::give_back(std::size_t n, ChoiceValueId cotangent) {
  const synth::Operation operation = *problem_.nodes[n].operation;
  const ChoiceValueId operand = problem_.nodes[n].uses.empty() ? ChoiceValueId{} : problem_.nodes[n].uses[0].value;
  if (const auto* contract = std::get_if<Contract>(&operation)) return back_through(*contract, n, cotangent);
  if (const auto* own = std::get_if<Map>(&operation)) return back_through(own->op, n, cotangent);
  if (std::holds_alternative<synth::Reshape>(operation))
    return give(operand, reshaped(cotangent, Shape(problem_[operand].shape)));
  const auto* reduce = std::get_if<Reduce>(&operation);
  if (reduce == nullptr) return;
  const Shape whole = problem_[operand].shape;
  if (problem_[cotangent].shape.empty()) return give(operand, add(Map{MapOp::copy}, {cotangent}, whole));
  give(operand, repeated(cotangent, whole, reduce->dimensions[0]));
}

std::vector<ChoiceValueId> TrainingTape::gradients(ChoiceValueId loss, const std::vector<ChoiceValueId>& wrt) {
  cotangents_.assign(loss.value + 1, ChoiceValueId{});
  cotangents_[loss.value] = add(synth::Constant{}, {}, {});
  for (std::size_t v = loss.value + 1; v-- > 0;) {
    const std::size_t n = maker_[v];
    if (cotangents_[v].valid() && problem_.nodes[n].operation) give_back(n, cotangents_[v]);
  }
  std::vector<ChoiceValueId> found;
  for (const ChoiceValueId value : wrt) found.push_back(cotangents_[value.value]);
  return found;
}

// ---- Programs ----

namespace {

std::vector<std::size_t> all_axes(const synth::Mesh& mesh) {
  std::vector<std::size_t> axes(mesh.axes().size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

void descend(TrainingTape& tape, ChoiceValueId loss, const std::vector<ChoiceValueId>& weights, bool trains) {
  tape.result(loss);
  if (!trains) return;
  const std::vector<ChoiceValueId> gradients = tape.gradients(loss, weights);
  for (std::size_t w = 0; w < weights.size(); ++w)
    tape.becomes(weights[w], tape.map(MapOp::subtract, {weights[w], tape.scaled(gradients[w])}));
}

ChoiceValueId squares(TrainingTape& tape, ChoiceValueId value) {
  return tape.sum_of_all(tape.map(MapOp::multiply, {value, value}));
}

// Divides by the root of the mean square of the last dimension.
ChoiceValueId normalised(TrainingTape& tape, ChoiceValueId x) {
  const Shape shape = tape.shape(x);
  const auto last = static_cast<std::uint8_t>(shape.size() - 1);
  const ChoiceValueId power = tape.sum(tape.map(MapOp::multiply, {x, x}), last);
  return tape.map(MapOp::multiply, {x, tape.repeated(tape.map(MapOp::rsqrt, {power}), shape, last)});
}

ChoiceValueId softmax(TrainingTape& tape, ChoiceValueId scores) {
  const Shape shape = tape.shape(scores);
  const auto last = static_cast<std::uint8_t>(shape.size() - 1);
  const ChoiceValueId powers = tape.map(MapOp::exp, {scores});
  return tape.map(MapOp::divide, {powers, tape.repeated(tape.sum(powers, last), shape, last)});
}

ChoiceValueId block(TrainingTape& tape, const BlockShape& shape, ChoiceValueId x, std::vector<ChoiceValueId>& weights) {
  const std::int64_t each = shape.width / shape.heads;
  const auto weight = [&](const Shape& own) { return weights.emplace_back(tape.parameter(own)); };
  const ChoiceValueId before = normalised(tape, x);
  const ChoiceValueId q = tape.product("btd,dhe->bthe", before, weight({shape.width, shape.heads, each}));
  const ChoiceValueId k = tape.product("btd,dhe->bthe", before, weight({shape.width, shape.heads, each}));
  const ChoiceValueId v = tape.product("btd,dhe->bthe", before, weight({shape.width, shape.heads, each}));
  const ChoiceValueId share = softmax(tape, tape.product("bthe,bshe->bhts", q, k));
  const ChoiceValueId mixed = tape.product("bhts,bshe->bthe", share, v);
  const ChoiceValueId out = tape.product("bthe,hed->btd", mixed, weight({shape.heads, each, shape.width}));
  const ChoiceValueId middle = tape.map(MapOp::add, {x, out});
  const ChoiceValueId up = tape.product("btd,df->btf", normalised(tape, middle), weight({shape.width, shape.hidden}));
  const ChoiceValueId down =
      tape.product("btf,fd->btd", tape.map(MapOp::relu, {up}), weight({shape.hidden, shape.width}));
  return tape.map(MapOp::add, {middle, down});
}

}  // namespace

synth::ChoiceProblem perceptron(const synth::MeshRef& mesh, const PerceptronShape& shape, bool trains) {
  TrainingTape tape(mesh, all_axes(*mesh));
  ChoiceValueId value = tape.parameter({shape.samples, shape.widths[0]});
  std::vector<ChoiceValueId> weights;
  for (std::size_t i = 1; i < shape.widths.size(); ++i) {
    if (i > 1) value = tape.map(MapOp::relu, {value});
    weights.push_back(tape.parameter({shape.widths[i - 1], shape.widths[i]}));
    value = tape.product("ij,jk->ik", value, weights.back());
  }
  descend(tape, squares(tape, value), weights, trains);
  return std::move(tape).take();
}

synth::ChoiceProblem transformer(const synth::MeshRef& mesh, const BlockShape& shape, bool trains) {
  TrainingTape tape(mesh, all_axes(*mesh));
  ChoiceValueId x = tape.parameter({shape.samples, shape.tokens, shape.width});
  std::vector<ChoiceValueId> weights;
  tape.executions(shape.executions);
  for (int i = 0; i < shape.blocks; ++i) x = block(tape, shape, x, weights);
  descend(tape, squares(tape, x), weights, trains);
  return std::move(tape).take();
}

}  // namespace tessera::bench
