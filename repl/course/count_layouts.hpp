// How many layouts a mesh allows an array of some rank.
#pragma once

#include <string>
#include <string_view>

#include "repl/process/files.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

struct LayoutCount {
  int number = 0;
  std::string example;  // two that are often taken for one, drawn
};

// `rank 2`, `rank 2 with pending`, on the session's mesh: every layout is written as a type, the checker reads it, and
// the different ones are counted. At most 3 axes and rank 3.
Read<LayoutCount> count_layouts(const Session& session, std::string_view subject);

}  // namespace tessera::repl
