#include "runtime/transfers/row_numbers.hpp"

#include <cstring>
#include <span>

namespace tessera::runtime {

namespace {

constexpr std::int64_t kCountBytes = 8;

// The numbers of all lists, one behind the other.
std::int64_t bytes_of_numbers(const std::vector<RowNumbers>& lists, std::int64_t each) {
  std::int64_t count = 0;
  for (const RowNumbers& list : lists) count += std::ssize(list.numbers);
  return count * each;
}
void write_numbers(const std::vector<RowNumbers>& lists, std::int64_t each, std::byte* at) {
  for (const RowNumbers& list : lists) {
    for (const std::int64_t number : list.numbers) {
      const auto narrow = static_cast<std::int32_t>(number);
      std::memcpy(at, each == 4 ? static_cast<const void*>(&narrow) : &number, static_cast<std::size_t>(each));
      at += each;
    }
  }
}
void read_numbers(std::vector<RowNumbers>& lists, std::int64_t each, const std::byte* at) {
  for (RowNumbers& list : lists) {
    for (std::int64_t& number : list.numbers) {
      std::int32_t narrow = 0;
      std::memcpy(each == 4 ? static_cast<void*>(&narrow) : &number, at, static_cast<std::size_t>(each));
      if (each == 4) number = narrow;
      at += each;
    }
  }
}

base::Status exchange_counts(Team& team, const NumbersByRank& sent, NumbersByRank& received) {
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  for (const auto& [rank, lists] : sent) {
    const std::span<std::byte> counts = team.room(std::ssize(lists) * kCountBytes);
    std::byte* at = counts.data();
    for (const RowNumbers& list : lists) {
      const std::int64_t count = std::ssize(list.numbers);
      std::memcpy(at, &count, sizeof(count));
      at += kCountBytes;
    }
    outgoing.push_back({rank, counts});
  }
  for (const auto& [rank, lists] : received) incoming.push_back({rank, team.room(std::ssize(lists) * kCountBytes)});
  TESSERA_TRY_STATUS(team.begin_messages(incoming, outgoing));
  TESSERA_TRY_STATUS(team.await_messages());
  auto counts = incoming.begin();
  for (auto& [rank, lists] : received) {
    const std::byte* at = (counts++)->bytes.data();
    for (RowNumbers& list : lists) {
      std::int64_t count = 0;
      std::memcpy(&count, at, sizeof(count));
      list.numbers.resize(static_cast<std::size_t>(count));
      at += kCountBytes;
    }
  }
  return base::Done{};
}

}  // namespace

base::Status exchange_numbers(Team& team, const NumbersByRank& sent, NumbersByRank& received, std::int64_t each) {
  TESSERA_TRY_STATUS(exchange_counts(team, sent, received));
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  std::vector<std::vector<RowNumbers>*> awaited;
  for (const auto& [rank, lists] : sent) {
    const std::int64_t bytes = bytes_of_numbers(lists, each);
    if (bytes == 0) continue;
    const std::span<std::byte> numbers = team.room(bytes);
    write_numbers(lists, each, numbers.data());
    outgoing.push_back({rank, numbers});
  }
  for (auto& [rank, lists] : received) {
    const std::int64_t bytes = bytes_of_numbers(lists, each);
    if (bytes == 0) continue;
    incoming.push_back({rank, team.room(bytes)});
    awaited.push_back(&lists);
  }
  TESSERA_TRY_STATUS(team.begin_messages(incoming, outgoing));
  TESSERA_TRY_STATUS(team.await_messages());
  for (std::size_t k = 0; k < awaited.size(); ++k) read_numbers(*awaited[k], each, incoming[k].bytes.data());
  return base::Done{};
}

}  // namespace tessera::runtime
