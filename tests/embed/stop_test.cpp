// A stop that is asked for while something is planned, placed, compared, verified or checked ends it within a fifth of
// a second, whenever it comes. On a busy machine the clock on the wall says nothing: what is measured is the time of
// the processor that the work still takes after it was asked to stop.
#include <pthread.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <string>
#include <tessera/choice.hpp>
#include <tessera/placement.hpp>
#include <tessera/plan_verdict.hpp>
#include <thread>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

#ifdef NDEBUG
constexpr double kSecondsMost = 0.2;
#else
constexpr double kSecondsMost = 3;  // where everything takes longer, so do the stretches between two looks
#endif

double seconds_of_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The processor's seconds that the work takes after a stop that comes so late; 0 where it was done before.
double seconds_after_stop(const std::function<void(StopToken)>& work, std::chrono::milliseconds delay) {
  StopToken token;
  clockid_t clock{};
  pthread_getcpuclockid(pthread_self(), &clock);
  std::atomic<bool> is_done = false;
  double asked_at = -1;
  std::thread stopper([&, token]() mutable {
    std::this_thread::sleep_for(delay);
    if (is_done) return;
    asked_at = seconds_of_clock(clock);
    token.stop();
  });
  work(token);
  const double ended_at = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
  is_done = true;
  stopper.join();
  return asked_at < 0 ? 0 : std::max(0.0, ended_at - asked_at);
}

void expect_stops(std::string_view what, const std::function<void(StopToken)>& work) {
  // What neighbours of the machine leave of a core differs from one moment to the next by half: a stretch that is long
  // is so each time.
  constexpr int kTries = 4;
  for (const int delay : {3, 40, 150, 400, 900}) {
    double least = kSecondsMost;
    for (int i = 0; i < kTries && least >= kSecondsMost; ++i)
      least = seconds_after_stop(work, std::chrono::milliseconds(delay));
    EXPECT_LT(least, kSecondsMost) << what << ", " << delay << " ms";
  }
}

Machine pods() { return {{{"pod", 64, 25e9, 1e-5}, {"node", 32, 50e9, 5e-6}, {"gpu", 32, 300e9, 1e-6}}}; }
Machine four_levels() {
  return {{{"l0", 4, 1e9, 1e-5}, {"l1", 4, 4e9, 2.5e-6}, {"l2", 4, 16e9, 6.25e-7}, {"l3", 8, 64e9, 1.5e-7}}};
}

std::vector<PlanRequest> large_requests() {
  std::vector<PlanRequest> all;
  all.push_back({.mesh = "x:64,y:32,z:32", .from = "f32[67108864]{+x,y,z}", .to = "f32[67108864]"});
  all.push_back({.mesh = "x:64,y:32,z:32", .from = "f32[65536@(x,y),1024@z]", .to = "f32[65536@z,1024@(y,x)]"});
  all.push_back({.mesh = "x:64,y:32,z:32", .from = "f32[4001@x,4003]{+y}", .to = "f32[4001,4003@(z,y)]"});
  for (PlanRequest& request : all) request.machine = pods();
  all.push_back({.mesh = "a:2,b:3,c:4,d:3,e:2,h:2",
                 .from = "f32[1021,1021@(e,a),8192,257]{+b,c,d,h}",
                 .to = "f32[1021@h,1021@d,8192,257@c]{+a,b,e}"});
  all.push_back({.mesh = "a:16,b:32", .from = "f32[4096@b,4096]", .to = "f32[4096@a,4096]"});  // a relay
  all.push_back({.mesh = "a:4,b:8,c:16", .from = "f32[40961@(a,c),407]{+b}", .to = "f32[40961@b,407@a]"});
  for (std::size_t i = 3; i < all.size(); ++i) all[i].machine = four_levels();
  return all;
}

TEST(StopsWithinAFifthOfASecond, Planning) {
  for (const PlanRequest& request : large_requests()) {
    expect_stops(request.from + " -> " + request.to, [&](StopToken token) {
      PlanRequest with = request;
      with.stop = token;
      const auto made = make_plan(with);
      if (!made) {
        EXPECT_EQ(slug_of(made.diagnostics()), "interrupted");
      }
    });
  }
}

// As `tessera compare` does: a plan of every planner.
TEST(StopsWithinAFifthOfASecond, Comparing) {
  for (const PlanRequest& request : {large_requests()[1], large_requests()[5]}) {
    expect_stops("compare " + request.from, [&](StopToken token) {
      for (const std::string& planner : planner_names()) {
        PlanRequest with = request;
        with.planner = planner;
        with.stop = token;
        if (!token.asked()) (void)make_plan(with);
      }
    });
  }
}

