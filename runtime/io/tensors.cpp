#include "runtime/io/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "base/quoted.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/json_head.hpp"

namespace tessera::runtime {

namespace {

constexpr std::string_view kTotal = "total_size";

const TensorElement kTensorElements[] = {
    {"I64", 8, synth::ElementType::i64},
    {"F64", 8, synth::ElementType::f64},
    {"U64", 8, {}},
    {"C64", 8, synth::ElementType::c64},
    {"I32", 4, synth::ElementType::i32},
    {"F32", 4, synth::ElementType::f32},
    {"U32", 4, synth::ElementType::u32},
    {"F16", 2, synth::ElementType::f16},
    {"BF16", 2, synth::ElementType::bf16},
    {"I16", 2, synth::ElementType::i16},
    {"U16", 2, synth::ElementType::u16},
    {"BOOL", 1, synth::ElementType::boolean},
    {"U8", 1, synth::ElementType::u8},
    {"I8", 1, synth::ElementType::i8},
    {"F8_E5M2", 1, {}},
    {"F8_E4M3", 1, {}},
    {"F8_E8M0", 1, {}},
};

Tensor read_tensor(JsonText& json, const std::string& name) {
  Tensor tensor;
  std::vector<std::int64_t> offsets;
  bool has_shape = false;
  json.object([&](const std::string& key) {
    if (key == "dtype") {
      tensor.dtype = json.string();
    } else if (key == "shape") {
      tensor.shape = json.numbers();
      has_shape = true;
    } else if (key == "data_offsets") {
      offsets = json.numbers();
    } else {
      json.skip();
    }
  });
  if (tensor.dtype.empty() || !has_shape || offsets.size() != 2)
    fail_head(fmt::format("{} lacks its dtype, its shape or its two data_offsets", in_quotes(name)));
  tensor.begin = offsets[0];
  tensor.end = offsets[1];
  return tensor;
}

// The bytes between the offsets are those of the elements.
void check_tensor_bytes(const std::string& name, const Tensor& tensor) {
  if (tensor.end < tensor.begin) fail_head(fmt::format("{} ends before it begins", in_quotes(name)));
  const TensorElement* const element = find_tensor_element(tensor.dtype);
  if (element == nullptr) return;
  std::int64_t bytes = element->bytes;
  for (const std::int64_t extent : tensor.shape) {
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      fail_head(fmt::format("{} has more bytes than 63 bits can count", in_quotes(name)));
  }
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) bytes = 0;
  if (bytes != tensor.end - tensor.begin)
    fail_head(
        fmt::format("{} needs {} bytes, but its offsets span {}", in_quotes(name), bytes, tensor.end - tensor.begin));
}

using NamedTensor = std::pair<const std::string, Tensor>;

std::vector<const NamedTensor*> in_order_of_bytes(const TensorHead& head) {
  std::vector<const NamedTensor*> order;
  for (const auto& named : head.tensors) order.push_back(&named);
  std::stable_sort(order.begin(), order.end(), [](const NamedTensor* x, const NamedTensor* y) {
    return std::pair(x->second.begin, x->second.end) < std::pair(y->second.begin, y->second.end);
  });
  return order;
}

void check_places(const TensorHead& head, std::int64_t data_bytes) {
  std::int64_t last = 0;
  for (const NamedTensor* named : in_order_of_bytes(head)) {
    const auto& [name, tensor] = *named;
    if (tensor.begin < last) fail_head(fmt::format("{} lies over another array", in_quotes(name)));
    if (tensor.begin > last) fail_head(fmt::format("there is a gap before {}", in_quotes(name)));
    last = tensor.end;
    if (last > data_bytes) fail_head(fmt::format("{} lies beyond the end of the file", in_quotes(name)));
  }
  if (last != data_bytes) fail_head("there is more after its last array");
}

}  // namespace

const TensorElement* find_tensor_element(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kTensorElements), std::end(kTensorElements),
                                         [&](const TensorElement& one) { return one.name == name; });
  return found == std::end(kTensorElements) ? nullptr : found;
}

const TensorElement& tensor_element(synth::ElementType element) {
  const auto* const found = std::find_if(std::begin(kTensorElements), std::end(kTensorElements),
                                         [&](const TensorElement& one) { return one.element == element; });
  TESSERA_CHECK(found != std::end(kTensorElements), "an element type that no tensor has");
  return *found;
}

TensorHead read_tensor_head(std::string_view text, std::int64_t data_bytes) {
  TensorHead head;
  JsonText json(text);
  json.object([&](const std::string& name) {
    if (name == kTensorMetadata) {
      head.metadata = json.skip();
    } else {
      Tensor tensor = read_tensor(json, name);
      check_tensor_bytes(name, tensor);
      head.tensors.emplace(name, std::move(tensor));
    }
  });
  json.end();
  check_places(head, data_bytes);
  return head;
}

std::string print_tensor_head(const TensorHead& head) {
  constexpr std::size_t kLengthBytes = 8;
  std::string json = "{";
  if (!head.metadata.empty()) json += fmt::format("\"{}\":{}", kTensorMetadata, head.metadata);
  for (const NamedTensor* named : in_order_of_bytes(head)) {
    const auto& [name, tensor] = *named;
    json += fmt::format("{}{}:{{\"dtype\":{},\"shape\":[{}],\"data_offsets\":[{},{}]}}", json.size() > 1 ? "," : "",
                        base::json_quoted(name), base::json_quoted(tensor.dtype), fmt::join(tensor.shape, ","),
                        tensor.begin, tensor.end);
  }
  json += '}';
  json.append((kLengthBytes - json.size() % kLengthBytes) % kLengthBytes, ' ');
  std::string first;
  for (std::size_t i = 0; i < kLengthBytes; ++i) first += static_cast<char>(json.size() >> (8 * i) & 0xFFU);
  return first + json;
}

TensorIndex read_tensor_index(std::string_view text) {
  TensorIndex index;
  JsonText json(text);
  const auto metadata = [&](const std::string& key) {
    const std::string_view value = json.skip();
    if (key == kTotal)
      std::from_chars(value.data(), value.data() + value.size(), index.total_bytes);
    else
      index.metadata.emplace(key, value);
  };
  json.object([&](const std::string& key) {
    if (key == "weight_map")
      json.object([&](const std::string& array) { index.files[array] = json.string(); });
    else if (key == "metadata")
      json.object(metadata);
    else
      json.skip();
  });
  json.end();
  return index;
}

std::string print_tensor_index(const TensorIndex& index) {
  std::string text = fmt::format("{{\n  \"metadata\": {{\n    \"{}\": {}", kTotal, index.total_bytes);
  for (const auto& [key, value] : index.metadata) text += fmt::format(",\n    {}: {}", base::json_quoted(key), value);
  text += "\n  },\n  \"weight_map\": {";
  const char* between = "\n";
  for (const auto& [array, file] : index.files) {
    text += fmt::format("{}    {}: {}", between, base::json_quoted(array), base::json_quoted(file));
    between = ",\n";
  }
  return text + "\n  }\n}\n";
}

}  // namespace tessera::runtime
