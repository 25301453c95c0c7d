#include "embed/host/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace tessera::embed {

namespace {

using nlohmann::json;

// Iterates over the text and tells how far the parser has read: its events do not say where they are.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** furthest = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    *furthest = std::max(*furthest, at);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at == b.at; }
};

// Takes the parser's events; the first one that does not belong ends the parse with a fault.
class Reader {
 public:
  Reader(base::SourceId source, std::string_view text, JsonForm form) : text_(text), source_(source), form_(form) {}

  bool run() {
    const char* first = text_.data();
    furthest_ = first;
    const CountingIterator begin{first, &furthest_};
    const CountingIterator end{first + text_.size(), &furthest_};
    return json::sax_parse(begin, end, this) && fault_.empty();
  }

  std::vector<JsonObject> objects;
  std::vector<JsonField> lists;  // the keys of the outer object, with nothing in them
  const std::string& fault() const { return fault_; }
  base::Span fault_span() const { return fault_span_; }

  bool null() { return put(std::monostate{}); }
  bool boolean(bool) { return put(std::monostate{}); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return put(static_cast<double>(value));
    return put(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(json::binary_t&) { return put(std::monostate{}); }

  bool start_array(std::size_t) {
    if (form_ == JsonForm::lists && !in_array_) return in_array_ = true;
    if (form_ != JsonForm::lists || !in_object_ || in_numbers_) return wrong_form();
    objects.back().fields.back().value = std::vector<double>();
    return in_numbers_ = true;
  }
  bool end_array() {
    (in_numbers_ ? in_numbers_ : in_array_) = false;
    return true;
  }
  bool start_object(std::size_t) {
    if (form_ == JsonForm::lists && !in_array_ && !has_lists_) return has_lists_ = true;
    if (in_object_ || (form_ == JsonForm::lists) != in_array_) return wrong_form();
    objects.push_back(JsonObject{{}, here(1), lists.empty() ? std::string() : lists.back().key});
    return in_object_ = true;
  }
  bool end_object() {
    in_object_ = false;
    return true;
  }
  bool key(std::string& name) {
    std::vector<JsonField>& fields = in_object_ ? objects.back().fields : lists;
    const base::Span span = here(name.size() + 2);
    const bool twice = std::any_of(fields.begin(), fields.end(), [&](const JsonField& f) { return f.key == name; });
    if (twice) return fail(fmt::format("the key \"{}\" appears twice", name), span);
    fields.push_back(JsonField{std::move(name), std::monostate{}, span});
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    const auto end = static_cast<std::uint32_t>(std::min(position, text_.size()));
    return fail("the JSON is broken here", base::Span{source_, end == 0 ? 0 : end - 1, end});
  }

 private:
  // The last `length` bytes read.
  base::Span here(std::size_t length) const {
    const auto end = static_cast<std::size_t>(furthest_ - text_.data());
    return {source_, static_cast<std::uint32_t>(end - std::min(end, length)), static_cast<std::uint32_t>(end)};
  }
  bool fail(std::string fault, base::Span span) {
    if (fault_.empty()) {
      fault_ = std::move(fault);
      fault_span_ = span;
    }
    return false;
  }
  bool wrong_form() {
    if (in_object_)
      return fail(fmt::format("\"{}\" needs {}", last_key(), in_numbers_ ? "a list of numbers" : "a number or a text"),
                  objects.back().fields.back().span);
    if (!lists.empty() && !in_array_) {
      return fail(fmt::format("\"{}\" needs an array of objects", lists.back().key), lists.back().span);
    }
    return fail(form_ == JsonForm::object ? "it must be one object" : "it must be an array of objects", here(1));
  }
  const std::string& last_key() const { return objects.back().fields.back().key; }
  template <class T>
  bool put(T value) {
    if (!in_object_) return wrong_form();
    if (in_numbers_) {
      if constexpr (!std::is_arithmetic_v<T>)
        return wrong_form();
      else
        std::get<std::vector<double>>(objects.back().fields.back().value).push_back(static_cast<double>(value));
      return true;
    }
    objects.back().fields.back().value = std::move(value);
    return true;
  }

  std::string_view text_;
  base::SourceId source_;
  JsonForm form_;
  const char* furthest_ = nullptr;
  bool in_array_ = false;
  bool has_lists_ = false;  // it is an object of lists
  bool in_object_ = false;
  bool in_numbers_ = false;
  std::string fault_;  // empty: none
  base::Span fault_span_;
};

}  // namespace

base::Result<std::vector<JsonObject>> read_json_objects(const base::SourceMap& sources, base::SourceId source,
                                                        JsonForm form, const base::KindInfo& kind,
                                                        std::vector<JsonField>* lists) {
  Reader reader(source, sources[source].text(), form);
  if (!reader.run()) return base::make(kind, reader.fault()).at(reader.fault_span());
  if (lists != nullptr) *lists = std::move(reader.lists);
  return std::move(reader.objects);
}

std::vector<JsonField> readable_fields(std::string_view text) {
  Reader reader(base::SourceId{}, text, JsonForm::object);
  reader.run();
  return reader.objects.empty() ? std::vector<JsonField>{} : std::move(reader.objects.front().fields);
}

std::string quoted_json(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string unread_request_json(const PlanRequest& request, const Diagnostic& why) {
  nlohmann::ordered_json line;
  line["mesh"] = request.mesh;
  if (!request.to_mesh.empty()) line["to_mesh"] = request.to_mesh;
  line["from"] = request.from;
  line["to"] = request.to;
  line["planner"] = request.planner;
  line["error"] = why.slug;
  line["message"] = why.message;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tessera::embed
