// Steps that every device takes on its own tiles: constructors and local operations.
#pragma once

#include "base/result.hpp"
#include "runtime/execute/trace.hpp"
#include "runtime/io/files.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

struct LocalStep {
  const synth::Program& program;
  const Storage& storage;
  const FilePolicy& files;
  const synth::Apply& apply;
  DeviceTimes* times = nullptr;  // where to note when which device worked
};

base::Status run_constructor(const LocalStep& step, const synth::Constant& operation);
base::Status run_constructor(const LocalStep& step, const synth::Fill& operation);
base::Status run_constructor(const LocalStep& step, const synth::Iota& operation);
base::Status run_constructor(const LocalStep& step, const synth::Random& operation);
base::Status run_constructor(const LocalStep& step, const synth::Normal& operation);
base::Status run_constructor(const LocalStep& step, const synth::Load& operation);

base::Status run_operation(const LocalStep& step, const synth::Map& operation);
base::Status run_operation(const LocalStep& step, const synth::Reduce& operation);
base::Status run_operation(const LocalStep& step, const synth::ArgReduce& operation);
base::Status run_operation(const LocalStep& step, const synth::Find& operation);
base::Status run_operation(const LocalStep& step, const synth::Contract& operation);
base::Status run_operation(const LocalStep& step, const synth::Scan& operation);
base::Status run_operation(const LocalStep& step, const synth::Sort& operation);
base::Status run_operation(const LocalStep& step, const synth::Greatest& operation);
base::Status run_operation(const LocalStep& step, const synth::Candidates& operation);
base::Status run_operation(const LocalStep& step, const synth::Transpose& operation);
base::Status run_operation(const LocalStep& step, const synth::Reshape& operation);
base::Status run_operation(const LocalStep& step, const synth::Take& operation);
base::Status run_operation(const LocalStep& step, const synth::ScatterAdd& operation);
base::Status run_operation(const LocalStep& step, const synth::Search& operation);
base::Status run_operation(const LocalStep& step, const synth::OneHot& operation);
base::Status run_operation(const LocalStep& step, const synth::Lay& operation);
// Every device has room for what the function needs beside its tiles at `beside`.
base::Status run_operation(const LocalStep& step, const synth::MatrixFunction& operation, std::int64_t beside);

// A piece of `length` positions from `index` on that would not lie inside of a dimension, the shorter in the longer.
base::Diagnostic out_of_range(std::int64_t index, std::int64_t length, std::int64_t extent, std::size_t dimension);

// Elements of all devices' tiles of the result and the operands: how much work a step is, roughly.
std::int64_t work_of(const LocalStep& step);

}  // namespace tessera::runtime
