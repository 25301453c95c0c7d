// The kinds of diagnostic that interop/ reports; a new one rebuilds the files that include this header.
#pragma once

#include "base/diagnostic.hpp"

namespace tessera::interop {

// Kind::name is the record of one line of the table: its slug, severity, blame and message.
struct Kind {
#define KIND TESSERA_KIND
#include "base/diagnostics/interop.def"
#undef KIND
};

}  // namespace tessera::interop
