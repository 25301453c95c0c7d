// Lines too long to be gathered, sorted where they lie. Private to tests/generator/.
#pragma once

#include "tests/generator/records.hpp"

namespace tessera::generator {

// An array of one to three lines of some 20,000 elements with equal ones among them, split anyhow, sorted or with the
// positions sorted: its elements at even distances are bound to a name. More than 64 KiB are not gathered for a sort,
// so lines that are split go by cuts, or are dealt where there are others.
void add_sorted_lines(Maker& maker, const AddStatement& add);

}  // namespace tessera::generator
