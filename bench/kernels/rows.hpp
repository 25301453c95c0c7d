// The rows that `tessera-bench kernels` measures: statements, with what they read and the same for NumPy and JAX.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::bench {

// An array that a statement reads, with random elements; floats are normal, integers lie in [0, below).
struct RowInput {
  std::string name;
  std::string type;  // as Tessera writes it, without spaces: `f32[4096@x,4096]`
  std::int64_t below = 0;
};

// The bound that a row is held against besides NumPy and JAX.
enum class Bound : std::uint8_t {
  memory,   // a loop that reads the inputs and writes the result once
  product,  // a serial call of BLAS for each core, at once
};

struct Row {
  std::string sort;  // `--only` takes part of a sort or of a statement
  std::string mesh;  // `x: 4`; empty: one device
  std::vector<RowInput> inputs;
  std::string statement;  // an expression of Tessera's
  std::string result;     // its type
  std::string python;     // the same in Python, on `np`; empty: not there
  Bound bound = Bound::memory;
};

// Every row of the table in docs/runtime.md, and every operation of the language on arrays at least once.
const std::vector<Row>& kernel_rows();

// A type as a row has it, on a row's mesh.
struct RowType {
  std::string element;
  std::vector<std::int64_t> shape;
  std::int64_t copies = 1;  // devices that have the same part
  std::int64_t bytes() const;
};
RowType row_type(const std::string& text, const std::string& mesh);

}  // namespace tessera::bench
