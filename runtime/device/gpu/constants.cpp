#include "runtime/device/gpu/constants.hpp"

#include "runtime/memory/bytes.hpp"

namespace tessera::device {

namespace {

constexpr std::size_t kConstantsMax = 1024;

}  // namespace

Constants::~Constants() {
  if (begin_ != 0) memory_.give_back(begin_);
}

base::Status Constants::begin() {
  constexpr std::int64_t kBytes = kConstantsMax * runtime::kAlignment;
  if (begin_ == 0) begin_ = memory_.take(kBytes);
  return begin_ == 0 ? base::Status(no_room(gpu_, kBytes)) : base::Done{};
}

base::Result<Address> Constants::find(std::span<const std::byte> element) {
  std::vector<std::byte> bytes(element.begin(), element.end());
  const auto known = known_.find(bytes);
  if (known != known_.end()) return known->second;
  if (known_.size() == kConstantsMax || bytes.size() > runtime::kAlignment) return Address{0};
  TESSERA_TRY_STATUS(begin());
  const Address at = begin_ + known_.size() * runtime::kAlignment;
  TESSERA_TRY_STATUS(staging_.write(at, bytes.data(), static_cast<std::int64_t>(bytes.size())));
  known_.emplace(std::move(bytes), at);
  return at;
}

}  // namespace tessera::device
