// tessera.h over tessera.hpp and function.hpp: handles that hold the C++ objects. No exception passes a function here.
#include "tessera/tessera.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "embed/session/session_impl.hpp"
#include "synth/layout/array_type.hpp"
#include "tessera/function.hpp"
#include "tessera/tessera.hpp"

struct tessera_session {
  tessera::Session session;
};
struct tessera_array {
  tessera::Array array;
  std::string type;
};
struct tessera_function {
  tessera::Function function;
};
struct tessera_failure {
  tessera::Diagnostics why;
};
struct tessera_stop_token {
  tessera::StopToken token;
};

namespace {

static_assert(TESSERA_RANK_MAX == tessera::synth::kRankMax);

using tessera::Diagnostic;
using tessera::Diagnostics;

tessera_text text_of(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view_of(tessera_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.length);
}

tessera_status status_of(const Diagnostics& why) {
  for (const Diagnostic& one : why) {
    if (one.severity == tessera::Severity::error) return static_cast<tessera_status>(one.blame);
  }
  return TESSERA_US;
}

tessera_status fail(Diagnostics why, tessera_failure** out) {
  const tessera_status status = status_of(why);
  if (out != nullptr) *out = new tessera_failure{std::move(why)};
  return status;
}

tessera_status wrong_call(const char* what, tessera_failure** out) {
  Diagnostic diagnostic;
  diagnostic.slug = "bad-call";
  diagnostic.blame = tessera::Blame::command;
  diagnostic.message = what;
  return fail({std::move(diagnostic)}, out);
}

tessera_status null_call(tessera_failure** out) {
  return wrong_call("a handle, or a pointer to where one is to be put, is NULL", out);
}

// Runs f, which gives a status, if none of the pointers that it needs is null. An exception can only
// mean that memory is exhausted, or a bug.
template <class F>
tessera_status answered(tessera_failure** why, std::initializer_list<bool> is_there, const F& f) noexcept {
  if (why != nullptr) *why = nullptr;
  try {
    if (std::find(is_there.begin(), is_there.end(), false) != is_there.end()) return null_call(why);
    return f();
  } catch (...) {
    return TESSERA_US;
  }
}

// Copies as much of a struct as the caller's header knows; its first member stays the caller's size.
template <class T>
void hand_out(T filled, T* to) {
  filled.size = std::min(to->size, sizeof(T));
  const std::size_t known = to->size;
  std::memcpy(to, &filled, filled.size);
  to->size = known;
}

tessera_diagnostic diagnostic_of(const Diagnostic& from) {
  tessera_diagnostic to{};
  to.size = sizeof(to);
  to.severity = static_cast<int>(from.severity);
  to.blame = static_cast<tessera_status>(from.blame);
  to.slug = text_of(from.slug);
  to.message = text_of(from.message);
  to.help = text_of(from.help);
  if (from.labels.empty()) return to;
  const tessera::Place& place = from.labels.front().place;
  to.file = text_of(place.file);
  to.line = place.line;
  to.column = place.column;
  to.length = place.length;
  return to;
}

auto opener(const tessera_config& c) {
  return [c](const std::string& name, tessera::FileUse use) -> tessera::HostFile {
    const int opened = c.open_file(c.context, text_of(name), static_cast<tessera_file_use>(use));
    if (opened >= 0) return {opened};
    return {-1, std::generic_category().message(-opened)};
  };
}

tessera::Config config_of(const tessera_config* given) {
  tessera_config c{};
  if (given != nullptr) std::memcpy(&c, given, std::min(given->size, sizeof(c)));
  tessera::Config config;
  if (c.output != nullptr) config.output = [c](std::string_view text) { c.output(c.context, text_of(text)); };
  if (c.clock != nullptr) config.clock = [c] { return c.clock(c.context); };
  if (c.log != nullptr) {
    config.log = [c](const Diagnostic& told) {
      const tessera_diagnostic diagnostic = diagnostic_of(told);
      c.log(c.context, &diagnostic);
    };
  }
  config.files.kind = static_cast<tessera::FilePolicy::Kind>(c.files);
  config.files.root = view_of(c.files_root);
  if (c.open_file != nullptr) config.files.open = opener(c);
  config.memory_bytes_max = c.memory_bytes_max;
  config.text_bytes_max = c.text_bytes_max;
  config.nesting_max = c.nesting_max;
  config.devices_max = c.devices_max;
  config.steps_max = c.steps_max;
  config.output_bytes_max = c.output_bytes_max;
  config.seconds_max = c.seconds_max;
  config.gpus = view_of(c.gpus);
  config.gpu_memory = c.gpu_memory;
  if (c.ordered_products != 0) config.products = tessera::Products::ordered;
  if (c.stop != nullptr) config.stop = c.stop->token;
  return config;
}

tessera_array* handle_of(tessera::Array array) {
  std::string type = array.type();
  return new tessera_array{std::move(array), std::move(type)};
}

tessera_status hand_out(tessera::Result<tessera::Array> made, tessera_array** array, tessera_failure** why) {
  if (!made) return fail(made.diagnostics(), why);
  *array = handle_of(std::move(*made));
  return TESSERA_DONE;
}

tessera_status status_from(const tessera::Status& done, tessera_failure** why) {
  return done ? TESSERA_DONE : fail(done.diagnostics(), why);
}

tessera::HostMemory memory_of(const tessera_memory& memory) {
  tessera::HostMemory result{memory.data};
  if (memory.strides_bytes != nullptr)
    result.strides_bytes.assign(memory.strides_bytes, memory.strides_bytes + memory.strides);
  return result;
}

// Calls release(context) with its last copy.
std::shared_ptr<const void> keeper(void (*release)(void*), void* context) {
  if (release == nullptr) return nullptr;
  return {static_cast<const void*>(""), [release, context](const void*) { release(context); }};
}

tessera_text at(const std::vector<std::string>& texts, std::size_t index) {
  return index < texts.size() ? text_of(texts[index]) : tessera_text{nullptr, 0};
}

}  // namespace

