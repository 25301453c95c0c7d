// What the server can do, as it tells the client.
#pragma once

#include <nlohmann/json.hpp>

#include "repl/language_server/lines.hpp"

namespace tessera::repl {

// UTF-16, unless the client asks for bytes first.
Units wished_units(const nlohmann::json& client);
nlohmann::json server_capabilities(Units units);

}  // namespace tessera::repl
