#include "repl/language_server/server.hpp"

#include <exception>
#include <new>
#include <utility>

#include "repl/language_server/capabilities.hpp"
#include "repl/page/page.hpp"
#include "repl/process/exit.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

// The protocol's numbers for errors.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kNotInitialized = -32002;
constexpr int kRequestFailed = -32803;
constexpr int kContentModified = -32801;
constexpr int kRequestCancelled = -32800;

constexpr int kLogError = 1;

std::string dumped(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace); }

TextRange range_of(const View& view, const Json& range) {
  const std::uint32_t begin = view.lines.offset(range.at("start"));
  return {begin, std::max(begin, view.lines.offset(range.at("end")))};
}

std::string uri_in(const Json& params) { return params.at("textDocument").at("uri").get<std::string>(); }

}  // namespace

LanguageServer::LanguageServer(int input, int output, std::string machine_file)
    : inbox_(input), writer_(output), library_([this](const std::string& line) { log(line); }) {
  library_.settings.machine_file = std::move(machine_file);
}

int LanguageServer::run() {
  while (!status_) {
    const Incoming incoming = inbox_.next();
    switch (incoming.kind) {
      case Incoming::Kind::message: take(incoming.message); break;
      case Incoming::Kind::no_json: fail(nullptr, {kParseError, "the message is not JSON"}); break;
      case Incoming::Kind::too_long:
        fail(nullptr, {kInvalidRequest, "the message is longer than 64 MiB, and was skipped"});
        break;
      case Incoming::Kind::bad:
        fail(nullptr, {kParseError, "there is no header with a Content-Length: nothing after it can be read"});
        return kExitWorld;
      case Incoming::Kind::end: return is_shut_down_ ? kExitDone : kExitWorld;
    }
  }
  return *status_;
}

// ---- Messages out

void LanguageServer::send(const Json& message) { writer_.write(dumped(message)); }

void LanguageServer::notify(const std::string& method, Json params) {
  send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

void LanguageServer::fail(const Json& id, const Failure& failure) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", failure.code}, {"message", failure.message}}}});
}

void LanguageServer::log(const std::string& line) {
  notify("window/logMessage", {{"type", kLogError}, {"message", line}});
}

void LanguageServer::publish(const std::string& uri) {
  if (inbox_.is_outdated(uri)) return;
  const ClientInbox::Work work(inbox_, "", uri);
  const auto view = view_of(uri, work.stop());
  if (view == nullptr) return;
  Json params = {{"uri", uri}, {"diagnostics", diagnostics_of(*view)}};
  if (const auto version = library_.version(uri)) params["version"] = *version;
  notify("textDocument/publishDiagnostics", std::move(params));
}

std::shared_ptr<const View> LanguageServer::view_of(const std::string& uri, const StopToken& stop) {
  return library_.view(uri, stop);
}

// ---- Messages in

void LanguageServer::take(const Json& message) {
  if (!message.is_object()) return fail(nullptr, {kInvalidRequest, "a message is an object"});
  const auto method = message.find("method");
  const Json id = message.value("id", Json());
  if (method == message.end()) {
    const bool is_answer = message.contains("result") || message.contains("error");
    if (!is_answer) fail(id, {kInvalidRequest, "a request has a method"});
    return;
  }
  if (!method->is_string()) return fail(id, {kInvalidRequest, "a method is a text"});
  const Json params = message.value("params", Json::object());
  if (message.contains("id")) return take_request(method->get<std::string>(), id, params);
  try {
    take_notification(method->get<std::string>(), params);
  } catch (const std::exception& error) {
    log(method->get<std::string>() + ": " + error.what());
  }
}

