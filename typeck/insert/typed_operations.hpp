// Operations of the typed program, on values that are brought together: index_wise.cpp, shapes.cpp. Private to typeck.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "synth/moves/collective/moves.hpp"
#include "typeck/insert/redistributions.hpp"
#include "typeck/layouts/signature.hpp"
#include "typeck/layouts/want.hpp"

namespace tessera::typeck {

struct ShiftedReshape;

// The bytes that filling `result` from `part` moves between devices; result element r is part element r + offset.
std::int64_t moved_bytes(const ArrayType& part, const ArrayType& result, const synth::Offset& offset);

class TypedOperations : public Redistributions {
 public:
  using Redistributions::Redistributions;

  ElementType element(const Held& value) const { return synth::computed_as(type(value).element()); }
  // An operation with an index signature in these layouts.
  MaybeHeld built(Span span, const synth::Operation& operation, std::vector<Held> operands, NodeLayouts layouts,
                  bool computes);
  // The same in the layouts that the rules give.
  MaybeHeld compute_solved(const Signature& signature, const synth::Operation& operation, std::vector<Held> operands,
                           const Want& want);
  // The operation's signature, for a result of that element type and shape.
  Signature signature(Span span, const std::string& who, const synth::Operation& operation,
                      const std::vector<Held>& operands, ElementType element, const Shape& shape) const;
  MaybeHeld map(Span span, synth::MapOp op, std::vector<Held> operands, ElementType result_element,
                const std::string& who, const Want& want);
  MaybeHeld contract(Span span, std::vector<Held> operands, const synth::Contract& contract, const std::string& who,
                     const Want& want);
  MaybeHeld reduce(Span span, const std::string& who, const Held& a, synth::ReduceKind kind,
                   const std::vector<std::size_t>& dimensions, const Want& want);
  // The positions of extremes, in the layouts that the rules give.
  MaybeHeld arg_reduced(Span span, const std::string& who, const Held& a, const synth::ArgReduce& how,
                        NodeLayouts layouts);
  // The greatest along the last dimension, likewise.
  MaybeHeld greatest(Span span, const std::string& who, const Held& a, const synth::Greatest& how, NodeLayouts layouts);
  MaybeHeld running(Span span, const std::string& who, const Held& a, const synth::Scan& how, const ArrayType& result);
  MaybeHeld recurring(Span span, const std::string& who, std::vector<Held> operands, const synth::Recur& how,
                      NodeLayouts layouts);
  // Lines that are sorted over their tiles by cuts, where they are not whole.
  MaybeHeld sorted(Span span, const std::string& who, const Held& a, const synth::Sort& how, const ArrayType& result);
  // What was compared when a value was made ready to be sorted by cuts.
  void keep_compared(const Held& value, std::vector<Alternative> compared) {
    compared_[value.node()] = std::move(compared);
  }
  // A take or a scatter_add: rows that ids name.
  MaybeHeld by_rows(Span span, const std::string& who, const synth::Operation& how, std::vector<Held> operands,
                    NodeLayouts layouts);
  MaybeHeld broadcast(Span span, const std::string& who, const Held& a, const Shape& shape, const Want& want);
  // A reshape whose tiles hold other elements before and after.
  MaybeHeld shifted(Span span, const std::string& who, const Held& value, const ShiftedReshape& reshape,
                    const ArrayType& result, std::vector<Alternative> compared);
  MaybeHeld padded(Span span, const std::string& who, const Held& a,
                   const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const Held& value,
                   const ArrayType& result);
  MaybeHeld slice(Span span, const std::string& who, const std::vector<Held>& operands,
                  const std::vector<open::Selected>& taken, const ArrayType& result);
  MaybeHeld unsqueezed(Span span, const Held& a, const std::vector<std::size_t>& dimensions);
  MaybeHeld concat(Span span, const std::string& who, std::vector<Held> all, const open::Concat& concat,
                   NodeLayouts layouts);
  MaybeHeld laid(Span span, const std::string& who, const std::vector<Held>& operands, const open::Update& update);
  MaybeHeld placed(Span span, const std::string& who, const std::vector<Held>& operands, const ArrayType& result,
                   std::vector<synth::Placement> placements);
  MaybeHeld update(Span span, const std::string& who, const std::vector<Held>& operands, const open::Update& update);
  MaybeHeld rolled(Span span, const std::string& who, const std::vector<Held>& operands, const open::Roll& roll);

 private:
  // What the tiles of an array give of its lines, as it is wanted. The values are few, and a gradient's second pass has
  // them from its first.
  MaybeHeld candidates(Span span, const Held& array, const synth::Candidates& how, const ArrayType& own,
                       const ArrayType& result, Reason why);

  std::map<NodeId, std::vector<Alternative>> compared_;
  std::map<std::pair<NodeId, std::int64_t>, std::vector<Move>> candidates_;  // by their array and their number
};

}  // namespace tessera::typeck