uint32_t tessera_abi_version(void) { return TESSERA_ABI_VERSION; }
tessera_text tessera_version(void) { return text_of(tessera::version()); }

size_t tessera_failure_count(const tessera_failure* failure) { return failure == nullptr ? 0 : failure->why.size(); }

tessera_status tessera_failure_at(const tessera_failure* failure, size_t index, tessera_diagnostic* diagnostic) {
  if (failure == nullptr || diagnostic == nullptr || index >= failure->why.size()) return TESSERA_COMMAND;
  hand_out(diagnostic_of(failure->why[index]), diagnostic);
  return TESSERA_DONE;
}

void tessera_failure_destroy(tessera_failure* failure) { delete failure; }

tessera_status tessera_stop_token_create(tessera_stop_token** token) {
  return answered(nullptr, {token != nullptr}, [&] {
    *token = new tessera_stop_token;
    return TESSERA_DONE;
  });
}
void tessera_stop_token_stop(tessera_stop_token* token) { token->token.stop(); }
void tessera_stop_token_destroy(tessera_stop_token* token) { delete token; }

tessera_status tessera_session_create(const tessera_config* config, tessera_session** session, tessera_failure** why) {
  return answered(why, {session != nullptr}, [&] {
    if (config != nullptr && (config->files < TESSERA_FILES_NONE || config->files > TESSERA_FILES_HOST))
      return wrong_call("`files` is none of tessera_files", why);
    tessera::Config made = config_of(config);
    if (const auto good = tessera::embed::limits_are_limits(made); !good)
      return fail(tessera::embed::to_public({}, good.errors()), why);
    *session = new tessera_session{tessera::Session(std::move(made))};
    return TESSERA_DONE;
  });
}
void tessera_session_destroy(tessera_session* session) { delete session; }

tessera_status tessera_session_fork(const tessera_session* session, tessera_session** fork, tessera_failure** why) {
  return answered(why, {session != nullptr, fork != nullptr}, [&] {
    *fork = new tessera_session{session->session.fork()};
    return TESSERA_DONE;
  });
}

tessera_status tessera_session_run(tessera_session* session, tessera_text text, tessera_text name,
                                   tessera_failure** why) {
  return answered(why, {session != nullptr}, [&] {
    const auto done = session->session.run(view_of(text), view_of(name));
    return done ? TESSERA_DONE : fail(done.diagnostics(), why);
  });
}

void tessera_session_stop(tessera_session* session) { session->session.stop(); }

tessera_status tessera_session_get(const tessera_session* session, tessera_text name, tessera_array** array,
                                   tessera_failure** why) {
  return answered(why, {session != nullptr, array != nullptr},
                  [&] { return hand_out(session->session.get(view_of(name)), array, why); });
}

tessera_status tessera_session_set(tessera_session* session, tessera_text name, const tessera_array* array,
                                   tessera_failure** why) {
  return answered(why, {session != nullptr, array != nullptr},
                  [&] { return status_from(session->session.set(view_of(name), array->array), why); });
}

tessera_status tessera_session_borrow(tessera_session* session, tessera_text type, const tessera_memory* tiles,
                                      size_t tile_count, void (*release)(void*), void* context, tessera_array** array,
                                      tessera_failure** why) {
  return answered(why, {}, [&] {
    auto keep = keeper(release, context);
    if (session == nullptr || array == nullptr) return null_call(why);
    if (tiles == nullptr && tile_count > 0) return wrong_call("there are no tiles", why);
    std::vector<tessera::HostMemory> memory;
    for (size_t i = 0; i < tile_count; ++i) memory.push_back(memory_of(tiles[i]));
    return hand_out(session->session.borrow(view_of(type), memory, std::move(keep)), array, why);
  });
}

