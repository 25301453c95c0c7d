// `save` and `save_shards`, of all ranks.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "runtime/io/files.hpp"
#include "runtime/memory/gather.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

// One file: rank 0 makes it, every rank writes an equal share of it, in pieces, and rank 0 puts it in its place when
// all are content. No rank ever holds more than a piece. When this returns, all ranks see the file. A stop between two
// pieces fails with `interrupted` and leaves nothing.
base::Status save_whole(Team& team, const FilePolicy& files, const std::string& path, const Distributed& array,
                        base::StopToken stop);
// A file for every device, `PATH.devD.npy`, by the rank that has it.
base::Status save_shards(Team& team, const FilePolicy& files, const std::string& path, const Distributed& array,
                         base::StopToken stop);

// An array, and what its files are called.
struct NamedArray {
  std::string name;
  Distributed array;
};
// Several arrays into one .safetensors file or .npz archive, which then holds these and no others: written as by
// save_whole. A run of its own, outside of others; all ranks agree on how it ended.
base::Status save_all(Team& team, const FilePolicy& files, const std::string& file, std::span<const NamedArray> arrays,
                      const std::atomic<bool>* stop);
// `save_shards` of several arrays into a folder, FOLDER/NAME.devD.npy: all files or, whatever fails, none, and those
// that were there as they were. Not for files that the host opens.
base::Status save_all_shards(Team& team, const FilePolicy& files, const std::string& folder,
                             std::span<const NamedArray> arrays, base::StopToken stop);

}  // namespace tessera::runtime
