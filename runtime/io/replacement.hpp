// A file put in the place of another.
#pragma once

namespace tessera::runtime {

// A file without a name that is to take the place of one that is there, by way of a hidden name in the same folder.
struct Replacement {
  const char* file;
  int folder;
  const char* hidden;
  const char* target;
  int error = 0;
};

// Between its two steps there is a hidden file, and either may take long on a busy disk. So a process of its own takes
// both: this one may end at any moment, but the other goes on to the end. The error; 0 where there is none.
int replace_undisturbed(Replacement replacement);

}  // namespace tessera::runtime
