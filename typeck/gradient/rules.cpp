#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

// One call for each operation. An operation without operands of floats, without a result, or with a result that is no
// float ends the way of a derivative (activity.cpp) and gives nothing.
struct Rules {
  const Reversal& r;

  bool operator()(const synth::Constant&) const { return true; }
  bool operator()(const synth::Fill&) const { return reverse_fill(r); }
  bool operator()(const synth::Iota&) const { return true; }
  bool operator()(const synth::Random&) const { return true; }
  bool operator()(const synth::Normal&) const { return true; }
  bool operator()(const synth::Load&) const { return true; }
  bool operator()(const synth::Map& o) const { return reverse_map(r, o.op); }
  bool operator()(const synth::Reduce& o) const { return reverse_reduce(r, o); }
  bool operator()(const synth::ArgReduce&) const { return true; }
  bool operator()(const synth::Find&) const { return true; }
  bool operator()(const synth::Contract& o) const { return reverse_contract(r, o); }
  bool operator()(const synth::Cumsum& o) const { return reverse_cumsum(r, o); }
  bool operator()(const synth::Sort&) const { return true; }      // ends every way (activity.cpp)
  bool operator()(const synth::Greatest&) const { return true; }  // so does this
  bool operator()(const synth::Transpose& o) const { return reverse_transpose(r, o); }
  bool operator()(const synth::Reshape&) const { return reverse_reshape(r); }
  bool operator()(const synth::Take&) const { return reverse_take(r); }
  bool operator()(const synth::ScatterAdd&) const { return reverse_scatter_add(r); }
  bool operator()(const synth::OneHot&) const { return true; }
  bool operator()(const synth::Assemble& o) const { return reverse_assemble(r, o); }
  bool operator()(const synth::Collect&) const { return true; }
  bool operator()(const synth::PrintText&) const { return true; }
  bool operator()(const synth::Print&) const { return true; }
  bool operator()(const synth::Show&) const { return true; }
  bool operator()(const synth::Save&) const { return true; }
  bool operator()(const synth::Assert&) const { return true; }
};

}  // namespace

bool reverse_operation(Scope& scope, const Build& build, const Compute& compute, NodeId id, const Held& cotangent) {
  const Reversal reversal{scope, build, compute, id, cotangent};
  return std::visit(Rules{reversal}, compute.operation);
}

}  // namespace tessera::typeck::gradient
