// The heads of .safetensors files and their indices: JSON of a few shapes, read by a grammar of its own and checked
// whole.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "runtime/io/stored.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

// Says what is wrong; thrown and caught within this file.
struct BadJson {
  std::string why;
};

class JsonText {
 public:
  explicit JsonText(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail(fmt::format("`{}` is wanted at byte {} of its head", wanted, at_));
  }
  // f(key) for each member of an object, and reads its value.
  template <class F>
  void object(const F& member) {
    expect('{');
    std::set<std::string> seen;
    if (take('}')) return;
    do {
      std::string key = string();
      if (!seen.insert(key).second) fail(fmt::format("{} is there twice", in_quotes(key)));
      expect(':');
      member(key);
    } while (take(','));
    expect('}');
  }
  std::string string() {
    expect('"');
    std::string result;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        escape(result);
      } else {
        result += text_[at_++];
      }
    }
    if (at_ >= text_.size()) fail("a string in its head has no end");
    ++at_;
    return result;
  }
  std::vector<std::int64_t> numbers() {
    std::vector<std::int64_t> result;
    expect('[');
    if (take(']')) return result;
    do {
      blanks();
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc{} || value < 0) fail(fmt::format("a number is wanted at byte {} of its head", at_));
      at_ = static_cast<std::size_t>(end - text_.data());
      result.push_back(value);
    } while (take(','));
    expect(']');
    return result;
  }
  // Any value, whose strings and brackets are looked at and no more.
  void skip() {
    std::int64_t open = 0;
    do {
      blanks();
      if (at_ >= text_.size()) fail("its head is cut off");
      const char c = text_[at_];
      if (c == '"') {
        (void)string();
      } else if (c == '{' || c == '[') {
        ++open;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (--open < 0) fail(fmt::format("a value is wanted at byte {} of its head", at_));
        ++at_;
      } else if (open > 0 && (c == ',' || c == ':')) {
        ++at_;
      } else {
        plain();
      }
    } while (open > 0);
  }
  void end() {
    blanks();
    if (at_ != text_.size()) fail("there is more after its head's object");
  }
  [[noreturn]] static void fail(std::string why) { throw BadJson{std::move(why)}; }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  void plain() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(",]} \n\t\r:[{\"").find(text_[at_]) == std::string_view::npos) ++at_;
    if (at_ == begin) fail(fmt::format("a value is wanted at byte {} of its head", at_));
  }
  // `\u0041` as UTF-8, half of a pair as it stands; what else may follow a backslash.
  void escape(std::string& result) {
    constexpr std::string_view kPlain = "\"\\/";
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kMeant = "\b\f\n\r\t";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    at_ += 2;
    if (c != '\0' && kPlain.find(c) != std::string_view::npos) {
      result += c;
    } else if (c != '\0' && kLetters.find(c) != std::string_view::npos) {
      result += kMeant[kLetters.find(c)];
    } else if (c == 'u' && at_ + 4 <= text_.size()) {
      unsigned code = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
      if (error != std::errc{} || end != text_.data() + at_ + 4) fail("an escape in its head is none");
      at_ += 4;
      add(result, code);
    } else {
      fail("an escape in its head is none");
    }
  }
  static void add(std::string& result, unsigned code) {
    if (code < 0x80U) {
      result += static_cast<char>(code);
    } else if (code < 0x800U) {
      result += static_cast<char>(0xC0U | code >> 6U);
      result += static_cast<char>(0x80U | (code & 0x3FU));
    } else {
      result += static_cast<char>(0xE0U | code >> 12U);
      result += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
      result += static_cast<char>(0x80U | (code & 0x3FU));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Tensor {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> offsets;
};

struct DtypeInfo {
  std::string_view name;
  std::int64_t bytes;
  std::optional<synth::ElementType> element;  // none of ours
};
const DtypeInfo kDtypes[] = {
    {"BOOL", 1, synth::ElementType::boolean},
    {"I32", 4, synth::ElementType::i32},
    {"I64", 8, synth::ElementType::i64},
    {"F32", 4, synth::ElementType::f32},
    {"F64", 8, synth::ElementType::f64},
    {"F16", 2, synth::ElementType::f16},
    {"BF16", 2, synth::ElementType::bf16},
    {"U8", 1, {}},
    {"I8", 1, {}},
    {"F8_E5M2", 1, {}},
    {"F8_E4M3", 1, {}},
    {"I16", 2, {}},
    {"U16", 2, {}},
    {"U32", 4, {}},
    {"U64", 8, {}},
    {"C64", 8, {}},
};

const DtypeInfo* find_dtype(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kDtypes), std::end(kDtypes), [&](const auto& one) { return one.name == name; });
  return found == std::end(kDtypes) ? nullptr : found;
}

