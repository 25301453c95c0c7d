#include "runtime/ranks/diagnostic_bytes.hpp"

#include <cstring>
#include <string>
#include <type_traits>

#include "base/check.hpp"
#include "base/registry.hpp"

namespace tessera::runtime {

namespace {

// write(x) and read(x) are mirror images, field by field.
class Writer {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void field(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void field(const std::string& text) {
    field(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // A kind is sent as its slug: its texts lie elsewhere in each process.
  void field(const base::KindInfo& kind) { field(std::string(kind.slug)); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void field(T& value) {
    std::memcpy(&value, next(sizeof(T)).data(), sizeof(T));
  }
  void field(std::string& text) {
    std::size_t size = 0;
    field(size);
    const auto bytes = next(size);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void field(base::KindInfo& kind) {
    std::string slug;
    field(slug);
    const auto found = base::kind_by_slug(slug);
    TESSERA_CHECK(found.has_value(), "a rank's diagnostic is of an unknown kind");
    kind = *found;
  }

 private:
  std::span<const std::byte> next(std::size_t size) {
    TESSERA_CHECK(size <= rest_.size(), "a rank's diagnostics are cut off");
    const auto bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
  }
  std::span<const std::byte> rest_;
};

// Writes or reads the members of a label and of a diagnostic; lists are dealt with by the caller.
template <class Stream, class Label>
void label_fields(Stream& stream, Label& label) {
  stream.field(label.span);
  stream.field(label.text);
  stream.field(label.primary);
}

template <class Stream, class Diagnostic>
void own_fields(Stream& stream, Diagnostic& diagnostic) {
  stream.field(diagnostic.kind);
  stream.field(diagnostic.message);
  stream.field(diagnostic.help);
  stream.field(diagnostic.origin);
}

}  // namespace

std::vector<std::byte> to_bytes(const base::Diagnostics& diagnostics) {
  Writer writer;
  writer.field(diagnostics.size());
  for (const base::Diagnostic& diagnostic : diagnostics) {
    own_fields(writer, diagnostic);
    writer.field(diagnostic.labels.size());
    for (const base::Label& label : diagnostic.labels) label_fields(writer, label);
  }
  return writer.take();
}

base::Diagnostics diagnostics_from(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  std::size_t count = 0;
  reader.field(count);
  base::Diagnostics diagnostics;
  for (std::size_t i = 0; i < count; ++i) {
    base::Diagnostic diagnostic{base::Kind::internal, {}, {}, {}, {}};
    own_fields(reader, diagnostic);
    std::size_t labels = 0;
    reader.field(labels);
    for (std::size_t k = 0; k < labels; ++k) label_fields(reader, diagnostic.labels.emplace_back());
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace tessera::runtime
