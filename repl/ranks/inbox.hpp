// What the front end says to the first rank. A thread reads it, so that `stop` is heeded while something runs, and so
// that the ranks end when the front end is gone.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "repl/ranks/frame.hpp"

namespace tessera::repl {

class Inbox {
 public:
  // Reads standard input.
  Inbox() : reader_([this] { read(); }) {}
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  // After `leave`.
  ~Inbox() { reader_.join(); }

  // Waits for the next frame that is not `stop`. After `leave` there is nothing else.
  Frame next();

 private:
  void read();
  void put(Frame frame);

  std::mutex mutex_;  // of frames_
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  std::thread reader_;
};

}  // namespace tessera::repl
