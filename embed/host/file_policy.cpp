// Converts a host's word on which files may be opened. It is apart from the rest: the libraries of one MPI, which
// need those, need none of the runtime.
#include "embed/host/convert.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/files.hpp"
#include "runtime/kinds.hpp"

namespace tessera::embed {

namespace {

FileUse to_public(runtime::FileUse use) {
  switch (use) {
    case runtime::FileUse::read: return FileUse::read;
    case runtime::FileUse::create: return FileUse::create;
    case runtime::FileUse::join: return FileUse::join;
  }
  return FileUse::read;
}

std::function<base::Result<int>(const std::string&, runtime::FileUse)> host_opener(const FilePolicy& policy) {
  if (!policy.open) return {};
  return [open = policy.open](const std::string& name, runtime::FileUse use) -> base::Result<int> {
    const HostFile file = open(name, to_public(use));
    if (file.descriptor >= 0) return file.descriptor;
    return base::make(runtime::Kind::file_not_allowed, runtime::in_quotes(name),
                      file.why.empty() ? "the host does not open it" : file.why);
  };
}

}  // namespace

runtime::FilePolicy to_policy(const FilePolicy& policy) {
  switch (policy.kind) {
    case FilePolicy::Kind::none: return {runtime::FilePolicy::Kind::none, policy.root};
    case FilePolicy::Kind::allowed: return {runtime::FilePolicy::Kind::allowed, policy.root};
    case FilePolicy::Kind::rooted: return {runtime::FilePolicy::Kind::rooted, policy.root};
    case FilePolicy::Kind::host: return {runtime::FilePolicy::Kind::host, {}, host_opener(policy)};
  }
  return {runtime::FilePolicy::Kind::none, policy.root};
}

}  // namespace tessera::embed
