// A compiled function, with the callbacks of the session that compiled it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "python/module/callbacks.hpp"
#include "tessera/function.hpp"

namespace tessera::python {

class PyFunction {
 public:
  PyFunction(Function function, Callbacks callbacks)
      : function_(std::move(function)), callbacks_(std::move(callbacks)) {}

  const Function& function() const { return function_; }
  Callbacks& callbacks() { return callbacks_; }

 private:
  Function function_;
  Callbacks callbacks_;
};

// `a, b, c`
std::string joined(const std::vector<std::string>& texts);

}  // namespace tessera::python
