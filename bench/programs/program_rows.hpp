// The programs of examples/programs on larger arrays: what is timed of each.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tessera::bench {

// A program of the folder: its definitions are taken with these sizes, and what is timed is this statement.
struct ProgramRow {
  std::string name;
  std::map<std::string, std::string> sizes;
  std::string statement;
  std::vector<std::string> inputs;  // of the same in Python
  std::string settings = {};        // of Python, `turns=20`
};

const std::vector<ProgramRow>& program_rows();

// The program's text up to what it calls itself: meshes, functions, arrays of the row's sizes.
std::string definitions(const ProgramRow& row, int devices);

}  // namespace tessera::bench
