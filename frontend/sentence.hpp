// What could not be read, as those who explain it are given it.
#pragma once

#include <string_view>

#include "base/source.hpp"
#include "frontend/syntax.hpp"
#include "frontend/token.hpp"

namespace tessera::frontend {

// The statement (or type, or mesh) that could not be read.
struct Sentence {
  Goal goal;
  Tokens tokens;
  std::string_view text;  // of the whole source
  base::SourceId source;
  FunctionNames functions = nullptr;
};

}  // namespace tessera::frontend
