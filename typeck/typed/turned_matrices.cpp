#include "typeck/typed/turned_matrices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "synth/program/registers.hpp"

namespace tessera::typeck {

namespace {

using synth::RegisterId;
using Indices = std::vector<std::uint8_t>;

// Are the last two dimensions exchanged, and no others? Then the elements of a matrix lie as near to each other as
// before.
bool exchanges_the_last_two(const Indices& permutation) {
  const std::size_t rank = permutation.size();
  if (rank < 2) return false;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    if (permutation[d] != d) return false;
  }
  return permutation[rank - 2] == rank - 1;
}

class Turning {
 public:
  explicit Turning(synth::Program& program) : program_(program) {}

  void run() {
    find(program_.body);
    if (turned_.empty()) return;
    for (const RegisterId output : program_.outputs) turned_.erase(output);
    keep_what_others_read(program_.body);
    if (!turned_.empty()) rewrite(program_.body);
  }

 private:
  void find(const synth::Body& body) {
    synth::for_each_apply(body, [&](const synth::Apply& apply) {
      const auto* transpose = std::get_if<synth::Transpose>(&apply.operation);
      if (transpose != nullptr && exchanges_the_last_two(transpose->permutation))
        turned_.emplace(apply.results[0], apply.operands[0]);
    });
  }

  void keep(const std::vector<RegisterId>& ids) {
    for (const RegisterId id : ids) turned_.erase(id);
  }
  void keep_what_others_read(const synth::Body& body) {
    for (const synth::Step& step : body) std::visit([&](const auto& node) { look(node); }, step.node);
  }
  void look(const synth::Apply& apply) {
    for (std::size_t k = 0; k < apply.operands.size(); ++k) {
      if (!is_by_vector(apply, k) && !is_by_what_it_turned(apply, k)) turned_.erase(apply.operands[k]);
    }
  }
  void look(const synth::Repeat& repeat) {
    keep(repeat.initial);
    keep_what_others_read(repeat.body);
    keep(repeat.next);
  }
  void look(const synth::Choose& choose) {
    keep_what_others_read(choose.then_body);
    keep(choose.then_results);
    keep_what_others_read(choose.else_body);
    keep(choose.else_results);
  }
  void look(const synth::Pipeline& pipeline) {
    keep(pipeline.initial);
    for (const synth::Body& visit : pipeline.visits) {
      synth::for_each_read(visit, [&](RegisterId id) { turned_.erase(id); });
      synth::for_each_written(visit, [&](RegisterId id) { turned_.erase(id); });
    }
    keep(pipeline.next);
  }

  // Is the operand a matrix of which the product sums the rows or the columns, each times an element of the other
  // operand? That has one element for each, in the whole array and thus in every tile: products of matrices may be left
  // to a library that adds in an order of its own.
  bool is_by_vector(const synth::Apply& apply, std::size_t k) const {
    const auto* contract = std::get_if<synth::Contract>(&apply.operation);
    if (contract == nullptr || apply.operands.size() != 2) return false;
    const Indices& own = contract->operand_indices[k];
    const Indices& other = contract->operand_indices[1 - k];
    if (own.size() < 2) return false;
    const auto is_summed = [&](std::uint8_t index) {
      return !has(contract->result_indices, index) && has(other, index);
    };
    const auto is_kept = [&](std::uint8_t index) { return has(contract->result_indices, index) && !has(other, index); };
    const std::uint8_t row = own[own.size() - 2];
    const std::uint8_t column = own.back();
    const bool is_matrix = (is_summed(row) && is_kept(column)) || (is_kept(row) && is_summed(column));
    const synth::Shape& shape = program_.registers[apply.operands[1 - k]].shape();
    for (std::size_t d = 0; d < other.size(); ++d) {
      if (is_matrix && shape[d] > 1 && has(contract->result_indices, other[d]) && !has(own, other[d])) return false;
    }
    return is_matrix;
  }
  // Is the operand multiplied by the very array that it is a transpose of, each row by each row or each column by each
  // column? The product is symmetric.
  bool is_by_what_it_turned(const synth::Apply& apply, std::size_t k) const {
    const auto* contract = std::get_if<synth::Contract>(&apply.operation);
    if (contract == nullptr || apply.operands.size() != 2) return false;
    const auto at = turned_.find(apply.operands[k]);
    if (at == turned_.end() || at->second != apply.operands[1 - k]) return false;
    Indices own = contract->operand_indices[k];
    const Indices& other = contract->operand_indices[1 - k];
    std::swap(own[own.size() - 2], own.back());
    const auto is_alone = [&](std::uint8_t index, const Indices& there) {
      return has(contract->result_indices, index) && !has(there, index);
    };
    for (std::size_t d = 0; d < own.size(); ++d) {
      if (own[d] != other[d] && !(is_alone(own[d], other) && is_alone(other[d], own))) return false;
    }
    return true;
  }
  static bool has(const Indices& list, std::uint8_t index) { return std::ranges::find(list, index) != list.end(); }

  void rewrite(synth::Body& body) {
    std::erase_if(body, [&](const synth::Step& step) {
      const auto* apply = std::get_if<synth::Apply>(&step.node);
      return apply != nullptr && !apply->results.empty() && turned_.contains(apply->results[0]);
    });
    for (synth::Step& step : body) std::visit([&](auto& node) { rewrite(node); }, step.node);
  }
  void rewrite(synth::Apply& apply) {
    auto* contract = std::get_if<synth::Contract>(&apply.operation);
    if (contract == nullptr) return;
    for (std::size_t k = 0; k < apply.operands.size(); ++k) {
      const auto at = turned_.find(apply.operands[k]);
      if (at == turned_.end()) continue;
      apply.operands[k] = at->second;
      Indices& indices = contract->operand_indices[k];
      std::swap(indices[indices.size() - 2], indices[indices.size() - 1]);
    }
  }
  void rewrite(synth::Repeat& repeat) { rewrite(repeat.body); }
  void rewrite(synth::Choose& choose) {
    rewrite(choose.then_body);
    rewrite(choose.else_body);
  }
  void rewrite(synth::Pipeline&) {}

  synth::Program& program_;
  std::map<RegisterId, RegisterId> turned_;  // what was transposed, by the transpose
};

}  // namespace

void turn_matrices(synth::Program& program) { Turning(program).run(); }

}  // namespace tessera::typeck
