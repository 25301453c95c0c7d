// The state of a compiled function.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "embed/host/texts.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/values/value.hpp"
#include "tessera/function.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera {

// Immutable: calls on several threads read it at the same time.
struct Function::Impl {
  std::string name;
  std::vector<synth::ArrayType> types;  // of the arrays of the parameters
  std::vector<std::string> parameters;
  std::vector<std::string> results;
  std::vector<Function::Part> parameter_parts;
  std::vector<Function::Part> result_parts;
  // For every input of the program the number of an argument, or a value of the session's.
  std::vector<std::variant<std::size_t, runtime::Value>> inputs;
  std::vector<std::size_t> outputs;  // of every result, the number of the program's output
  std::shared_ptr<const runtime::PreparedProgram> program;
  std::shared_ptr<const embed::Texts> texts;
  std::vector<typeck::Origin> origins;
  std::shared_ptr<const Config> config;  // `world` refers to its functions
  runtime::World world;
};

}  // namespace tessera
