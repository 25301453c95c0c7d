// What a program would take on a machine, before it runs: seconds, bytes, and the memory of a device.
//
//     tessera::Session session;
//     auto program = session.check("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nprint sum(a)\n");
//     auto estimate = tessera::estimate(*program);
//     std::cout << estimate->seconds << " s, " << estimate->peak_bytes << " B";
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// A step, as often as it runs. Figures are those of one time, of all devices together.
struct EstimatedStep {
  Place place;       // the expression that it comes from
  std::string name;  // `contract`, `all_gather`
  std::uint32_t statement = 0;
  double times = 1;
  double operations = 0;    // of floating point
  double memory_bytes = 0;  // read and written by devices in their own memories
  std::int64_t received_bytes = 0;
  double seconds = 0;
  std::int64_t slowest = 0;  // the device that takes longest; of local steps
  bool moves = false;        // bytes between devices
  bool in_pipeline = false;  // its turns overlap with others: its seconds are not added to its statement's
};

// A statement, all its steps as often as they run.
struct EstimatedStatement {
  Place place;
  std::uint32_t statement = 0;
  double operations = 0;
  double memory_bytes = 0;
  std::int64_t received_bytes = 0;
  std::vector<std::int64_t> received_by_level;  // of Estimate::levels; of meshes of at most 64 devices
  double compute_seconds = 0;
  double move_seconds = 0;
  double pipeline_seconds = 0;  // of its pipelines, from their begin to their end
  double seconds = 0;           // all of these
  std::int64_t slowest = 0;     // the device that its longest local step waits for
  double speed_share = 0;       // operations by what all devices could do in that time
};

// What a device does by itself, of all statements.
struct DeviceLoad {
  double compute_seconds = 0;  // of its local steps, as often as they run; the rest of the time it moves or waits
  std::int64_t peak_bytes = 0;
  std::int64_t memory_bytes = 0;  // that it holds; 0: the machine says nothing of it
};

// A cut of a mesh axis that has a name, with the weights of the axis' positions.
struct AxisShares {
  std::string axis;
  std::string cut;
  std::vector<std::int64_t> weights;
};

struct Estimate {
  std::vector<EstimatedStatement> statements;  // those that do something, in the order of the text
  std::vector<EstimatedStep> steps;            // in the order in which they are taken
  std::vector<std::string> levels;             // of links, outermost first
  double seconds = 0;
  double compute_seconds = 0;
  double move_seconds = 0;
  double operations = 0;
  double memory_bytes = 0;
  std::int64_t received_bytes = 0;
  double speed_share = 0;
  std::int64_t devices = 1;
  // As RunReport::peak_bytes of a run by a session that keeps no values, to the byte; and on which device it is.
  std::int64_t peak_bytes = 0;
  std::int64_t peak_device = 0;
  std::vector<DeviceLoad> loads;      // of each device of the run; empty: there are more than 64
  std::vector<AxisShares> shares;     // of the meshes that the program's arrays lie on
  Place peak_place;                   // the expression that needs so much first
  std::int64_t memory_bytes_max = 0;  // of that device; 0: the machine says nothing of it
  bool turns_known = true;            // false: a loop whose count is not known was taken for one turn
  // Of the machine that the program was checked for. Kinds it lacks are DeviceKind's defaults.
  double flops_per_second = 0;         // of all devices together
  double memory_bytes_per_second = 0;  // of all devices together
  bool devices_assumed = false;        // the machine says nothing of its devices
};

// `keeps_values`: as in a session that keeps what names are bound to, so that more memory is in use at the end.
TESSERA_API Result<Estimate> estimate(const Program& program, bool keeps_values = false,
                                      const std::optional<StopToken>& stop = {});

}  // namespace tessera
