// Files that hold several arrays: any text as the head of a .safetensors file and as an index, any bytes as a .npz
// archive. Each array that its file claims to hold is read or refused, and one is added to what the file holds.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "runtime/io/npy.hpp"
#include "runtime/io/stored.hpp"
#include "runtime/kinds.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace tessera;
using namespace tessera::runtime;

// Files in memory, opened by their names.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() {
    for (const auto& [name, descriptor] : files_) close(descriptor);
  }
  void add(const std::string& name, std::string_view bytes) {
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz::expect(file >= 0 && write(file, bytes.data(), bytes.size()) == std::ssize(bytes), "no memory for a file");
    files_[name] = file;
  }
  FilePolicy policy() {
    return {FilePolicy::Kind::host, "", [this](const std::string& path, FileUse use) -> base::Result<int> {
              if (use == FileUse::create && !files_.contains(path)) add(path, "");
              const auto found = files_.find(path);
              if (found == files_.end()) return base::make(Kind::file_missing, path);
              return dup(found->second);
            }};
  }

 private:
  std::map<std::string, int> files_;
};

void read(const FilePolicy& policy, const std::string& path) {
  const auto header = read_npy_header(policy, path);
  fuzz::expect_no_bug(header);
  if (!header || count(header->shape) > 4096) return;
  const auto reader = NpyReader::open(policy, path, header->element, header->shape);
  fuzz::expect_no_bug(reader);
  if (!reader) return;
  std::vector<std::byte> bytes(static_cast<std::size_t>(count(header->shape) * synth::bytes_of(header->element)));
  fuzz::expect_no_bug(reader->read(synth::whole(header->shape), {header->element, header->shape, bytes.data()}));
}

void add(const FilePolicy& policy, const std::string& path) {
  const auto ones = [](const synth::Box&, const TileOut& out) { std::fill_n(out.data, 12, std::byte{1}); };
  const base::Status saved = save_npy(policy, path, synth::ElementType::f32, {3}, ones);
  fuzz::expect_no_bug(saved);
  if (!saved) return;
  const auto reader = NpyReader::open(policy, path, synth::ElementType::f32, {3});
  fuzz::expect(reader.ok(), "an array that was saved is not there");
  std::array<std::byte, 12> bytes{};
  fuzz::expect(reader->read({{0, 3}}, {synth::ElementType::f32, {3}, bytes.data()}).ok(), "it cannot be read");
  fuzz::expect(bytes.front() == std::byte{1} && bytes.back() == std::byte{1}, "it is not what was saved");
}

std::string with_length(std::string_view json) {
  std::string first;
  for (unsigned i = 0; i < 8; ++i) first += static_cast<char>(json.size() >> (8 * i) & 0xFFU);
  return first.append(json);
}

}  // namespace

void tessera::fuzz::one_input(std::string_view text) {
  for (const std::size_t data_bytes : {0U, 40U}) {
    Files files;
    files.add("a.safetensors", with_length(text).append(data_bytes, '\1'));
    files.add("a.safetensors.index.json", text);
    files.add("a.npz", text);
    for (const std::string file : {"a.safetensors", "a.safetensors.index.json", "a.npz"}) {
      for (const char* const name : {"a", "b", "h.0.w"}) read(files.policy(), synth::path_of(file, name));
      add(files.policy(), synth::path_of(file, "b"));
      add(files.policy(), synth::path_of(file, "new"));
    }
  }
}
