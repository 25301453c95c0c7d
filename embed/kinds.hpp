// The kinds of diagnostic that embed/ reports; a new one rebuilds the files that include this header.
#pragma once

#include "base/diagnostic.hpp"

namespace tessera::embed {

// Kind::name is the record of one line of the table: its slug, severity, blame and message.
struct Kind {
#define KIND TESSERA_KIND
#include "base/diagnostics/embed.def"
#undef KIND
};

}  // namespace tessera::embed