tessera_status tessera_session_array(tessera_session* session, tessera_text type, const tessera_memory* whole,
                                     void (*release)(void*), void* context, tessera_array** array,
                                     tessera_failure** why) {
  return answered(why, {}, [&] {
    auto keep = keeper(release, context);
    if (session == nullptr || whole == nullptr || array == nullptr) return null_call(why);
    return hand_out(session->session.array(view_of(type), memory_of(*whole), std::move(keep)), array, why);
  });
}

tessera_status tessera_session_function(tessera_session* session, tessera_text name, const tessera_text* types,
                                        size_t type_count, tessera_function** function, tessera_failure** why) {
  return answered(why, {session != nullptr, function != nullptr}, [&] {
    if (types == nullptr && type_count > 0) return wrong_call("there are no types", why);
    std::vector<std::string> texts;
    for (size_t i = 0; i < type_count; ++i) texts.emplace_back(view_of(types[i]));
    auto made = session->session.function(view_of(name), texts);
    if (!made) return fail(made.diagnostics(), why);
    *function = new tessera_function{std::move(*made)};
    return TESSERA_DONE;
  });
}

size_t tessera_function_parameters(const tessera_function* function) { return function->function.parameters().size(); }
size_t tessera_function_results(const tessera_function* function) { return function->function.results().size(); }
tessera_text tessera_function_parameter_type(const tessera_function* function, size_t index) {
  return at(function->function.parameters(), index);
}
tessera_text tessera_function_result_type(const tessera_function* function, size_t index) {
  return at(function->function.results(), index);
}

tessera_status tessera_function_call_until(const tessera_function* function, const tessera_array* const* arguments,
                                           size_t argument_count, const tessera_stop_token* stop,
                                           tessera_array** results, tessera_failure** why) {
  return answered(why, {function != nullptr, results != nullptr}, [&] {
    if (arguments == nullptr && argument_count > 0) return wrong_call("there are no arguments", why);
    std::vector<tessera::Array> given;
    for (size_t i = 0; i < argument_count; ++i) {
      if (arguments[i] == nullptr) return wrong_call("an argument is NULL", why);
      given.push_back(arguments[i]->array);
    }
    auto made = stop == nullptr ? function->function.call(given) : function->function.call(given, stop->token);
    if (!made) return fail(made.diagnostics(), why);
    std::vector<std::unique_ptr<tessera_array>> handles;  // all, or none
    for (tessera::Array& array : *made) handles.emplace_back(handle_of(std::move(array)));
    for (size_t i = 0; i < handles.size(); ++i) results[i] = handles[i].release();
    return TESSERA_DONE;
  });
}
tessera_status tessera_function_call(const tessera_function* function, const tessera_array* const* arguments,
                                     size_t argument_count, tessera_array** results, tessera_failure** why) {
  return tessera_function_call_until(function, arguments, argument_count, nullptr, results, why);
}
void tessera_function_destroy(tessera_function* function) { delete function; }

tessera_text tessera_array_type(const tessera_array* array) { return text_of(array->type); }
tessera_element tessera_array_element(const tessera_array* array) {
  return static_cast<tessera_element>(array->array.element());
}
int32_t tessera_array_rank(const tessera_array* array) { return static_cast<int32_t>(array->array.shape().size()); }
const int64_t* tessera_array_shape(const tessera_array* array) { return array->array.shape().data(); }
int64_t tessera_array_devices(const tessera_array* array) { return array->array.devices(); }
int tessera_array_borrowed(const tessera_array* array) { return array->array.borrowed() ? 1 : 0; }

tessera_status tessera_array_view(const tessera_array* array, int64_t device, tessera_view* view,
                                  tessera_failure** why) {
  return answered(why, {array != nullptr, view != nullptr}, [&] {
    const auto found = array->array.view(device);
    if (!found) return fail(found.diagnostics(), why);
    tessera_view filled{};
    filled.data = found->data;
    filled.rank = static_cast<int32_t>(found->shape.size());
    for (std::size_t d = 0; d < found->shape.size(); ++d) {
      filled.begin[d] = found->box[d].first;
      filled.shape[d] = found->shape[d];
      filled.strides_bytes[d] = found->strides_bytes[d];
    }
    hand_out(filled, view);
    return TESSERA_DONE;
  });
}

tessera_status tessera_array_copy_to(const tessera_array* array, void* data, const int64_t* strides_bytes,
                                     tessera_failure** why) {
  return answered(why, {array != nullptr}, [&] {
    std::vector<std::int64_t> strides;
    if (strides_bytes != nullptr) strides.assign(strides_bytes, strides_bytes + array->array.shape().size());
    return status_from(array->array.copy_to(data, strides), why);
  });
}

void tessera_array_destroy(tessera_array* array) { delete array; }
