// Private to the emitter of JAX: messages as rounds of `ppermute`, in each of which a device sends at most one box and
// receives at most one, all of one shape.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::interop {

struct Message {
  std::int32_t source = 0;
  std::int32_t target = 0;
  std::vector<std::int64_t> from;  // where the box begins in the sender's tile
  std::vector<std::int64_t> to;    // and in the receiver's
};

// The messages in as few rounds as the busiest device sends or receives: the edges of a graph of senders and receivers,
// coloured.
//
// Example: 0 -> 1, 0 -> 2 and 1 -> 2 take two rounds: 0 -> 1 with 1 -> 2, then 0 -> 2.
std::vector<std::vector<Message>> rounds_of_sends(const std::vector<Message>& messages, std::int64_t devices);

}  // namespace tessera::interop
