#include "interop/write/rounds_of_sends.hpp"

#include <algorithm>

namespace tessera::interop {

namespace {

constexpr std::int32_t kFree = -1;

// A colouring that grows edge by edge: where the ends have no free colour in common, the colours along a path from one
// of them change places.
class Colouring {
 public:
  Colouring(std::size_t devices, std::size_t colours)
      : colours_(colours), sent_(devices * colours, kFree), received_(devices * colours, kFree) {}

  void add(const Message& message) {
    const std::size_t a = free_of(sent_, message.source);
    const std::size_t b = free_of(received_, message.target);
    if (at(received_, message.target, a) != kFree) exchange(message.target, a, b);
    edges_.push_back(message);
    put(static_cast<std::int32_t>(edges_.size()) - 1, a);
  }

  std::vector<std::vector<Message>> rounds() const {
    std::vector<std::vector<Message>> result(colours_);
    for (std::size_t i = 0; i < edges_.size(); ++i) result[colour_[i]].push_back(edges_[i]);
    return result;
  }

 private:
  std::int32_t& at(std::vector<std::int32_t>& table, std::int32_t device, std::size_t colour) const {
    return table[static_cast<std::size_t>(device) * colours_ + colour];
  }
  std::size_t free_of(std::vector<std::int32_t>& table, std::int32_t device) const {
    std::size_t colour = 0;
    while (at(table, device, colour) != kFree) ++colour;
    return colour;
  }
  void put(std::int32_t edge, std::size_t colour) {
    const auto i = static_cast<std::size_t>(edge);
    if (colour_.size() <= i) colour_.resize(i + 1);
    colour_[i] = colour;
    at(sent_, edges_[i].source, colour) = edge;
    at(received_, edges_[i].target, colour) = edge;
  }
  // Colours `a` and `b` change places along the path that begins at a receiver with its edge of colour `a`.
  void exchange(std::int32_t receiver, std::size_t a, std::size_t b) {
    std::vector<std::int32_t> path;
    bool at_receiver = true;
    std::int32_t device = receiver;
    std::size_t colour = a;
    for (;;) {
      const std::int32_t edge = at_receiver ? at(received_, device, colour) : at(sent_, device, colour);
      if (edge == kFree) break;
      path.push_back(edge);
      const Message& message = edges_[static_cast<std::size_t>(edge)];
      device = at_receiver ? message.source : message.target;
      at_receiver = !at_receiver;
      colour = colour == a ? b : a;
    }
    for (const std::int32_t edge : path) {
      const auto i = static_cast<std::size_t>(edge);
      at(sent_, edges_[i].source, colour_[i]) = kFree;
      at(received_, edges_[i].target, colour_[i]) = kFree;
    }
    for (const std::int32_t edge : path) put(edge, colour_[static_cast<std::size_t>(edge)] == a ? b : a);
  }

  std::size_t colours_;
  std::vector<std::int32_t> sent_;
  std::vector<std::int32_t> received_;
  std::vector<Message> edges_;
  std::vector<std::size_t> colour_;
};

}  // namespace

std::vector<std::vector<Message>> rounds_of_sends(const std::vector<Message>& messages, std::int64_t devices) {
  const auto count = static_cast<std::size_t>(devices);
  std::vector<std::size_t> sent(count, 0);
  std::vector<std::size_t> received(count, 0);
  std::size_t most = 0;
  for (const Message& message : messages) {
    const std::size_t busiest = std::max(++sent[static_cast<std::size_t>(message.source)],
                                         ++received[static_cast<std::size_t>(message.target)]);
    most = std::max(most, busiest);
  }
  Colouring colouring(count, most);
  for (const Message& message : messages) colouring.add(message);
  return colouring.rounds();
}

}  // namespace tessera::interop
