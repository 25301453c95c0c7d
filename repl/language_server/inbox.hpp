// Messages of the client on their way to the server. A thread of its own reads them, so that a request can be
// cancelled, and the analysis of a text that has changed meanwhile given up, while the server is at work.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "repl/language_server/wire.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

struct Incoming {
  enum class Kind : std::uint8_t { message, no_json, too_long, bad, end };
  Kind kind = Kind::end;
  nlohmann::json message = {};
};

class ClientInbox {
 public:
  explicit ClientInbox(int descriptor);
  ClientInbox(const ClientInbox&) = delete;
  ClientInbox& operator=(const ClientInbox&) = delete;
  // Does not wait for a reader that waits for the client: the process is about to end.
  ~ClientInbox();

  Incoming next();
  // True if the client has taken the request back.
  bool is_cancelled(const nlohmann::json& id);
  // True if a change of the text waits.
  bool is_outdated(const std::string& uri);

  // The work at hand, for as long as this object lives: a request about a text.
  class Work {
   public:
    Work(ClientInbox& inbox, std::string id, std::string uri);
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work();
    const StopToken& stop() const { return stop_; }

   private:
    ClientInbox& inbox_;
    StopToken stop_;
  };

 private:
  struct Current {
    std::string id;
    std::string uri;
    StopToken stop;
  };

  // What the reading thread and the server share; it outlives whoever ends first.
  struct Shared {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<Incoming> queue;
    std::set<std::string> cancelled;     // ids of requests in the queue
    std::map<std::string, int> changes;  // in the queue, by text
    std::optional<Current> current = {};
    bool is_over = false;  // the client is gone: nobody waits for what is in the queue
  };
  static void read_all(MessageReader reader, const std::shared_ptr<Shared>& shared);
  static void take(Shared& shared, Incoming incoming);
  static void cancel(Shared& shared, const nlohmann::json& message);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

// The text that a message is about; empty where it is about none.
std::string uri_of(const nlohmann::json& message);

}  // namespace tessera::repl
