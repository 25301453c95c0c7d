// Generated programs with words dropped, doubled, swapped and replaced: nearly right programs, which get further into
// the checker than noise does. Each is accepted or refused with diagnostics; what is accepted elaborates, lowers and
// runs.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/generator/generator.hpp"
#include "tests/generator/random.hpp"
#include "tests/limits/expect.hpp"

namespace tessera::limits {
namespace {

using generator::Random;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const char c : text) {
    const bool joins = !words.empty() && is_word(c) && is_word(words.back().back());
    if (joins) {
      words.back() += c;
    } else {
      words.emplace_back(1, c);
    }
  }
  return words;
}

void mutate(std::vector<std::string>& words, Random& random) {
  const std::size_t at = random.index(words);
  const std::size_t other = random.index(words);
  switch (random.below(5)) {
    case 0: words.erase(words.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), words[other]); break;
    case 2: std::swap(words[at], words[other]); break;
    case 3: words[at] = words[other]; break;
    default: words[at] = std::to_string(random.below(20)); break;
  }
}

std::string mutated(const std::string& text, Random& random) {
  std::vector<std::string> words = words_of(text);
  for (std::int64_t changes = random.between(1, 3); changes > 0 && words.size() > 1; --changes) mutate(words, random);
  std::string result;
  for (const std::string& word : words) result += word;
  return result;
}

void expect_answer(const std::string& text) {
  Session session(Config{.memory_bytes_max = std::int64_t{1} << 28});
  const auto program = session.check(text, "mutated");
  expect_no_bug(program, text);
  if (!program.ok()) return;
  const auto elaborated = program->elaborated();
  expect_no_bug(elaborated, text);
  if (elaborated.ok()) {
    const auto again = session.check(*elaborated, "elaborated");
    EXPECT_TRUE(again.ok()) << again.diagnostics()[0].message << "\n" << text << "\nelaborated:\n" << *elaborated;
  }
  expect_no_bug(program->device_program(), text);
  expect_no_bug(session.run(*program), text);
}

class Mutations : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Mutations, AreAnswered) {
  constexpr std::uint64_t kPrograms = 25;
  Random random(GetParam());
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const generator::Program program = generator::generate(GetParam() * kPrograms + seed);
    for (int k = 0; k < 6; ++k) expect_answer(mutated(tessera_text(program, program.mesh), random));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Mutations, testing::Range(std::uint64_t{0}, std::uint64_t{8}));

}  // namespace
}  // namespace tessera::limits
