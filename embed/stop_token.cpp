#include "embed/stop_token.hpp"

namespace tessera {

StopToken::StopToken() : impl_(std::make_shared<Impl>()) {}

void StopToken::stop() {
  impl_->asked.store(true);
  const std::scoped_lock lock(impl_->mutex);
  for (std::atomic<bool>* const flag : impl_->flags) flag->store(true);
}

bool StopToken::asked() const { return impl_->asked.load(); }

}  // namespace tessera