TEST(StopsWithinAFifthOfASecond, Placing) {
  for (const auto& [mesh, machine] : {std::pair{"x:64,y:32,z:32", pods()}, std::pair{"x:8,y:16,z:4", four_levels()}}) {
    PlacementRequest request;
    request.mesh = mesh;
    request.machine = machine;
    request.moves = {{"f32[1048576]{+x}", "f32[1048576]", 3}, {"f32[65537@(x,y),64]", "f32[65537,64@y]", 1}};
    expect_stops(std::string("place ") + mesh, [&](StopToken token) {
      PlacementRequest with = request;
      with.stop = token;
      const auto ranked = rank_placements(with);
      if (!ranked) {
        EXPECT_EQ(slug_of(ranked.diagnostics()), "interrupted");
      }
    });
  }
}

TEST(StopsWithinAFifthOfASecond, Verifying) {
  for (const PlanRequest& request : large_requests()) {
    const auto made = make_plan(request);
    ASSERT_TRUE(succeeded(made));
    const std::string json = made->json();
    expect_stops("verify " + request.from, [&](StopToken token) {
      const PlanVerdict verdict = verify_plan(json, request.machine, token);
      if (!token.asked()) {
        EXPECT_EQ(verdict.fault, "");
      }
    });
  }
}

std::string large_program() {
  std::string text = "mesh m = [a: 16, b: 32]\nlet p = zeros(f32[4001@a, 1024])\n";
  for (int i = 0; i < 12; ++i) {
    const std::string rows = std::to_string(4001 + 16 * i);
    text += "let p" + std::to_string(i) + " = (zeros(f32[" + rows + "@b, 1021]) as [" + rows + "@a, 1021]) as [" +
            rows + ", 1021@(b,a)]\n";
  }
  return text;
}

TEST(StopsWithinAFifthOfASecond, Checking) {
  const std::string text = large_program();
  expect_stops("check", [&](StopToken token) {
    Config config;
    config.machine = four_levels();
    config.stop = token;
    Session session(config);
    const auto checked = session.check(text);
    if (!checked) {
      EXPECT_EQ(slug_of(checked.diagnostics()), "interrupted");
    }
  });
}

// The limit of the clock on the wall is one of the processor, too.
TEST(StopsWithinAFifthOfASecond, ByALimitOfSeconds) {
  const std::string text = large_program();
  for (const double limit : {0.02, 0.1, 0.4}) {
    Config config;
    config.machine = four_levels();
    config.seconds_max = limit;
    Session session(config);
    const double begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
    const auto checked = session.check(text);
    EXPECT_LT(seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin, limit + kSecondsMost);
    if (!checked) {
      EXPECT_EQ(slug_of(checked.diagnostics()), "over-time");
    }
  }
}

// A training step over three axes and two levels, whose layouts take much longer to choose than anything here waits.
std::string large_choice() {
  return "mesh m = [x: 2, y: 2, z: 2]\n"
         "fn layer(h: f32[B, T, D]?, q: f32[D, H, K]?, o: f32[H, K, D]?) {\n"
         "  let a = einsum(\"btd,dhk->bthk\", h, q)\n"
         "  h + einsum(\"bhts,bshk,hkd->btd\", softmax(einsum(\"bthk,bshk->bhts\", a, a), dim=3), a, o)\n}\n"
         "fn loss(h: f32[B, T, D]?, q: f32[D, H, K]?, o: f32[H, K, D]?) -> f32 = sum(layer(layer(h, q, o), q, o))\n"
         "auto fn step(h: f32[B, T, D] auto, q: f32[D, H, K] auto, o: f32[H, K, D] auto) -> (f32, f32[D, H, K] as q) "
         "{\n"
         "  let (l, g) = grad(loss, wrt=q)(h, q, o)\n  (l, q - 0.1 * g)\n}\n"
         "let (l, q) = step(zeros(f32[64, 128, 64]), zeros(f32[64, 8, 16]), zeros(f32[8, 16, 64]))\n";
}

Machine two_levels() { return {{{"node", 2, 12.5e9, 5e-6}, {"device", 4, 100e9, 1e-6}}}; }

TEST(StopsWithinAFifthOfASecond, AChoiceOfLayouts) {
  const std::string text = large_choice();
  expect_stops("choosing", [&](const StopToken& token) {
    Config config;
    config.machine = two_levels();
    config.stop = token;
    const auto chosen = choose_layouts(text, "t.tess", config);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(slug_of(chosen.diagnostics()), "interrupted");
  });
}

TEST(StopsWithinAFifthOfASecond, AChoiceOfLayoutsByALimitOfSeconds) {
  for (const double limit : {0.05, 0.4, 1.5}) {
    Config config;
    config.machine = two_levels();
    config.seconds_max = limit;
    Session session(config);
    const double begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
    const auto checked = session.check(large_choice());
    EXPECT_LT(seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin, limit + kSecondsMost);
    ASSERT_FALSE(checked);
    EXPECT_EQ(slug_of(checked.diagnostics()), "over-time");
  }
}

}  // namespace
}  // namespace tessera
