#include "repl/language_server/inbox.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tessera::repl {

namespace {

using Json = nlohmann::json;

std::string text_at(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string method_of(const Json& message) { return text_at(message, "method"); }

std::string id_of(const Json& object) {
  if (!object.is_object() || !object.contains("id")) return "";
  return object["id"].dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool changes_text(const Json& message) { return method_of(message) == "textDocument/didChange"; }

}  // namespace

std::string uri_of(const Json& message) {
  if (!message.is_object()) return "";
  const auto params = message.find("params");
  if (params == message.end() || !params->is_object()) return "";
  const auto document = params->find("textDocument");
  return document == params->end() ? "" : text_at(*document, "uri");
}

ClientInbox::ClientInbox(int descriptor) : shared_(std::make_shared<Shared>()) {
  thread_ = std::thread([reader = MessageReader(descriptor), shared = shared_] { read_all(reader, shared); });
}

ClientInbox::~ClientInbox() { thread_.detach(); }

void ClientInbox::read_all(MessageReader reader, const std::shared_ptr<Shared>& shared) {
  std::string text;
  while (true) {
    Incoming incoming;
    switch (reader.next(text)) {
      case MessageReader::Outcome::message: {
        incoming.message = Json::parse(text, nullptr, false);
        incoming.kind = incoming.message.is_discarded() ? Incoming::Kind::no_json : Incoming::Kind::message;
        break;
      }
      case MessageReader::Outcome::too_long: incoming.kind = Incoming::Kind::too_long; break;
      case MessageReader::Outcome::bad: incoming.kind = Incoming::Kind::bad; break;
      case MessageReader::Outcome::end: incoming.kind = Incoming::Kind::end; break;
    }
    const bool is_last = incoming.kind == Incoming::Kind::bad || incoming.kind == Incoming::Kind::end;
    take(*shared, std::move(incoming));
    if (is_last) return;
  }
}

void ClientInbox::take(Shared& shared, Incoming incoming) {
  const std::scoped_lock lock(shared.mutex);
  if (method_of(incoming.message) == "$/cancelRequest") return cancel(shared, incoming.message);
  const bool is_over = incoming.kind == Incoming::Kind::bad || incoming.kind == Incoming::Kind::end;
  const std::string uri = uri_of(incoming.message);
  if (changes_text(incoming.message)) ++shared.changes[uri];
  shared.is_over = shared.is_over || is_over;
  const bool outdates = changes_text(incoming.message) && shared.current && shared.current->uri == uri;
  if (outdates || (is_over && shared.current)) shared.current->stop.stop();
  shared.queue.push_back(std::move(incoming));
  shared.wake.notify_one();
}

void ClientInbox::cancel(Shared& shared, const Json& message) {
  const std::string id = message.contains("params") ? id_of(message["params"]) : "";
  if (id.empty()) return;
  if (shared.current && shared.current->id == id) {
    shared.cancelled.insert(id);
    shared.current->stop.stop();
    return;
  }
  const bool waits = std::any_of(shared.queue.begin(), shared.queue.end(),
                                 [&](const Incoming& one) { return id_of(one.message) == id; });
  if (waits) shared.cancelled.insert(id);
}

Incoming ClientInbox::next() {
  std::unique_lock lock(shared_->mutex);
  shared_->wake.wait(lock, [&] { return !shared_->queue.empty(); });
  Incoming incoming = std::move(shared_->queue.front());
  shared_->queue.pop_front();
  if (changes_text(incoming.message)) {
    const auto waiting = shared_->changes.find(uri_of(incoming.message));
    if (--waiting->second == 0) shared_->changes.erase(waiting);
  }
  return incoming;
}

bool ClientInbox::is_cancelled(const Json& id) {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->cancelled.erase(id.dump(-1, ' ', false, Json::error_handler_t::replace)) > 0;
}

bool ClientInbox::is_outdated(const std::string& uri) {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->changes.contains(uri);
}

ClientInbox::Work::Work(ClientInbox& inbox, std::string id, std::string uri) : inbox_(inbox) {
  const std::scoped_lock lock(inbox_.shared_->mutex);
  inbox_.shared_->current = Current{std::move(id), std::move(uri), stop_};
  if (inbox_.shared_->is_over) stop_.stop();
}

ClientInbox::Work::~Work() {
  const std::scoped_lock lock(inbox_.shared_->mutex);
  inbox_.shared_->current.reset();
}

}  // namespace tessera::repl
