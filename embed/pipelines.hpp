// What a host is told of the pipelines of a program.
#pragma once

#include <vector>

#include "embed/session_impl.hpp"

namespace tessera::embed {

Result<std::vector<Pipeline>> pipelines_of(const Program::Impl& program);

}  // namespace tessera::embed