void LanguageServer::take_request(const std::string& method, const Json& id, const Json& params) {
  if (inbox_.is_cancelled(id)) return fail(id, {kRequestCancelled, "taken back"});
  if (!is_initialized_ && method != "initialize")
    return fail(id, {kNotInitialized, "the first request is `initialize`"});
  if (is_shut_down_) return fail(id, {kInvalidRequest, "the server is shut down"});
  const ClientInbox::Work work(inbox_, dumped(id), uri_of({{"params", params}}));
  try {
    Json result = answer(method, params, work.stop());
    if (work.stop().asked())
      return fail(id, inbox_.is_cancelled(id) ? Failure{kRequestCancelled, "taken back"}
                                              : Failure{kContentModified, "the text has changed meanwhile"});
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  } catch (const Failure& failure) {
    fail(id, failure);
  } catch (const Json::exception& error) {
    fail(id, {kInvalidParams, error.what()});
  } catch (const std::bad_alloc&) {
    fail(id, {kInternalError, "out of memory"});
  } catch (const std::exception& error) {
    fail(id, {kInternalError, error.what()});
  }
}

void LanguageServer::take_notification(const std::string& method, const Json& params) {
  if (method == "exit") {
    status_ = is_shut_down_ ? kExitDone : kExitProgram;
  } else if (!is_initialized_ || is_shut_down_) {
    return;
  } else if (method == "textDocument/didOpen") {
    const Json& document = params.at("textDocument");
    const std::string uri = uri_in(params);
    library_.open(uri, document.at("text").get<std::string>(), document.value("version", std::int64_t{0}));
    publish(uri);
  } else if (method == "textDocument/didChange") {
    const std::string uri = uri_in(params);
    library_.change(uri, params.at("contentChanges"), params.at("textDocument").value("version", std::int64_t{0}));
    publish(uri);
  } else if (method == "textDocument/didClose") {
    const std::string uri = uri_in(params);
    library_.close(uri);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  } else if (method == "workspace/didChangeConfiguration") {
    configure(params.value("settings", Json::object()));
    if (refreshes_hints_)
      send({{"jsonrpc", "2.0"}, {"id", own_requests_++}, {"method", "workspace/inlayHint/refresh"}});
  }
}

void LanguageServer::configure(const Json& all) {
  if (!all.is_object()) return;
  const Json settings = all.value("tessera", all);
  if (!settings.is_object()) return;
  EditorSettings& own = library_.settings;
  const std::string hints = settings.value("hints", "");
  if (hints == "off") own.hints = EditorSettings::Hints::off;
  if (hints == "bytes") own.hints = EditorSettings::Hints::bytes;
  if (hints == "all") own.hints = EditorSettings::Hints::all;
  own.least_bytes = settings.value("leastBytes", own.least_bytes);
  own.machine_file = settings.value("machine", own.machine_file);
  library_.forget_views();
}

Json LanguageServer::initialized(const Json& params) {
  if (is_initialized_) throw Failure{kInvalidRequest, "the server is initialized"};
  const Json client = params.value("capabilities", Json::object());
  library_.units = wished_units(client);
  if (params.contains("rootUri") && params["rootUri"].is_string())
    library_.root = path_of(params["rootUri"].get<std::string>());
  configure(params.value("initializationOptions", Json::object()));
  const Json::json_pointer refresh("/workspace/inlayHint/refreshSupport");
  refreshes_hints_ = client.contains(refresh) && client.at(refresh) == true;
  is_initialized_ = true;
  return {{"capabilities", server_capabilities(library_.units)},
          {"serverInfo", {{"name", "tessera"}, {"version", std::string(version())}}}};
}

Json LanguageServer::answer(const std::string& method, const Json& params, const StopToken& stop) {
  if (method == "initialize") return initialized(params);
  if (method == "shutdown") {
    is_shut_down_ = true;
    return nullptr;
  }
  if (method == "workspace/executeCommand") return carried_out(params, stop);
  if (!method.starts_with("textDocument/")) throw Failure{kMethodNotFound, "there is no method `" + method + "`"};
  const std::string uri = uri_in(params);
  if (!library_.is_open(uri)) throw Failure{kInvalidParams, "the text is not open: " + uri};
  const auto view = view_of(uri, stop);
  if (view == nullptr) return nullptr;
  return answer_about(method, params, *view, stop);
}

