// The registers that a step reads and writes, those of the bodies inside it included.
#pragma once

#include <functional>

#include "synth/program/program.hpp"

namespace tessera::synth {

void for_each_read(const Step& step, const std::function<void(RegisterId)>& visit);
void for_each_read(const Body& body, const std::function<void(RegisterId)>& visit);
void for_each_written(const Step& step, const std::function<void(RegisterId)>& visit);
void for_each_written(const Body& body, const std::function<void(RegisterId)>& visit);
// Every operation, in order.
void for_each_apply(const Body& body, const std::function<void(const Apply&)>& visit);

}  // namespace tessera::synth
