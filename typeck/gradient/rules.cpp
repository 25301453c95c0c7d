#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

Use Reversal::operand(std::size_t k) const {
  if (const auto known = used.find(k); known != used.end()) return known->second;
  const Use there = scope.value(compute.operands[k].value);
  Use own = graph().compute(build.span(), type(k), open::Used{scope.maker(id), k}, {there});
  own.known = there.known;
  return used.emplace(k, own).first->second;
}

open::Type Reversal::type(std::size_t operand) const {
  const open::Type own = graph().type(scope.here(compute.operands[operand].value));
  return {synth::computed_as(own.element()), own.shape(), own.mesh_ref()};
}

void Reversal::give(std::size_t operand, const Use& contribution) const {
  scope.add_back({scope.maker(id), operand, goes_home}, compute.operands[operand].value, contribution, build);
}

namespace {

// One call for each operation. An operation without operands of floats, without a result, or with a result that is no
// float ends the way of a derivative (activity.cpp) and gives nothing.
struct Rules {
  const Reversal& r;

  void operator()(const synth::Operation& own) const { std::visit(*this, own); }

  void operator()(const synth::Constant&) const {}
  void operator()(const synth::Fill&) const { reverse_moves(r); }
  void operator()(const synth::Iota&) const {}
  void operator()(const synth::Random&) const {}
  void operator()(const synth::Normal&) const {}
  void operator()(const synth::Load&) const {}
  void operator()(const synth::Map& o) const { reverse_map(r, o.op); }
  void operator()(const synth::Reduce& o) const {
    return o.dimensions.empty() ? reverse_moves(r) : reverse_reduce(r, o);
  }
  void operator()(const synth::ArgReduce&) const {}
  void operator()(const synth::Find&) const {}
  void operator()(const synth::Contract& o) const { reverse_contract(r, o); }
  void operator()(const synth::Scan& o) const { reverse_scan(r, o); }
  void operator()(const synth::Recur& o) const { reverse_recur(r, o); }
  void operator()(const synth::Sort&) const { reverse_order(r, synth::Sort{true}); }
  void operator()(const synth::Greatest& o) const { reverse_order(r, synth::Greatest{o.count, true}); }
  void operator()(const synth::Candidates&) const {}
  void operator()(const synth::Transpose&) const { reverse_moves(r); }
  void operator()(const synth::Reshape&) const { reverse_moves(r); }
  void operator()(const synth::Take&) const { reverse_take(r); }
  void operator()(const synth::ScatterAdd&) const { reverse_scatter_add(r); }
  void operator()(const synth::Search&) const {}
  void operator()(const synth::OneHot&) const {}
  void operator()(const synth::Lay&) const { reverse_moves(r); }
  void operator()(const synth::MatrixFunction& o) const { reverse_matrix(r, o.op); }
  void operator()(const synth::Fourier& o) const { reverse_fourier(r, o); }
  void operator()(const synth::Assemble&) const { reverse_moves(r); }
  void operator()(const synth::Collect&) const {}
  void operator()(const synth::PrintText&) const {}
  void operator()(const synth::Print&) const {}
  void operator()(const synth::Show&) const {}
  void operator()(const synth::Save&) const {}
  void operator()(const synth::Assert&) const {}

  void operator()(const open::Product& o) const { reverse_contract(r, o.contract); }
  void operator()(const open::Broadcast&) const { reverse_map(r, synth::MapOp::copy); }
  void operator()(const open::Sum&) const { reverse_map(r, synth::MapOp::add); }
  void operator()(const open::Both&) const { reverse_map(r, synth::MapOp::add); }
  void operator()(const open::Pad&) const { reverse_pad(r); }
  void operator()(const open::ZerosAs&) const {}
  void operator()(const open::Make& make) const {
    for (std::size_t k = r.compute.operands.size() - (make.is_like ? 1 : 0); k-- > 0;) r.give(k, r.g);
  }
  void operator()(const open::FinishAs&) const { r.give(0, r.g); }
  template <class Moves>
  void operator()(const Moves&) const {
    reverse_moves(r);
  }
};

}  // namespace

void reverse_operation(Scope& scope, const Build& build, const open::Compute& compute, ValueId id,
                       const Use& cotangent) {
  const Reversal reversal{scope, build, compute, id, cotangent, scope.wants_one(compute.operands)};
  std::visit(Rules{reversal}, compute.operation);
}

}  // namespace tessera::typeck::gradient
