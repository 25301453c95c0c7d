// Elementwise operations with broadcasting, products and reductions, and what they are brought together by.
// Private to typeck/elaborate/.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "typeck/elaborate/open_graph.hpp"

namespace tessera::typeck {

class Elaborator;

class IndexWise {
 public:
  explicit IndexWise(Elaborator& elaborator) : elaborator_(elaborator) {}
  MaybeValue map(Span span, synth::MapOp op, std::vector<Checked> operands, ElementType result_element,
                 const std::string& who, bool takes_wish = true);
  // Any operation whose operands repeat as those of elementwise ones do.
  MaybeValue aligned(Span span, const synth::Operation& operation, std::vector<Checked> operands,
                     ElementType result_element, const std::string& who, bool takes_wish);
  // The values without pending sums, laid out alike where they are elements of one shape.
  std::optional<std::vector<Checked>> brought_together(Span span, std::vector<Checked> values, ElementType element,
                                                       const std::string& who);
  MaybeValue cast_to(Span span, const Checked& value, ElementType element);
  // The value as the storage type is computed with; of floats that become integers, within its ends.
  MaybeValue ready_to_store(Span span, const Checked& value, ElementType storage);
  // A real operand beside a complex one of such parts becomes complex, too. True if one did.
  bool make_complex(Checked& a, Checked& b);
  Checked widened(const Checked& value);
  MaybeValue matmul(Span span, const Checked& left, const Checked& right);
  MaybeValue contract(Span span, std::vector<Checked> operands, const std::vector<std::vector<int>>& indices,
                      const std::vector<int>& result, const std::string& who,
                      std::vector<std::string> index_names = {});
  Checked drop_dimensions(const Checked& value, std::vector<std::size_t> dimensions, const std::string& who, Span span);
  MaybeValue reduce(Span span, const std::string& who, const Checked& a, synth::ReduceKind kind,
                    const std::vector<std::size_t>& dimensions, bool takes_wish);

 private:
  MaybeValue store(Span span, const Checked& value, ElementType element);
  // The shape that all of them broadcast to.
  std::optional<Shape> broadcast_shape(Span span, const std::vector<Checked>& operands, const std::string& who);
  MaybeValue matmul_broadcast(Span span, const Checked& left, const Checked& right);

  Elaborator& elaborator_;
};

}  // namespace tessera::typeck
