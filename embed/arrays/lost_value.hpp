// What is said of a value that lay on a GPU that is lost.
#pragma once

#include <string>

#include "base/result.hpp"

namespace tessera::embed {

bool is_loss(const base::Diagnostics& why);
// A failure to read the value of a name, which is gone where its GPU is lost.
base::Diagnostics reading_failed(base::Diagnostics why, const std::string& name, base::Span bound = {});

}  // namespace tessera::embed
