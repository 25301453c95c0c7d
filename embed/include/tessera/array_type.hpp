// The facts of a type as a session's programs write it, for a host that has the memory for an array of it.
//
//     tessera::Session session;
//     if (!session.run("mesh m = [x: 4]\nlet n = 8\n")) return 1;
//     auto type = session.read_type("f32[n@x, 2]");
//     std::cout << type->shape[0] << ' ' << type->tiles[1][0].first;  // 8 2
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

struct ArrayType {
  std::string text;  // as the session prints it
  Element element = Element::f32;
  std::vector<std::int64_t> shape;
  std::vector<Box> tiles;   // of every device of its mesh, by number
  bool is_pending = false;  // devices hold parts of a sum or a maximum: there is no buffer that is the whole array
};

}  // namespace tessera
