// A Python process that runs the same as Tessera, with NumPy or JAX, once for each time it is told to.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "bench/kernels/rows.hpp"

namespace tessera::bench {

class Rival {
 public:
  // `what` is `numpy` or `jax`, `clock` `wall` or `cpu`, `script` what answers. Nothing if that Python cannot be
  // started or has no such module.
  static std::unique_ptr<Rival> start(const std::string& python, const std::string& script, const std::string& what,
                                      const std::string& clock);
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;
  ~Rival();

  // Makes the inputs of a row; false if it is not there in this library.
  bool prepare(const Row& row);
  // What the script answers to a line.
  std::string ask(const std::string& line);
  // Runs what was prepared. Nothing if it failed.
  std::optional<double> seconds();

 private:
  Rival() = default;

  int process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace tessera::bench
