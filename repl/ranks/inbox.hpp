// The first rank's ends of the pipes. A thread reads the front end's frames, so that `stop` works while something runs,
// and the ranks end when the front end is gone.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "repl/ranks/frame.hpp"

namespace tessera::repl {

// Messages of the first rank. Any thread may send one.
class Outbox {
 public:
  // Standard output; what a library writes there goes to standard error from now on.
  Outbox();
  void send(const Frame& frame);

 private:
  int descriptor_;
  std::mutex mutex_;  // of descriptor_
};

class Inbox {
 public:
  // Reads standard input.
  explicit Inbox(Outbox& outbox) : outbox_(outbox), reader_([this] { read(); }) {}
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  // After `leave`.
  ~Inbox() { reader_.join(); }

  // Waits for the next frame that is not `stop`. After `leave` there is nothing else.
  Frame next();

 private:
  void read();
  void put(Frame frame);

  Outbox& outbox_;
  std::mutex mutex_;  // of frames_
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  std::thread reader_;
};

}  // namespace tessera::repl
