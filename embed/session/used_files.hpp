// The files that a text uses, `use "layers.tess"`, and those that they use: each read once, as the host's policy
// allows, and parsed. Names are relative to the file that uses them; `std/...` are texts of the library.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "embed/host/texts.hpp"
#include "frontend/ast.hpp"
#include "tessera/tessera.hpp"
#include "typeck/elaborate/options.hpp"

namespace tessera::runtime {
class Team;
}

namespace tessera::embed {

bool uses_files(const frontend::Ast& ast);

// Gives the text of a file by its name; of at most so many bytes.
using TextReader = std::function<base::Result<std::string>(const std::string& name, std::int64_t bytes_max)>;
TextReader reader_of(const Config& config);

// Adds what `ast` uses to `texts`. What cannot be read or parsed is in the table, with the reason.
base::Result<typeck::UsedFiles> used_files(const frontend::Ast& ast, Texts& texts, const Config& config,
                                           base::StopToken stop, const TextReader& reader);
// The same on all ranks of a team, of texts that agree: rank 0 reads the files and deals them out.
base::Result<typeck::UsedFiles> used_files(const frontend::Ast& ast, Texts& texts, const Config& config,
                                           runtime::Team& team);

}  // namespace tessera::embed
