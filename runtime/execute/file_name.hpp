// The name of a file that a step reads or writes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "runtime/transfers/storage.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// Without numbers the form is the name. Otherwise each `{}` stands for the next number, and a brace of the name is
// doubled: `{{x}}_{}` and 3 are `{x}_3`.
base::Result<std::string> file_name(std::string_view form, const Storage& storage,
                                    std::span<const synth::RegisterId> numbers);

}  // namespace tessera::runtime
