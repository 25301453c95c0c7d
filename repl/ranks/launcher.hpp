// mpiexec, which starts the ranks of a session and joins their ends of the pipes to them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tessera::repl {

// This process becomes the launcher, of so many ranks that each are `tessera` with these words. Comes back only if it
// cannot, with the reason.
std::string become_launcher(int ranks, const std::vector<std::string>& words);

class Launcher {
 public:
  // Starts `tessera worker` with these options on so many ranks; ok() says whether.
  Launcher(int ranks, const std::vector<std::string>& options);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher();

  bool ok() const { return process_ > 0; }
  std::string why() const { return why_; }  // it is not ok
  bool has_ended() const;
  // The first rank reads what is written to this one, and writes what the other gives.
  int to_ranks() const { return to_ranks_; }
  int from_ranks() const { return from_ranks_; }
  // Tells the ranks that nothing more comes, and waits a limited time until the launcher and its processes have ended.
  // Returns the bytes that came from them meanwhile.
  std::string finish();
  // Standard error of the launcher and its ranks so far.
  std::string said() const;

 private:
  void start(const std::string& program, int ranks, const std::vector<std::string>& options);

  std::string why_;
  pid_t process_ = -1;
  int to_ranks_ = -1;
  int from_ranks_ = -1;
  int said_ = -1;  // a file without a name
};

}  // namespace tessera::repl
