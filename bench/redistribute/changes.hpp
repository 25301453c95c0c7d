// Changes of layout that users make, at sizes that no cache holds.
#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

struct Change {
  std::string name;
  std::string mesh;    // `x: 4, y: 2`
  std::string from;    // a type
  std::string layout;  // what `as` is given
  std::string to;      // the type that comes of it
  int devices = 1;
};

inline std::vector<Change> changes() {
  return {
      {"rows to columns", "x: 4", "f32[8192@x, 8192]", "[8192, 8192@x]", "f32[8192, 8192@x]", 4},
      {"planes to other planes", "x: 4", "f32[512@x, 512, 256]", "[512, 512@x, 256]", "f32[512, 512@x, 256]", 4},
      {"planes to columns", "x: 4", "f32[512@x, 512, 256]", "[512, 512, 256@x]", "f32[512, 512, 256@x]", 4},
      {"3-D on two axes", "x: 4, y: 2", "f32[256@y, 256, 256@x]", "[256, 256@(x,y), 256]", "f32[256, 256@(x,y), 256]",
       8},
      {"3-D on two axes, larger", "x: 4, y: 2", "f32[512@y, 512, 256@x]", "[512, 512@(x,y), 256]",
       "f32[512, 512@(x,y), 256]", 8},
      {"order of axes", "x: 2, y: 2", "f32[16384@(x,y), 4096]", "[16384@(y,x), 4096]", "f32[16384@(y,x), 4096]", 4},
      {"uneven rows to columns", "x: 3", "f32[8191@x, 8193]", "[8191, 8193@x]", "f32[8191, 8193@x]", 3},
      {"to replicas", "x: 4", "f32[8192@x, 2048]", "[8192, 2048]", "f32[8192, 2048]", 4},
  };
}

}  // namespace tessera::bench
