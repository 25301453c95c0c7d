#include "repl/ranks/worker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "repl/process/exit.hpp"
#include "repl/ranks/frame.hpp"
#include "repl/ranks/greeting.hpp"
#include "repl/ranks/inbox.hpp"
#include "repl/ranks/loss.hpp"
#include "repl/session/answerer.hpp"

namespace tessera::repl {

namespace {

class Worker {
 public:
  Worker(Launch& launch, const Config& config) : launch_(launch), config_(config), meeting_(config) {
    ranks_.is_first = launch.rank() == 0;
    ranks_.share = [this](std::string mine) { return share(std::move(mine)); };
    ranks_.heed = [this](const Diagnostics& why) {
      if (is_hopeless(why)) give_up(why);
    };
    if (!ranks_.is_first) return;
    outbox_ = std::make_unique<Outbox>();
    inbox_ = std::make_unique<Inbox>(*outbox_);
  }

  int run() {
    for (Frame frame = next(); frame.kind != FrameKind::leave; frame = next()) perform(frame);
    return kExitDone;
  }

 private:
  void tell(const Frame& frame) const {
    if (outbox_ != nullptr) outbox_->send(frame);
  }

  // A rank that waits for one that is lost waits for ever, at the end as well.
  [[noreturn]] void give_up(const Diagnostics& why) {
    tell({FrameKind::lost, {why.front().message}});
    abandon(launch_, kExitWorld);
  }

  std::vector<std::string> share(std::string mine) {
    auto all = meeting_.share(std::move(mine));
    if (!all) give_up(all.diagnostics());
    return std::move(*all);
  }

  // The next frame that all ranks act on.
  Frame next() {
    FrameReader frames;
    frames.add(ranks_.first_finds([this] { return to_bytes(next_for_all()); }));
    auto frame = frames.next();
    return frame ? std::move(*frame) : Frame{FrameKind::leave, {}};
  }

  Frame next_for_all() {
    while (true) {
      Frame frame = inbox_->next();
      if (frame.kind != FrameKind::complete) return frame;
      complete(frame);
      tell_done();
    }
  }

  void complete(const Frame& frame) {
    if (answerer_ == nullptr || frame.texts.empty()) return;
    const Completion completion = answerer_->complete(frame.texts[0]);
    tell({FrameKind::candidates,
          {fmt::format("{}", completion.begin), fmt::format("{}", fmt::join(completion.candidates, kBetween))}});
  }

  void perform(const Frame& frame) {
    if (frame.kind == FrameKind::greet && frame.texts.size() == 2) greet(read_greeting(frame));
    if (answerer_ == nullptr) return;
    if (frame.kind == FrameKind::take && frame.texts.size() == 2) {
      const std::string& columns = frame.texts[1];
      std::from_chars(columns.data(), columns.data() + columns.size(), columns_);
      answerer_->take(frame.texts[0]);
    }
    if (frame.kind == FrameKind::end) answerer_->end();
    if (frame.kind == FrameKind::forget) answerer_->forget();
    tell_done();
  }

  void tell_done() const {
    if (answerer_ == nullptr) return;
    std::string letters;
    if (answerer_->in_statement()) letters += kInStatement;
    if (answerer_->left()) letters += kLeft;
    if (answerer_->any_failed()) letters += kAnyFailed;
    tell({FrameKind::done, {letters}});
  }

  void greet(Greeting greeting) {
    Screen& screen = greeting.screen;
    screen.columns = [this] { return columns_; };
    screen.out = [this](std::string_view text) { tell_in_pieces(FrameKind::out, text); };
    screen.err = [this](std::string_view text) { tell_in_pieces(FrameKind::err, text); };
    if (screen.ask != nullptr)
      screen.ask = [this](std::string_view question) {
        return ranks_.first_says([&] { return answer_to({FrameKind::ask, {std::string(question)}}) == "yes"; });
      };
    if (screen.open_lesson != nullptr)
      screen.open_lesson = [this](const std::string& lesson) {
        ranks_.first_finds([&] { return answer_to({FrameKind::open_lesson, {lesson}}); });
      };
    answerer_ = std::make_unique<LocalAnswerer>(config_, screen, greeting.name, ranks_);
  }

  void tell_in_pieces(FrameKind kind, std::string_view text) const {
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), kFrameTextBytes)))
      tell({kind, {std::string(text.substr(0, kFrameTextBytes))}});
  }

  // On the first rank.
  std::string answer_to(const Frame& question) {
    tell(question);
    while (true) {
      const Frame frame = inbox_->next();
      if (frame.kind == FrameKind::answer && !frame.texts.empty()) return frame.texts[0];
      if (frame.kind == FrameKind::leave) return "";
      if (frame.kind != FrameKind::complete) continue;
      complete(frame);
      tell_done();
    }
  }

  Launch& launch_;
  Config config_;
  Session meeting_;
  Ranks ranks_;
  int columns_ = 80;
  std::unique_ptr<Outbox> outbox_;  // of the first rank
  std::unique_ptr<Inbox> inbox_;
  std::unique_ptr<LocalAnswerer> answerer_;
};

}  // namespace

int work(Launch& launch, const Config& config) { return Worker(launch, config).run(); }

void refuse_worker(const Diagnostics& why) {
  std::string message = why.front().message;
  if (!why.front().help.empty()) message += "\n  help: " + why.front().help;
  write_bytes(STDOUT_FILENO, to_bytes({FrameKind::lost, {message}}));
}

}  // namespace tessera::repl
