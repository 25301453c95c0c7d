// The pipelines of a program, as a host is told of them.
#pragma once

#include <vector>

#include "embed/session/session_impl.hpp"

namespace tessera::embed {

Result<std::vector<Pipeline>> pipelines_of(const Program::Impl& program);

}  // namespace tessera::embed
