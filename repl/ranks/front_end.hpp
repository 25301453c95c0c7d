// The front end of a session on ranks: it has the screen and the keyboard, starts the ranks, and passes on lines and
// answers. It runs nothing itself and takes no part in MPI, so that it outlives every rank.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/ranks/frame.hpp"
#include "repl/ranks/launcher.hpp"
#include "repl/session/answerer.hpp"

namespace tessera::repl {

class FrontEnd final : public Answerer {
 public:
  // The ranks are stopped when `interrupt` becomes readable; where it is negative, by Ctrl-C. `name` is what
  // diagnostics call what is typed.
  FrontEnd(int ranks, const std::vector<std::string>& options, Screen screen, const std::string& name, int interrupt);
  ~FrontEnd() override;

  void take(const std::string& line) override;
  void end() override { request({FrameKind::end, {}}); }
  void forget() override { request({FrameKind::forget, {}}); }
  Completion complete(std::string_view before_cursor) override;
  bool in_statement() const override { return in_statement_; }
  bool left() const override { return left_ || lost_; }
  bool any_failed() const override { return any_failed_; }
  std::optional<std::string> lost() const override { return lost_; }

 private:
  // Sends a frame and shows what comes until it is done.
  void request(const Frame& frame);
  void show_until_done(int interrupt);
  void show(const Frame& frame);
  void answer(const std::string& text);
  void send(const Frame& frame);
  void wait_for_window();
  void give_up();
  // Waits for more from the ranks; passes an interrupt on.
  void wait(int interrupt);

  Screen screen_;
  int interrupt_;
  std::unique_ptr<Launcher> launcher_;
  FrameReader frames_;
  std::size_t unread_bytes_ = 0;  // at most, of what was sent
  std::string rank_says_;         // why it ends
  Completion completion_;
  bool stopping_ = false;
  bool done_ = false;
  bool in_statement_ = false;
  bool left_ = false;
  bool any_failed_ = false;
  std::optional<std::string> lost_;
};

}  // namespace tessera::repl