Tensor read_tensor(JsonText& json) {
  Tensor tensor;
  json.object([&](const std::string& key) {
    if (key == "dtype") {
      tensor.dtype = json.string();
    } else if (key == "shape") {
      tensor.shape = json.numbers();
    } else if (key == "data_offsets") {
      tensor.offsets = json.numbers();
    } else {
      json.skip();
    }
  });
  if (tensor.dtype.empty() || tensor.offsets.size() != 2)
    JsonText::fail("an array in it lacks its dtype or its data_offsets");
  return tensor;
}

// The bytes that offsets span are those of the elements.
void check_size(const std::string& name, const Tensor& tensor) {
  const DtypeInfo* dtype = find_dtype(tensor.dtype);
  const std::int64_t length = tensor.offsets[1] - tensor.offsets[0];
  if (length < 0) JsonText::fail(fmt::format("{} ends before it begins", in_quotes(name)));
  if (dtype == nullptr) return;
  std::int64_t bytes = dtype->bytes;
  const bool is_empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  for (const std::int64_t extent : tensor.shape) {
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      JsonText::fail(fmt::format("{} has more bytes than 63 bits can count", in_quotes(name)));
  }
  if ((is_empty ? 0 : bytes) != length)
    JsonText::fail(
        fmt::format("{} needs {} bytes, but its offsets span {}", in_quotes(name), is_empty ? 0 : bytes, length));
}

// Arrays follow each other to the file's end, without gaps.
void check_places(const std::map<std::string, Tensor>& tensors, std::int64_t data_bytes) {
  std::vector<std::pair<std::vector<std::int64_t>, std::string>> places;
  for (const auto& [name, tensor] : tensors) places.emplace_back(tensor.offsets, name);
  std::sort(places.begin(), places.end());
  std::int64_t last = 0;
  for (const auto& [offsets, name] : places) {
    if (offsets[0] < last) JsonText::fail(fmt::format("{} lies over another array", in_quotes(name)));
    if (offsets[0] > last) JsonText::fail(fmt::format("there is a gap before {}", in_quotes(name)));
    last = offsets[1];
    if (last > data_bytes) JsonText::fail(fmt::format("{} lies beyond the end of the file", in_quotes(name)));
  }
  if (last != data_bytes) JsonText::fail("there is more after its last array");
}

std::map<std::string, Tensor> read_tensors(std::string_view text, std::int64_t data_bytes) {
  JsonText json(text);
  std::map<std::string, Tensor> tensors;
  json.object([&](const std::string& name) {
    if (name == "__metadata__") return json.skip();
    check_size(name, tensors[name] = read_tensor(json));
  });
  json.end();
  check_places(tensors, data_bytes);
  return tensors;
}

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

}  // namespace

base::Result<NpyHeader> find_tensor(std::string_view json, std::int64_t data_offset, std::int64_t file_bytes,
                                    const StoredName& name) {
  try {
    const auto tensors = read_tensors(json, file_bytes - data_offset);
    const auto found = tensors.find(name.array);
    if (found == tensors.end()) return no_such_array(name, keys_of(tensors));
    const Tensor& tensor = found->second;
    const DtypeInfo* dtype = find_dtype(tensor.dtype);
    if (dtype == nullptr || !dtype->element)
      return bad_archive(name.file, "an array of ours",
                         fmt::format("{} has elements of {}", in_quotes(name.array), tensor.dtype));
    if (tensor.shape.size() > synth::kRankMax)
      return bad_archive(name.file, "an array of ours",
                         fmt::format("{} has more than 16 dimensions", in_quotes(name.array)));
    NpyHeader header;
    header.element = *dtype->element;
    for (const std::int64_t extent : tensor.shape) header.shape.push_back(extent);
    header.data_offset = data_offset + tensor.offsets[0];
    return header;
  } catch (const BadJson& bad) {
    return bad_archive(name.file, "a safetensors file", bad.why);
  }
}

base::Result<std::string> find_in_index(std::string_view text, const StoredName& name) {
  try {
    JsonText json(text);
    std::map<std::string, std::string> files;
    json.object([&](const std::string& key) {
      if (key != "weight_map") return json.skip();
      json.object([&](const std::string& array) { files[array] = json.string(); });
    });
    json.end();
    const auto found = files.find(name.array);
    if (found == files.end()) return no_such_array(name, keys_of(files));
    return found->second;
  } catch (const BadJson& bad) {
    return bad_archive(name.file, "an index", bad.why);
  }
}

}  // namespace tessera::runtime
