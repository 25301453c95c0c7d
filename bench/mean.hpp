// A geometric mean.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace tessera::bench {

class Mean {
 public:
  void add(double value) {
    logarithms_ += std::log(value);
    ++count_;
  }
  void print(const std::string& what) const {
    if (count_ > 0) fmt::print("{}: {:.2f}, the geometric mean of {}\n", what, std::exp(logarithms_ / count_), count_);
  }

 private:
  double logarithms_ = 0;
  int count_ = 0;
};

}  // namespace tessera::bench
