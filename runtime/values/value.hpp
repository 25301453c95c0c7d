// Values: arrays as tiles on devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/text/show.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// The memory a run's values live in; values share it, and it is freed with the last of them.
class Arena;
// What tiles lie on and steps run on.
class Engine;
// The ranks that have it together; none: this process alone.
class Team;
struct Distributed;

// Immutable once made. Tiles are dense and row-major, 64-byte aligned; tile(d) is the tile of the device that has
// number d in the mesh of the type.
class Value {
 public:
  Value(synth::ArrayType type, std::shared_ptr<const Arena> arena, std::vector<const std::byte*> tiles,
        std::shared_ptr<Team> team = nullptr, std::optional<DeviceRanks> ranks = {});
  const synth::ArrayType& type() const { return type_; }
  // Which rank has which device of the run that made it.
  const DeviceRanks& ranks() const { return ranks_; }
  // The same tiles in a run that deals devices so; every device stays with its rank.
  Value dealt(const DeviceRanks& ranks) const;
  // Does this rank have the device?
  bool has_device(std::int64_t device) const;
  // What alone can look into its tiles; none: everybody, for they are in host memory.
  std::shared_ptr<Engine> engine() const;
  // The same value in host memory, or in an engine's (none: the host's): itself, or a copy that is made once and kept
  // with it. Only this rank's tiles are there.
  base::Result<Value> on_host() const;
  base::Result<Value> on(const std::shared_ptr<Engine>& engine) const;
  // The tile of a device. That of another rank's device may be looked at in a phase that reads it; its memory is null
  // if it is far.
  std::span<const std::byte> tile(std::int64_t device) const;
  const std::shared_ptr<const Arena>& arena() const { return arena_; }
  const std::shared_ptr<Team>& team() const { return team_; }

 private:
  bool lies_on(const Engine& engine) const;

  synth::ArrayType type_;
  std::shared_ptr<const Arena> arena_;
  std::vector<const std::byte*> tiles_;
  std::shared_ptr<Team> team_;
  DeviceRanks ranks_;
  struct Elsewhere;
  std::shared_ptr<Elsewhere> elsewhere_;  // its copies
};

// The value as Gatherer (memory/gather.hpp) reads it; good as long as the value is.
Distributed distributed(const Value& value);

// The whole array, dense; pending sums are resolved in the order that all_reduce uses. Called on all ranks that have
// the value; fails only if one of them is lost.
base::Result<synth::Literal> gather(const Value& value);

// A value of this type (same element type and extents) with the array's elements. If the type is pending, the devices
// at position 0 along the pending axes hold them, the others the identity.
base::Result<Value> scatter(const synth::Literal& array, const synth::ArrayType& type);

// As `print` writes it: a scalar, or an array of which only the elements shown are gathered; and the picture of `show`.
// All ranks that have the value call these, as they do gather().
base::Result<std::string> format_value(const Value& value);
base::Result<std::string> format_show(const Value& value, std::string_view label, int columns = kPictureColumns);

}  // namespace tessera::runtime
