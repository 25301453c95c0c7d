// The nodes of a graph while its text is read or written: each is read once, and a writer knows which it wrote. Private
// to typeck.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace tessera::typeck::text {

template <class Io, class Node, class Id>
void put_node(Io& io, std::vector<std::optional<Node>>& nodes, Id id, Node made) {
  if (!io.good()) return;
  if (id.value >= nodes.size() || nodes[id.value].has_value())
    return io.fail("a value is computed twice, or is none of so many");
  nodes[id.value] = std::move(made);
}

// Null where it was not read.
template <class Node, class Id>
Node* read_node(std::vector<std::optional<Node>>& nodes, Id id) {
  return id.value < nodes.size() && nodes[id.value].has_value() ? &*nodes[id.value] : nullptr;
}

template <class Id>
void note_written(std::vector<bool>& written, Id id) {
  if (written.size() <= id.value) written.resize(id.value + 1, false);
  written[id.value] = true;
}

template <class Id>
bool was_written(const std::vector<bool>& written, Id id) {
  return id.value < written.size() && written[id.value];
}

}  // namespace tessera::typeck::text
