// Steps that every device takes on its own tiles, on the cores of this process.
#pragma once

#include "runtime/engine/engine.hpp"

namespace tessera::runtime {

base::Status run_constructor(const LocalStep& step, const synth::Constant& operation);
base::Status run_constructor(const LocalStep& step, const synth::Fill& operation);
base::Status run_constructor(const LocalStep& step, const synth::Iota& operation);
base::Status run_constructor(const LocalStep& step, const synth::Random& operation);
base::Status run_constructor(const LocalStep& step, const synth::Normal& operation);

base::Status run_operation(const LocalStep& step, const synth::Map& operation);
base::Status run_operation(const LocalStep& step, const synth::Reduce& operation);
base::Status run_operation(const LocalStep& step, const synth::ArgReduce& operation);
base::Status run_operation(const LocalStep& step, const synth::Find& operation);
base::Status run_operation(const LocalStep& step, const synth::Contract& operation);
base::Status run_operation(const LocalStep& step, const synth::Scan& operation);
base::Status run_operation(const LocalStep& step, const synth::Recur& operation);
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
base::Status run_operation(const LocalStep& step, const synth::MatrixFunction& operation);
base::Status run_operation(const LocalStep& step, const synth::Fourier& operation);

}  // namespace tessera::runtime
