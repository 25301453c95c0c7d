#include "embed/host/stop_token.hpp"

#include <thread>

namespace tessera {

StopToken::Impl::~Impl() {
  for (const Node* node = first_.load(); node != nullptr;) {
    const Node* const next = node->next;
    delete node;
    node = next;
  }
}

void StopToken::Impl::stop() {
  ++stopping_;
  asked.store(true);
  for (Node* node = first_.load(); node != nullptr; node = node->next) {
    if (std::atomic<bool>* const flag = node->flag.load(); flag != nullptr) flag->store(true);
  }
  --stopping_;
}

StopToken::Impl::Node* StopToken::Impl::link(std::atomic<bool>& flag) {
  for (Node* node = first_.load(); node != nullptr; node = node->next) {
    std::atomic<bool>* free = nullptr;
    if (node->flag.compare_exchange_strong(free, &flag)) return node;
  }
  Node* const made = new Node;
  made->flag.store(&flag);
  made->next = first_.load();
  while (!first_.compare_exchange_weak(made->next, made)) {
  }
  return made;
}

void StopToken::Impl::unlink(Node* node) {
  node->flag.store(nullptr);
  while (stopping_.load() != 0) std::this_thread::yield();
}

StopToken::StopToken() : impl_(std::make_shared<Impl>()) {}
void StopToken::stop() { impl_->stop(); }
bool StopToken::asked() const { return impl_->asked.load(); }

}  // namespace tessera
