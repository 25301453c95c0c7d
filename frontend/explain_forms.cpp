// Mistakes that are seen where the tree is built: what the grammar lets through and no program may hold.
#include "frontend/explain.hpp"
#include "frontend/kinds.hpp"

namespace tessera::frontend {

using base::Diagnostic;
using base::make;
using base::Span;

Diagnostic without_value(Span end) {
  return make(Kind::block_without_value).at(end).suggest("end it with the expression it is worth");
}

Diagnostic if_without_else(Span keyword) {
  return make(Kind::missing_else)
      .at(keyword)
      .suggest(
          "an `if` that is a value needs both: `if c { a } else { b }`; one that prints, saves or asserts does not");
}

Diagnostic value_before_the_end(Span value) {
  return make(Kind::value_inside_block)
      .at(value)
      .suggest("more follows in this block: name the value with `let`, or remove it");
}

Diagnostic no_placement(std::string_view expected, std::string_view found, Span where) {
  return make(Kind::syntax_error, expected, found)
      .at(where)
      .suggest("a mesh is placed on the levels of a machine by `place [[4, 4], [1, 4]]` or `place auto`");
}

Diagnostic no_limit(std::string_view found, Span where) {
  return make(Kind::syntax_error, "`max`", found)
      .at(where)
      .suggest("write `while c, max=1000`: more turns than that are an error");
}

Diagnostic no_unrolling(Span word) {
  return make(Kind::unrolled_form)
      .at(word)
      .suggest(
          "leave `const` out, or write a `loop` that carries what is kept, as in `(w2, concat([all, w[new]], 0))`");
}

Diagnostic indexed_tuple(Span subscripts) {
  return make(Kind::tuple_index)
      .at(subscripts)
      .suggest("take the tuple apart with `let (a, b) = ...`, or write a list with `[ ]`");
}

}  // namespace tessera::frontend
