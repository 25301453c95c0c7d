// Programs to choose layouts for: forward passes that are written as operations, and their gradients by the rules of
// docs/gradients.md. A tape for benchmarks and tests, not the language's own `grad`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "synth/program/choice/problem.hpp"

namespace tessera::bench {

using synth::ChoiceValueId;

// Builds a problem operation by operation. A value's last dimensions are those that broadcast.
class TrainingTape {
 public:
  TrainingTape(synth::MeshRef mesh, std::vector<std::size_t> axes);

  // A parameter whose layout is free, or as pinned.
  ChoiceValueId parameter(const synth::Shape& shape);
  ChoiceValueId argument(const synth::Shape& shape, const synth::Layout& pin);
  // A product as einsum writes it, of two operands: `ij,jk->ik`. An index is a letter.
  ChoiceValueId product(std::string_view indices, ChoiceValueId a, ChoiceValueId b);
  ChoiceValueId map(synth::MapOp op, const std::vector<ChoiceValueId>& operands);
  // The value times a constant of at most 1, through which pending sums pass.
  ChoiceValueId scaled(ChoiceValueId value);
  ChoiceValueId sum(ChoiceValueId value, std::uint8_t dimension);
  ChoiceValueId sum_of_all(ChoiceValueId value);
  ChoiceValueId repeated(ChoiceValueId value, const synth::Shape& shape, std::uint8_t dimension);
  // From a sum over this dimension on, without gradients: what normalises.
  ChoiceValueId reshaped(ChoiceValueId value, const synth::Shape& shape);

  // Goes back from a scalar, and gives each of the values its gradient.
  std::vector<ChoiceValueId> gradients(ChoiceValueId loss, const std::vector<ChoiceValueId>& wrt);
  // The next value of a parameter, which lies as the parameter does.
  void becomes(ChoiceValueId parameter, ChoiceValueId next);
  // Somebody wants the value finished.
  void result(ChoiceValueId value);
  // All operations from here on run so many times.
  void executions(double count) { executions_ = count; }

  const synth::Shape& shape(ChoiceValueId value) const { return problem_[value].shape; }
  synth::ChoiceProblem take() && { return std::move(problem_); }

 private:
  ChoiceValueId add(synth::Operation operation, const std::vector<ChoiceValueId>& operands, const synth::Shape& shape,
                    bool scales_sums = false);
  ChoiceValueId made_by(synth::Operation operation);
  void give_back(std::size_t node, ChoiceValueId cotangent);
  void back_through(const synth::Contract& contract, std::size_t node, ChoiceValueId cotangent);
  void back_through(synth::MapOp op, std::size_t node, ChoiceValueId cotangent);
  void give(ChoiceValueId value, ChoiceValueId cotangent);
  ChoiceValueId summed_to(ChoiceValueId value, const synth::Shape& shape);

  synth::ChoiceProblem problem_;
  std::vector<std::size_t> maker_;         // of every value its node
  std::vector<ChoiceValueId> cotangents_;  // of every value; none: an id that is not valid
  double executions_ = 1;
};

// A multilayer perceptron with relu between its layers, its loss (the sum of squares of what comes out), and, if asked
// for, a step of gradient descent. Every width is a layer's; the first is the input's.
struct PerceptronShape {
  std::int64_t samples = 64;
  std::vector<std::int64_t> widths;
};
synth::ChoiceProblem perceptron(const synth::MeshRef& mesh, const PerceptronShape& shape, bool trains);

// Blocks of a transformer: attention and a feed-forward layer with residuals and normalised inputs, without biases.
struct BlockShape {
  std::int64_t samples = 64;
  std::int64_t tokens = 128;
  std::int64_t width = 1024;
  std::int64_t heads = 16;
  std::int64_t hidden = 4096;
  int blocks = 1;
  double executions = 1;  // of each block: as one piece, its input and result tied
};
synth::ChoiceProblem transformer(const synth::MeshRef& mesh, const BlockShape& shape, bool trains);

}  // namespace tessera::bench
