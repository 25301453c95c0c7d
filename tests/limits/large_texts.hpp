// Texts that ask for much by what they say in few words, or in many: made by chance, the same ones every time.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tessera::limits {

struct LargeText {
  std::string name;  // of letters and digits
  std::string text;
};
inline void PrintTo(const LargeText& large, std::ostream* out) { *out << large.name; }

// So many of each sort: long texts, calls that double, gradients of such, pipelines of many microbatches, long loops,
// large arrays.
std::vector<LargeText> large_texts(int each);

}  // namespace tessera::limits
