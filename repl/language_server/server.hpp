// The language server: requests and notifications of one client, one after the other.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "repl/language_server/answers.hpp"
#include "repl/language_server/inbox.hpp"
#include "repl/language_server/library.hpp"
#include "repl/language_server/wire.hpp"

namespace tessera::repl {

class LanguageServer {
 public:
  LanguageServer(int input, int output, std::string machine_file);

  // Until the client says `exit` or is gone; the exit status.
  int run();

 private:
  // Why there is no answer; codes are the protocol's.
  struct Failure {
    int code = 0;
    std::string message;
  };

  void take(const Json& message);
  void take_request(const std::string& method, const Json& id, const Json& params);
  void take_notification(const std::string& method, const Json& params);
  Json answer(const std::string& method, const Json& params, const StopToken& stop);
  Json answer_about(const std::string& method, const Json& params, const View& view, const StopToken& stop);
  Json answer_edits(const std::string& method, const Json& params, const View& view, const StopToken& stop);
  Json initialized(const Json& params);
  Json carried_out(const Json& params, const StopToken& stop);
  Json drawn(const std::string& uri, const std::shared_ptr<const View>& view, const StopToken& stop);
  void configure(const Json& settings);
  void publish(const std::string& uri);
  std::shared_ptr<const View> view_of(const std::string& uri, const StopToken& stop);

  void send(const Json& message);
  void notify(const std::string& method, Json params);
  void fail(const Json& id, const Failure& failure);
  void log(const std::string& line);

  ClientInbox inbox_;
  MessageWriter writer_;
  TextLibrary library_;
  bool is_initialized_ = false;
  bool is_shut_down_ = false;
  bool refreshes_hints_ = false;
  std::int64_t own_requests_ = 0;
  std::optional<int> status_;  // with which the process ends
};

}  // namespace tessera::repl
