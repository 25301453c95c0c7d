// The head of a .npy file: magic, version, length, and a Python dictionary, read by a grammar of its own:
//
//   dictionary := '{' [ entry { ',' entry } [ ',' ] ] '}'
//   entry      := string ':' value, for the keys descr, fortran_order and shape, each once
//   shape      := '(' [ number { ',' number } [ ',' ] ] ')'
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/check.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/io/stored.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

using base::make;

constexpr std::string_view kMagic = "\x93NUMPY";
// Ours are shorter than 1 KiB; NumPy itself refuses above 10,000 bytes.
constexpr std::int64_t kHeaderBytesMax = 65'536;

// Says in words what is wrong with a header; it is thrown and caught within this file.
struct Malformed {
  std::string why;
};

class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) {}

  // Fills the header's element, order and shape.
  void read_into(NpyHeader& header) {
    expect('{');
    while (!take('}')) {
      entry(header);
      if (take('}')) break;
      expect(',');
    }
    blanks();
    if (at_ != text_.size()) fail("there is more after its dictionary");
    if (!seen_descr_ || !seen_order_ || !seen_shape_) fail("its dictionary lacks descr, fortran_order or shape");
  }

 private:
  [[noreturn]] static void fail(std::string why) { throw Malformed{std::move(why)}; }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail(fmt::format("its dictionary lacks a `{}`", wanted));
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a string is expected in its dictionary");
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail("a string in its dictionary does not end");
    at_ = end + 1;
    const auto content = text_.substr(begin, end - begin);
    if (content.find('\\') != std::string_view::npos) fail("a string in its dictionary has an escape");
    return content;
  }

  void once(bool& seen, std::string_view key) {
    if (seen) fail(fmt::format("its dictionary has {} twice", key));
    seen = true;
  }

  void entry(NpyHeader& header) {
    const std::string_view key = string();
    expect(':');
    if (key == "descr") {
      once(seen_descr_, key);
      descr(header);
    } else if (key == "fortran_order") {
      once(seen_order_, key);
      header.fortran_order = truth();
    } else if (key == "shape") {
      once(seen_shape_, key);
      shape(header);
    } else {
      fail("its dictionary has an unknown key");
    }
  }

  void descr(NpyHeader& header) {
    if (peek() == '[') fail("its elements are structures");
    const std::string_view text = string();
    const std::string shown = text.size() <= 16 ? in_quotes(text) : "unknown";
    if (text.size() < 2) fail_element(shown, "");
    const char order = text[0];
    for (const auto element : kNpyElements) {
      if (text.substr(1) != element.code) continue;
      const bool one_byte = synth::bytes_of(element.type) == 1;
      const bool may_have_none = one_byte || element.code[0] == 'V';
      if (order != '<' && order != '>' && order != '=' && !(may_have_none && order == '|')) break;
      header.element = element.type;
      header.big_endian = order == '>' && !one_byte;
      return;
    }
    fail_element(shown, text.substr(1));
  }

  // Types that NumPy can make of others: they are saved so.
  [[noreturn]] static void fail_element(const std::string& shown, std::string_view code) {
    std::string instead;
    if (code == "u8") instead = "a.astype(\"i8\")";
    if (code == "f12" || code == "f16") instead = "a.astype(\"f8\")";
    if (code == "c32") instead = "a.astype(\"c16\")";
    if (!instead.empty()) instead = fmt::format("; in NumPy save `{}`", instead);
    fail(fmt::format("its elements are of type {}, which Tessera does not have{}", shown, instead));
  }

  bool truth() {
    blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("its fortran_order is neither True nor False");
  }

  void shape(NpyHeader& header) {
    expect('(');
    bool comma = true;
    while (!take(')')) {
      if (!comma) fail("its shape lacks a comma");
      if (header.shape.size() == synth::kRankMax) fail(fmt::format("it has more than {} dimensions", synth::kRankMax));
      header.shape.push_back(number());
      comma = take(',');
    }
    if (header.shape.size() == 1 && !comma) fail("its shape is not a tuple");
  }

  std::int64_t number() {
    if (peek() == '-') fail("its shape has a negative extent");
    std::int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("its shape has an extent beyond 63 bits");
    if (error != std::errc{}) fail("its shape has something that is not a number");
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote them
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool seen_descr_ = false;
  bool seen_order_ = false;
  bool seen_shape_ = false;
};

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The bytes of an array of this type; nothing if they are beyond 63 bits. Extents of 0 do not hide the others.
std::optional<std::int64_t> array_bytes(const NpyHeader& header) {
  std::int64_t bytes = synth::bytes_of(header.element);
  bool empty = false;
  for (const std::int64_t extent : header.shape) {
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}

NpyHeader parse(std::string_view head, std::int64_t file_bytes) {
  const std::size_t magic = kMagic.size();
  if (head.substr(0, magic) != kMagic) throw Malformed{"it does not begin as a .npy file"};
  if (head.size() < magic + 2) throw Malformed{"it is cut off in its header"};
  const int version = static_cast<unsigned char>(head[magic]);
  if (version < 1 || version > 3 || head[magic + 1] != '\0')
    throw Malformed{"its format's version is not 1.0, 2.0 or 3.0"};
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (head.size() < magic + 2 + length_bytes) throw Malformed{"it is cut off in its header"};
  const std::int64_t length = little_endian(head.substr(magic + 2, length_bytes));
  if (length > kHeaderBytesMax) throw Malformed{fmt::format("its header of {} bytes is too long", length)};
  const std::size_t begin = magic + 2 + length_bytes;
  if (head.size() < begin + static_cast<std::size_t>(length)) throw Malformed{"it is cut off in its header"};
  NpyHeader header;
  Dictionary(head.substr(begin, static_cast<std::size_t>(length))).read_into(header);
  header.data_offset = static_cast<std::int64_t>(begin) + length;
  const auto bytes = array_bytes(header);
  if (!bytes) throw Malformed{"its shape has more bytes than 63 bits can count"};
  const std::int64_t data = file_bytes - header.data_offset;
  if (data != *bytes) throw Malformed{fmt::format("its shape needs {} bytes of data, but there are {}", *bytes, data)};
  return header;
}

}  // namespace

