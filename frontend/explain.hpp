// From "reading stopped at this token" to a diagnostic that says what is wrong in the reader's words, and what to type.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"
#include "base/source.hpp"
#include "frontend/sentence.hpp"
#include "frontend/syntax.hpp"
#include "frontend/token.hpp"

namespace tessera::frontend {

base::Diagnostic explain(const Sentence& sentence, const Stop& stop);

// The `}` of a block that does not end with an expression.
base::Diagnostic without_value(base::Span end);

// The word `if` of one without `else` that has to be a value.
base::Diagnostic if_without_else(base::Span keyword);

// Explains an expression, other than a call or a loop, that is not the last of its block.
base::Diagnostic value_before_the_end(base::Span value);

// Another word for `max` behind the condition of a loop.
base::Diagnostic no_limit(std::string_view found, base::Span where);

// `const` in a scan or pipeline.
base::Diagnostic no_unrolling(base::Span word);

// The subscripts of a tuple.
base::Diagnostic indexed_tuple(base::Span subscripts);

// Something other than `place` and a matrix or `auto` behind the axes of a mesh.
base::Diagnostic no_placement(std::string_view expected, std::string_view found, base::Span where);

// A token of role `bad`.
base::Diagnostic explain_word(const Token& token, std::string_view text, base::SourceId source);

}  // namespace tessera::frontend