Json LanguageServer::answer_about(const std::string& method, const Json& params, const View& view,
                                  const StopToken& stop) {
  const std::string name = method.substr(method.find('/') + 1);
  const auto offset = [&] { return view.lines.offset(params.at("position")); };
  const TextRange whole{0, static_cast<std::uint32_t>(view.text.size())};
  if (name == "inlayHint") return hints_of(view, range_of(view, params.at("range")), library_.settings);
  if (name == "hover") return hover_of(view, offset());
  if (name == "completion") return completions_of(view, offset());
  if (name == "signatureHelp") return signature_of(view, offset());
  if (name == "definition") return definition_answer(view, offset());
  if (name == "references")
    return references_of(view, offset(), params.value("/context/includeDeclaration"_json_pointer, true));
  if (name == "documentHighlight") return highlights_of(view, offset());
  if (name == "documentSymbol") return symbols_of(view);
  if (name == "foldingRange") return folding_of(view);
  if (name == "semanticTokens/full") return semantic_tokens_of(view, whole);
  if (name == "semanticTokens/range") return semantic_tokens_of(view, range_of(view, params.at("range")));
  if (name == "selectionRange") {
    std::vector<std::uint32_t> offsets;
    for (const Json& position : params.at("positions")) offsets.push_back(view.lines.offset(position));
    return selections_of(view, offsets);
  }
  return answer_edits(name, params, view, stop);
}

Json LanguageServer::answer_edits(const std::string& name, const Json& params, const View& view,
                                  const StopToken& stop) {
  const Analyse analyse = [&](const std::string& text) { return library_.analyse(view.uri, text, stop); };
  if (name == "codeAction") return actions_of(view, range_of(view, params.at("range")), analyse);
  if (name == "prepareRename") return rename_range(view, view.lines.offset(params.at("position")));
  if (name == "formatting") return formatting_of(view, std::nullopt);
  if (name == "rangeFormatting") return formatting_of(view, range_of(view, params.at("range")));
  if (name != "rename") throw Failure{kMethodNotFound, "there is no method `textDocument/" + name + "`"};
  std::string why;
  Json edit =
      rename_of(view, view.lines.offset(params.at("position")), params.at("newName").get<std::string>(), analyse, why);
  if (!why.empty()) throw Failure{kRequestFailed, why};
  return edit;
}

// ---- Commands

Json LanguageServer::carried_out(const Json& params, const StopToken& stop) {
  const std::string command = params.at("command").get<std::string>();
  const Json arguments = params.value("arguments", Json::array());
  if (command == "tessera.explain") {
    const auto section = explain(arguments.at(0).get<std::string>());
    if (!section) throw Failure{kInvalidParams, section.diagnostics().front().message};
    return *section;
  }
  const bool is_known = command == "tessera.plan" || command == "tessera.compare" || command == "tessera.draw";
  if (!is_known) throw Failure{kInvalidParams, "there is no command `" + command + "`"};
  const std::string uri = arguments.at(0).get<std::string>();
  if (!library_.is_open(uri)) throw Failure{kInvalidParams, "the text is not open: " + uri};
  const auto view = view_of(uri, stop);
  if (view == nullptr) return nullptr;
  if (command == "tessera.draw") return drawn(uri, view, stop);
  const std::uint32_t offset = view->lines.offset(arguments.at(1));
  return command == "tessera.plan" ? plan_of_statement(*view, offset) : comparison_of_statement(*view, offset);
}

Json LanguageServer::drawn(const std::string& uri, const std::shared_ptr<const View>& view, const StopToken& stop) {
  Config config = library_.config_for(uri);
  config.stop = stop;
  Session session(std::move(config));
  const auto program = session.check(view->text, path_of(uri));
  if (!program) throw Failure{kRequestFailed, program.diagnostics().front().message};
  return drawn_page(path_of(uri), view->text, modelled_line(view->machine, "a file `tessera.machine` gives others"),
                    *program);
}

}  // namespace tessera::repl
