#include "base/persistent_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace tessera::base {
namespace {

using Numbers = PersistentMap<int, std::string>;

std::map<int, std::string> content(const Numbers& numbers) {
  std::map<int, std::string> result;
  numbers.for_each([&](const Numbers::Entry& entry) { result.emplace(entry.key, entry.value); });
  return result;
}

TEST(PersistentMap, StartsEmpty) {
  EXPECT_TRUE(Numbers().empty());
  EXPECT_EQ(Numbers().find(0), nullptr);
  EXPECT_EQ(Numbers().last_before(0), nullptr);
}

TEST(PersistentMap, ACopyKeepsWhatItHad) {
  Numbers numbers;
  numbers.set(1, "one");
  Numbers copy = numbers;
  numbers.set(1, "uno");
  numbers.set(2, "due");
  copy.erase(1);
  EXPECT_EQ(content(numbers), (std::map<int, std::string>{{1, "uno"}, {2, "due"}}));
  EXPECT_TRUE(copy.empty());
}

TEST(PersistentMap, FindsTheLastEntryBeforeAKey) {
  Numbers numbers;
  for (const int key : {10, 20, 30}) numbers.set(key, std::to_string(key));
  EXPECT_EQ(numbers.last_before(10), nullptr);
  EXPECT_EQ(numbers.last_before(11)->value, "10");
  EXPECT_EQ(numbers.last_before(30)->value, "20");
  EXPECT_EQ(numbers.last_before(99)->value, "30");
}

TEST(PersistentMap, AnEntryStaysWhereItIs) {
  Numbers numbers;
  numbers.set(0, "zero");
  const std::string* zero = numbers.find(0);
  for (int key = 1; key < 100; ++key) numbers.set(key, "");
  for (int key = 1; key < 100; ++key) numbers.erase(key);
  EXPECT_EQ(numbers.find(0), zero);
}

// A key in order of size is the worst that can come to a tree that does not balance itself.
TEST(PersistentMap, FindsAmongManyInFewSteps) {
  struct Counted {
    int value = 0;
    int* comparisons = nullptr;
    bool operator<(const Counted& other) const { return ++*comparisons, value < other.value; }
    bool operator!=(const Counted& other) const { return value != other.value; }
  };
  int comparisons = 0;
  PersistentMap<Counted, int> numbers;
  for (int value = 0; value < 10'000; ++value) numbers.set(Counted{value, &comparisons}, value);
  for (int value = 0; value < 9'000; ++value) numbers.erase(Counted{value, &comparisons});
  comparisons = 0;
  for (int value = 9'000; value < 10'000; ++value) numbers.last_before(Counted{value, &comparisons});
  EXPECT_LT(comparisons, 1'000 * 15);
}

RC_GTEST_PROP(PersistentMapProperty, DoesAsAnyMap, (const std::vector<std::pair<std::uint8_t, bool>>& changes)) {
  Numbers numbers;
  std::map<int, std::string> same;
  std::vector<std::pair<Numbers, std::map<int, std::string>>> before;
  for (const auto& [key, is_set] : changes) {
    before.emplace_back(numbers, same);
    const std::string value = std::to_string(before.size());
    if (is_set) {
      numbers.set(key % 32, value);
      same.insert_or_assign(key % 32, value);
    } else {
      numbers.erase(key % 32);
      same.erase(key % 32);
    }
    const auto after = same.lower_bound(key % 32);
    const auto* last = numbers.last_before(key % 32);
    RC_ASSERT((last == nullptr) == (after == same.begin()));
    if (last != nullptr) RC_ASSERT(last->key == std::prev(after)->first);
    RC_ASSERT((numbers.find(key % 32) != nullptr) == same.contains(key % 32));
  }
  before.emplace_back(numbers, same);
  for (const auto& [persistent, plain] : before) RC_ASSERT(content(persistent) == plain);
}

}  // namespace
}  // namespace tessera::base
