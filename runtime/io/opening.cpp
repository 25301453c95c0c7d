#include "runtime/io/opening.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/io/beneath.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

namespace fs = std::filesystem;
using base::make;

base::Diagnostic not_allowed(const std::string& path, std::string_view why) {
  return make(Kind::file_not_allowed, in_quotes(path), why);
}

bool lies_below(const fs::path& root, const fs::path& path) {
  const auto [end_of_root, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end_of_root == root.end() && rest != path.end();
}

base::Result<std::string> resolve_rooted(const FilePolicy& policy, const std::string& path) {
  std::error_code error;
  const fs::path root = fs::canonical(policy.root, error);
  if (error) return not_allowed(path, "the folder that files may be in cannot be found");
  const fs::path wanted = fs::path(path).is_absolute() ? fs::path(path) : root / path;
  const fs::path real = fs::weakly_canonical(wanted, error);
  if (error) return not_allowed(path, "its folder cannot be looked at");
  if (!lies_below(root, real)) return not_allowed(path, "it lies outside the folder that files may be in");
  return real.string();
}

}  // namespace

base::Result<std::string> resolve(const FilePolicy& policy, const std::string& path) {
  return base::guarded([&]() -> base::Result<std::string> {
    if (path.empty()) return not_allowed(path, "it has no name");
    if (path.find('\0') != std::string::npos) return not_allowed(path, "its name has a zero byte");
    switch (policy.kind) {
      case FilePolicy::Kind::none:
        return not_allowed(path, "no file may be opened here")
            .suggest("the host says which may: `Config::files`, in Python `Session(files=\"FOLDER\")`");
      case FilePolicy::Kind::allowed:
        if (policy.root.empty() || fs::path(path).is_absolute()) return path;
        return (fs::path(policy.root) / path).string();
      case FilePolicy::Kind::rooted: return resolve_rooted(policy, path);
      case FilePolicy::Kind::host: return path;
    }
    return not_allowed(path, "no file may be opened here");
  });
}

namespace {

base::Result<OpenedFile> regular(File file, FileUse use) {
  const std::string& name = file.name();
  const bool reads = use == FileUse::read;
  struct stat status{};
  if (fstat(file.descriptor(), &status) != 0) return reads ? cannot_read(name, errno) : cannot_write(name, errno);
  constexpr std::string_view kNotRegular = "it is not a regular file";
  if (!S_ISREG(status.st_mode))
    return reads ? make(Kind::cannot_read, in_quotes(name), kNotRegular)
                 : make(Kind::cannot_write, in_quotes(name), kNotRegular);
  return OpenedFile{std::move(file), status.st_size};
}

}  // namespace

base::Result<OpenedFile> open_by_host(const FilePolicy& policy, const std::string& path, FileUse use) {
  TESSERA_TRY(name, resolve(policy, path));
  if (!policy.open) return not_allowed(path, "no file may be opened here");
  TESSERA_TRY(descriptor, policy.open(name, use));
  return regular(File(descriptor, path), use);
}

namespace {

// Below the root of the policy. Its path is one that resolve() gave: no link was on the way, and none is followed now.
int open_rooted(const FilePolicy& policy, const fs::path& resolved, int flags) {
  std::error_code error;
  const fs::path path = fs::canonical(policy.root, error);
  if (error || (resolved != path && !lies_below(path, resolved))) return errno = EXDEV, -1;
  const File root(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC), policy.root);
  if (root.descriptor() < 0) return -1;
  return open_beneath(root.descriptor(), resolved == path ? "." : resolved.lexically_relative(path).string(), flags);
}

base::Result<File> opened_folder(const FilePolicy& policy, const fs::path& resolved, int flags,
                                 const std::string& path) {
  const bool is_rooted = policy.kind == FilePolicy::Kind::rooted;
  File folder(is_rooted ? open_rooted(policy, resolved, flags) : open(resolved.c_str(), flags), path);
  if (folder.descriptor() >= 0) return folder;
  if (errno == EXDEV || errno == ELOOP) return not_allowed(path, "a link is on the way to it");
  return cannot_write(path, errno);
}

}  // namespace

base::Result<File> open_folder(const FilePolicy& policy, const std::string& path) {
  TESSERA_TRY(resolved, resolve(policy, path));
  return opened_folder(policy, resolved, O_RDONLY | O_DIRECTORY | O_CLOEXEC, path);
}

base::Result<FilePlace> place_of(const FilePolicy& policy, const std::string& path) {
  TESSERA_TRY(resolved, resolve(policy, path));
  const fs::path parent = fs::path(resolved).parent_path();
  TESSERA_TRY(folder, opened_folder(policy, parent.empty() ? "." : parent, O_PATH | O_DIRECTORY | O_CLOEXEC, path));
  std::string name = fs::path(resolved).filename().string();
  if (name.empty()) return cannot_write(path, EISDIR);
  return FilePlace{std::move(folder), std::move(name), resolved};
}

int open_to_join(const FilePolicy& policy, const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CLOEXEC;
  // A file without a name is another rank's own, wherever that has it.
  const bool by_place = policy.kind == FilePolicy::Kind::rooted && !path.starts_with("/proc/");
  return by_place ? open_rooted(policy, path, kFlags) : open(path.c_str(), kFlags);
}

// There is no file of that name; says what was meant if files beside it tell. `target` is where it would be.
static base::Diagnostic missing(const std::string& path, const std::string& target) {
  constexpr std::string_view kArray = ".npy";
  const auto stem_of = [&](const std::string& name) {
    return name.ends_with(kArray) ? name.substr(0, name.size() - kArray.size()) : name;
  };
  const auto is_there = [&](const std::string& ending) {
    std::error_code error;
    return fs::exists(fs::symlink_status(stem_of(target) + ending, error));
  };
  auto wrong = make(Kind::file_missing, in_quotes(path));
  const std::string stem = stem_of(path);
  if (stem == path && is_there(".npy"))
    return std::move(wrong).suggest("did you mean " + in_quotes(stem + ".npy") + "?");
  if (!is_there(".dev0.npy")) return wrong;
  return std::move(wrong).suggest(in_quotes(stem + ".dev0.npy") + " is one tile, of `save_shards`; `save(a, " +
                                  in_quotes(stem + ".npy") + ")` writes the whole array, for any number of devices");
}

base::Result<OpenedFile> open_to_read(const FilePolicy& policy, const std::string& path) {
  if (policy.kind == FilePolicy::Kind::host) return open_by_host(policy, path, FileUse::read);
  TESSERA_TRY(target, resolve(policy, path));
  // Not to wait for a writer where the name is a pipe's.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  const bool is_rooted = policy.kind == FilePolicy::Kind::rooted;
  File file(is_rooted ? open_rooted(policy, target, kFlags) : open(target.c_str(), kFlags), path);
  if (file.descriptor() < 0) {
    const int error = errno;
    // Below a root no link is followed here: one that is there now leads nowhere, or has only just come.
    if (error == ENOENT || error == ENOTDIR || (is_rooted && (error == ELOOP || error == EXDEV)))
      return missing(path, target);
    return cannot_read(path, error);
  }
  return regular(std::move(file), FileUse::read);
}

}  // namespace tessera::runtime
