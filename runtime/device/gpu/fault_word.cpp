#include "runtime/device/gpu/fault_word.hpp"

#include <utility>

#include "runtime/device/text/fault.hpp"

namespace tessera::device {

FaultWord::~FaultWord() {
  const Current current(gpu_);
  if (word_ != 0) memory_.give_back(word_);
  if (noted_ != nullptr) gpu_.calls().free_pinned(noted_);
}

base::Status FaultWord::begin() {
  void* pinned = nullptr;
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().allocate_pinned(&pinned, sizeof(Noted)), "pinned memory"));
  noted_ = static_cast<Noted*>(pinned);
  word_ = memory_.take(sizeof(Noted));
  if (word_ == 0) return no_room(gpu_, sizeof(Noted));
  return reset();
}

base::Status FaultWord::reset() {
  reports_.clear();
  return gpu_.check(gpu_.calls().set_bytes(word_, 0xff, sizeof(Noted), gpu_.stream()), "a place for failures");
}

FaultPlace FaultWord::place(FaultReport report, std::uint32_t origin, std::uint64_t order) {
  reports_.push_back({std::move(report), origin, order});
  return {word_, reports_.size() - 1};
}

base::Status FaultWord::ask() {
  if (reports_.empty()) return base::Done{};
  return gpu_.check(gpu_.calls().copy_out(noted_, word_, sizeof(Noted), gpu_.stream()), "a copy to the host");
}

base::Status FaultWord::answer() {
  if (reports_.empty()) return base::Done{};
  const Noted noted = *noted_;
  if (noted.key == kernel::kNoFault) {
    reports_.clear();
    return base::Done{};
  }
  const std::uint64_t launch = noted.key >> kernel::kFaultLaunchBit;
  const auto row = static_cast<std::int64_t>(noted.key >> kernel::kFaultRowBit & (kernel::kFaultRows - 1));
  const auto position = static_cast<std::int64_t>(noted.key & ((std::uint64_t{1} << kernel::kFaultRowBit) - 1));
  TESSERA_CHECK(launch < reports_.size(), "a launch that nobody knows has failed");
  const Report& report = reports_[launch];
  const base::Diagnostic why = report.words(row, position, noted.value).from_step(report.origin);
  found_ = {report.order, why};
  TESSERA_TRY_STATUS(reset());
  return why;
}

}  // namespace tessera::device
