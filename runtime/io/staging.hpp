// Many files that are to take their places in a folder together, or not at all.
//
// Each process writes its files into a hidden folder of its own in the target's, under a lock. When all files are
// written they are put into their places, and the old ones are kept; the job is settled only when all processes have
// done so. A process that fails earlier puts everything back. If processes were killed, the next job finds their
// folders without a lock: it finishes the settled ones and undoes the others.
//
//     .tessera-move.JOB.0/new/w.dev8.npy    to be w.dev8.npy
//     .tessera-move.JOB.0/old/w.dev8.npy    what was there, or
//     .tessera-move.JOB.0/none/w.dev8.npy   nothing was there
//     .tessera-move.JOB.done                the job is settled
//
// All is done in folders that are held open, and no link is followed: whoever exchanges folders and links meanwhile
// cannot lead it elsewhere.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/io/opening.hpp"

namespace tessera::runtime {

class Staging {
 public:
  // A name for a job that no other has.
  static std::string new_job();
  // Ends or undoes what killed processes have left in the folder.
  static void sweep(const File& folder);

  // The folder, held open, outlives this. The processes of a job have different numbers.
  Staging(const File& folder, std::string job, int number);
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { end(); }

  base::Status open();
  // Where a file is written until it is put into its place; add() says that it is written.
  base::Result<FilePlace> place_of(const std::string& file) const;
  void add(const std::string& file) { files_.push_back(file); }
  base::Status put();
  // All processes have put theirs: from now on nothing is undone.
  base::Status settle();
  // Leaves no hidden folder; without settle() all is as it was.
  void end();

 private:
  base::Status put(const std::string& file) const;
  base::Status check_target(const std::string& file) const;

  std::string shown(const std::string& file) const { return folder_.name() + "/" + file; }

  const File& folder_;
  std::string job_;
  std::string hidden_;  // the name of this process's folder in the target's
  File own_;            // that folder, with its lock
  File new_;            // and those in it
  File old_;
  File none_;
  bool settled_ = false;
  std::vector<std::string> files_;
};

}  // namespace tessera::runtime
