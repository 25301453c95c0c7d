// How a team comes together: who is on which machine, and who shares memory with whom.
#include <algorithm>
#include <thread>

#include "runtime/ranks/region.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

Team::Team(std::unique_ptr<Messenger> messenger)
    : messenger_(std::move(messenger)), rank_(messenger_->rank()), size_(messenger_->size()) {
  near_.assign(static_cast<std::size_t>(size()), false);
  near_[static_cast<std::size_t>(rank_)] = true;
  for (int rank = 0; rank < size(); ++rank) nodes_.push_back(rank);
  find_machines();
}

base::Result<std::shared_ptr<Team>> Team::meet(std::unique_ptr<Messenger> messenger, MemorySharing sharing) {
  const std::shared_ptr<Team> team(new Team(std::move(messenger)));
  if (!team->alone()) TESSERA_TRY_STATUS(team->share_memory(sharing));
  return team;
}

void Team::find_machines() {
  machines_ = messenger_->machines();
  machine_ranks_.clear();
  for (int rank = 0; rank < size(); ++rank) {
    const int machine = machines_[static_cast<std::size_t>(rank)];
    if (machine == machines_[static_cast<std::size_t>(rank_)]) machine_ranks_.push_back(rank);
    places_.push_back(static_cast<int>(std::count(machines_.begin(), machines_.begin() + rank, machine)));
  }
  is_crowded_ = machine_count() > static_cast<int>(std::thread::hardware_concurrency());
}

// A machine where any rank cannot open the region does without.
base::Status Team::share_memory(MemorySharing sharing) {
  const bool wanted = sharing == MemorySharing::wanted && machine_count() > 1;
  if (wanted && machine_ranks_.front() == rank_) region_ = Region::create(machine_count());
  TESSERA_TRY_STATUS(find_region());
  if (!wanted) region_ = nullptr;
  struct Answer {
    bool wanted = false;
    bool has = false;
  };
  const Answer mine{wanted, region_ != nullptr};
  std::vector<Answer> all(nodes_.size());
  TESSERA_TRY_STATUS(share(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  std::vector<bool> has_region;
  for (const Answer& answer : all) has_region.push_back(answer.has);
  lacks_sharing_ = std::any_of(all.begin(), all.end(), [](const Answer& a) { return a.wanted && !a.has; });
  note_nodes(has_region);
  return base::Done{};
}

// Opens what the lowest rank of the machine has made, if it has.
base::Status Team::find_region() {
  const Region::Address mine = region_ == nullptr ? Region::Address{} : region_->address();
  std::vector<Region::Address> addresses(nodes_.size());
  TESSERA_TRY_STATUS(share(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(addresses))));
  const Region::Address& address = addresses[static_cast<std::size_t>(machine_ranks_.front())];
  if (region_ == nullptr && address.descriptor >= 0)
    region_ = Region::open(address, machine_count(), places_[static_cast<std::size_t>(rank_)]);
  return base::Done{};
}

void Team::note_nodes(const std::vector<bool>& has_region) {
  for (int rank = 0; rank < size(); ++rank) {
    const int machine = machines_[static_cast<std::size_t>(rank)];
    bool shares = true;
    for (std::size_t other = 0; other < machines_.size(); ++other)
      shares = shares && (machines_[other] != machine || has_region[other]);
    if (!shares) continue;
    nodes_[static_cast<std::size_t>(rank)] = machine;
    if (machine == machine_ranks_.front()) near_[static_cast<std::size_t>(rank)] = true;
  }
  near_count_ = static_cast<int>(std::count(near_.begin(), near_.end(), true));
  if (near_count_ == 1) region_ = nullptr;
  sees_processes_ = region_ != nullptr;
  for (int place = 0; place < near_count_ && region_ != nullptr; ++place)
    sees_processes_ = sees_processes_ && region_->has_process(place);
}

}  // namespace tessera::runtime