base::Result<NpyHeader> parse_npy_header(std::string_view head, std::int64_t file_bytes, const std::string& name) {
  return base::guarded([&]() -> base::Result<NpyHeader> {
    try {
      return parse(head, file_bytes);
    } catch (const Malformed& malformed) {
      return make(Kind::bad_npy, in_quotes(name), malformed.why);
    }
  });
}

base::Result<NpyHeader> read_header(const OpenedFile& opened) {
  std::string head(static_cast<std::size_t>(std::min(opened.bytes, kHeaderBytesMax + 12)), '\0');
  TESSERA_TRY_STATUS(opened.file.read_at(0, std::as_writable_bytes(std::span(head))));
  return parse_npy_header(head, opened.bytes, opened.file.name());
}

base::Result<NpyHeader> read_npy_header(const FilePolicy& policy, const std::string& path) {
  return base::guarded([&]() -> base::Result<NpyHeader> {
    TESSERA_TRY(found, find_array(policy, path));
    return found.header;
  });
}

std::string make_npy_header(synth::ElementType element, const synth::Shape& shape) {
  std::string_view code;
  for (const auto& known : kNpyElements) {
    if (known.type == element) code = known.code;
  }
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  synth::bytes_of(element) == 1 ? '|' : '<', code, extents, shape.size() == 1 ? "," : "");
  // NumPy leaves room for the first extent to grow to 21 digits, and aligns the data to 64 bytes.
  if (!shape.empty()) text.append(21 - std::min<std::size_t>(21, fmt::formatted_size("{}", shape[0])), ' ');
  constexpr std::size_t kPrefix = 10;
  text.append(64 - (kPrefix + text.size() + 1) % 64, ' ');
  text += '\n';
  TESSERA_CHECK(text.size() < 65'536, "a header of version 1.0 is too long");
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(text.size() & 0xFFU), static_cast<char>(text.size() >> 8U)};
  return header + text;
}

}  // namespace tessera::runtime
