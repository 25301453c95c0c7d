// Sessions that ask for GPUs, where there are none: nothing runs elsewhere instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tessera/gpus.hpp>
#include <tessera/tessera.hpp>
#include <vector>

#include "embed/session/gpu_engine.hpp"

namespace tessera {
namespace {

Session on(const std::string& gpus) {
  Config config;
  config.gpus = gpus;
  return Session(std::move(config));
}

TEST(Gpus, OfANumberThatThereIsNotEndEveryCall) {
  Session session = on("4000");
  for (int i = 0; i < 2; ++i) {
    const auto done = session.run("let a = 1\n");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.diagnostics().front().slug, "no-gpu");
    EXPECT_EQ(done.diagnostics().front().blame, Blame::world);
    EXPECT_FALSE(done.diagnostics().front().help.empty());
  }
  EXPECT_TRUE(session.names().empty());
}

TEST(Gpus, AForkWithoutThemGoesOn) {
  Session session;
  ASSERT_TRUE(session.run("let a = iota(f32[4])\n"));
  Config config = session.config();
  config.gpus = "4000";
  Session there = session.fork(config);
  EXPECT_FALSE(there.run("let b = a + 1.0\n"));
  config.gpus = "";
  Session back = there.fork(config);
  ASSERT_TRUE(back.run("let b = a + 1.0\n"));
  EXPECT_EQ(back.get("b")->to_vector<float>()->back(), 4.0F);
  EXPECT_TRUE(back.gpus_of_devices().empty());
}

TEST(Gpus, AreNotThrottled) {
  Config config;
  config.gpus = "all";
  config.throttle = true;
  const auto done = Session(std::move(config)).run("let a = 1\n");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.diagnostics().front().slug, "bad-call");
}

TEST(Gpus, OfAMachineAreSharedByItsProcesses) {
  const std::vector<int> all = {0, 1, 2, 5};
  EXPECT_EQ(embed::gpus_of_place(all, 0, 1), all);
  EXPECT_EQ(embed::gpus_of_place(all, 1, 2), (std::vector<int>{2, 5}));
  EXPECT_EQ(embed::gpus_of_place(all, 0, 3).size() + embed::gpus_of_place(all, 1, 3).size() +
                embed::gpus_of_place(all, 2, 3).size(),
            all.size());
  EXPECT_EQ(embed::gpus_of_place(all, 1, 6), (std::vector<int>{0}));
  EXPECT_EQ(embed::gpus_of_place(all, 5, 6), (std::vector<int>{5}));
}

TEST(Gpus, AreListedWithWhatIsMissing) {
  const GpuReport report = gpus();
  ASSERT_EQ(report.libraries.size(), 3U);
  for (const GpuLibrary& library : report.libraries) {
    EXPECT_FALSE(library.name.empty());
    EXPECT_FALSE(library.places.empty()) << library.name;
    EXPECT_EQ(library.missing.empty(), !library.found.empty()) << library.name;
  }
  const auto is_no_gpu = [](const Diagnostic& problem) { return problem.slug == "no-gpu"; };
  const bool has_none = std::any_of(report.problems.begin(), report.problems.end(), is_no_gpu);
  EXPECT_EQ(has_none, report.gpus.empty());
}

TEST(Products, InOrderAreThoseOfSmallOnes) {
  Config config;
  config.products = Products::ordered;
  Session session(std::move(config));
  ASSERT_TRUE(session.run("let a = random(f32[8, 8], 1) @ random(f32[8, 8], 2)\n"));
  Session other;
  ASSERT_TRUE(other.run("let a = random(f32[8, 8], 1) @ random(f32[8, 8], 2)\n"));
  EXPECT_EQ(session.get("a")->bytes(), other.get("a")->bytes());
}

}  // namespace
}  // namespace tessera
