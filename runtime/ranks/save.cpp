#include "runtime/ranks/save.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/stop_scope.hpp"
#include "runtime/io/frame.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/io/staging.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/ranks/reads.hpp"

namespace tessera::runtime {

namespace {

std::vector<int> all_but_first(const Team& team) {
  std::vector<int> ranks;
  for (int rank = 1; rank < team.size(); ++rank) ranks.push_back(rank);
  return ranks;
}

// Rank 0's text, on all ranks.
base::Result<std::string> text_of_first(Team& team, std::string text) {
  std::size_t size = text.size();
  TESSERA_TRY_STATUS(team.send(0, all_but_first(team), std::as_writable_bytes(std::span(&size, 1))));
  text.resize(size);
  TESSERA_TRY_STATUS(team.send(0, all_but_first(team), std::as_writable_bytes(std::span(text))));
  return text;
}

// Ranks that share memory have found it by way of /proc.
NpyWriter::Name name_of_temporary(const Team& team) {
  return team.alone() || team.region() != nullptr ? NpyWriter::Name::none : NpyWriter::Name::hidden;
}

// Rank 0 creates the file, when all have come so far; the others join in.
template <class Create>
base::Result<NpyWriter> open_together(Team& team, const FilePolicy& files, const Create& create,
                                      std::vector<FramedArray> arrays, base::StopToken stop) {
  TESSERA_TRY_STATUS(report_to_first(team));
  if (team.rank() > 0) {
    TESSERA_TRY(invitation, text_of_first(team, ""));
    return NpyWriter::join(files, invitation, std::move(arrays));
  }
  const base::StopScope scope(stop);  // what the file holds is copied
  TESSERA_TRY(writer, base::guarded_until_stopped([&] { return create(name_of_temporary(team)); }));
  const auto told = text_of_first(team, writer.invitation());
  if (!told) return told.errors();
  return std::move(writer);
}

// Each rank has written its share of every array, in the order of the ranks.
base::Status gather_sums(Team& team, NpyWriter& writer) {
  if (!writer.keeps_sums()) return base::Done{};
  std::vector<CheckSum> sums = writer.sums();
  constexpr std::array kFirst = {0};
  const auto bytes = std::as_writable_bytes(std::span(sums));
  if (team.rank() > 0) return team.send(team.rank(), kFirst, bytes);
  for (int rank = 1; rank < team.size(); ++rank) {
    TESSERA_TRY_STATUS(team.send(rank, kFirst, bytes));
    writer.add_sums(sums);
  }
  return base::Done{};
}

// A share of the file's slabs for every rank: round k writes the k-th of each.
class Shares {
 public:
  Shares(const Team& team, std::vector<NpySlab> slabs) : team_(team), slabs_(std::move(slabs)) {}
  std::int64_t rounds() const {
    std::int64_t rounds = 0;
    for (int rank = 0; rank < team_.size(); ++rank) rounds = std::max(rounds, share(rank).size());
    return rounds;
  }
  const NpySlab* slab(int rank, std::int64_t round) const {
    const Block mine = share(rank);
    return round < mine.size() ? &slabs_[static_cast<std::size_t>(mine.begin + round)] : nullptr;
  }

 private:
  Block share(int rank) const {
    const auto [begin, end] = synth::share(std::ssize(slabs_), team_.size(), rank);
    return {begin, end};
  }
  const Team& team_;
  std::vector<NpySlab> slabs_;
};

base::Status write_round(Team& team, NpyWriter& writer, const Distributed& array, const Gatherer& gatherer,
                         const Shares& shares, std::int64_t round) {
  ReadPlanner planner(team, array.ranks, array.type.mesh_ref());
  for (int rank = 0; rank < team.size(); ++rank) {
    if (const NpySlab* slab = shares.slab(rank, round)) planner.read(rank, gatherer.parcels(slab->box));
  }
  const ReadPlan plan = planner.take();
  TESSERA_TRY(reading, Reading::begin(team, plan, array));
  TESSERA_TRY_STATUS(reading.await());
  const NpySlab* const mine = shares.slab(team.rank(), round);
  std::vector<std::byte> bytes;
  if (mine != nullptr) {
    TESSERA_TRY_STATUS(reading.fetch(gatherer.parcels(mine->box)));
    const synth::ElementType element = array.type.element();
    bytes.resize(static_cast<std::size_t>(synth::elements(mine->box) * synth::bytes_of(element)));
    gatherer.read(mine->box, TileOut{element, synth::shape_of(mine->box), bytes.data()},
                  [&](const TileBox& parcel) { return reading.box(parcel); });
  }
  TESSERA_TRY_STATUS(reading.end());
  return mine == nullptr ? base::Done{} : writer.write(*mine, bytes);
}

}  // namespace

namespace {

base::Status write_slabs(Team& team, NpyWriter& writer, std::size_t number, const Distributed& array,
                         base::StopToken stop) {
  const Gatherer gatherer(array);
  const Shares shares(team, writer.slabs(number));
  for (std::int64_t round = 0; round < shares.rounds(); ++round) {
    if (stop.asked()) return base::make(base::Kind::interrupted);
    TESSERA_TRY_STATUS(write_round(team, writer, array, gatherer, shares, round));
  }
  return base::Done{};
}

// By rank 0, when all are content.
base::Status put_in_place(Team& team, NpyWriter& writer) {
  TESSERA_TRY_STATUS(report_to_first(team));
  TESSERA_TRY_STATUS(gather_sums(team, writer));
  if (team.rank() == 0) TESSERA_TRY_STATUS(writer.commit());
  return team.send(0, all_but_first(team), {});
}

}  // namespace

base::Status save_whole(Team& team, const FilePolicy& files, const std::string& path, const Distributed& array,
                        base::StopToken stop) {
  const synth::ElementType element = array.type.element();
  const synth::Shape& shape = array.type.shape();
  const auto create = [&](NpyWriter::Name name) { return NpyWriter::create(files, path, element, shape, name); };
  TESSERA_TRY(writer, open_together(team, files, create, {{"", element, shape}}, stop));
  TESSERA_TRY_STATUS(write_slabs(team, writer, 0, array, stop));
  return put_in_place(team, writer);
}

namespace {

// As a run of its own, a step for each array.
base::Status save_in_run(Team& team, const FilePolicy& files, const std::string& file,
                         std::span<const NamedArray> arrays, base::StopToken stop) {
  std::vector<FramedArray> framed;
  for (const NamedArray& next : arrays)
    framed.push_back({next.name, next.array.type.element(), next.array.type.shape()});
  TESSERA_TRY_STATUS(team.begin_step());
  const auto create = [&](NpyWriter::Name name) { return NpyWriter::create_of_all(files, file, framed, name); };
  TESSERA_TRY(writer, open_together(team, files, create, framed, stop));
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    TESSERA_TRY_STATUS(team.begin_step());
    TESSERA_TRY_STATUS(write_slabs(team, writer, i, arrays[i].array, stop));
  }
  return put_in_place(team, writer);
}

}  // namespace

base::Status save_all(Team& team, const FilePolicy& files, const std::string& file, std::span<const NamedArray> arrays,
                      const std::atomic<bool>* stop) {
  team.begin_run(stop);
  base::Status done = base::guarded([&] { return save_in_run(team, files, file, arrays, base::StopToken(stop)); });
  const auto agreed = team.agree(std::move(done), {});
  return agreed ? base::Status(base::Done{}) : base::Status(agreed.errors());
}

namespace {

std::string shard_name(const std::string& path, const Distributed& array, std::int64_t device) {
  return fmt::format("{}.dev{}.npy", path, array.type.mesh().run_device(device));
}

base::Status save_tile(NpyWriter writer, const Distributed& array, std::int64_t device, base::StopToken stop) {
  const TileView& tile = array.tiles[static_cast<std::size_t>(device)];
  std::vector<std::byte> bytes;
  for (const NpySlab& slab : writer.slabs()) {
    if (stop.asked()) return base::make(base::Kind::interrupted);
    bytes.resize(static_cast<std::size_t>(synth::elements(slab.box) * synth::bytes_of(tile.element)));
    synth::Shape begin;
    for (const synth::Interval& interval : slab.box) begin.push_back(interval.begin);
    const TileOut out{tile.element, synth::shape_of(slab.box), bytes.data()};
    TESSERA_TRY_STATUS(read_elements(array, part_of(tile, begin, out.shape), out));
    TESSERA_TRY_STATUS(writer.write(slab, bytes));
  }
  return writer.commit();
}

const synth::Shape& shape_of_tile(const Distributed& array, std::int64_t device) {
  return array.tiles[static_cast<std::size_t>(device)].shape;
}

}  // namespace

base::Status save_shards(Team& team, const FilePolicy& files, const std::string& path, const Distributed& array,
                         base::StopToken stop) {
  TESSERA_TRY_STATUS(wait_for_all(team));
  const Block mine = array.ranks.block(team.rank(), array.type.mesh());
  for (std::int64_t device = mine.begin; device < mine.end; ++device) {
    TESSERA_TRY(writer, NpyWriter::create(files, shard_name(path, array, device), array.type.element(),
                                          shape_of_tile(array, device)));
    TESSERA_TRY_STATUS(save_tile(std::move(writer), array, device, stop));
  }
  return wait_for_all(team);
}

namespace {

// The same on all ranks: the first failure, if there is any.
base::Status agreed(Team& team, base::Status mine) {
  if (team.alone()) return mine;
  const auto all = team.agree_on(std::move(mine), {});
  return all ? base::Status(base::Done{}) : base::Status(all.errors());
}

base::Status stage_all(const Team& team, Staging& staging, std::span<const NamedArray> arrays, base::StopToken stop) {
  for (const NamedArray& next : arrays) {
    const Distributed& array = next.array;
    const Block mine = array.ranks.block(team.rank(), array.type.mesh());
    for (std::int64_t device = mine.begin; device < mine.end; ++device) {
      const std::string file = shard_name(next.name, array, device);
      TESSERA_TRY(place, staging.place_of(file));
      const std::string shown = place.path;
      TESSERA_TRY(writer,
                  NpyWriter::create_at(std::move(place), shown, array.type.element(), shape_of_tile(array, device)));
      TESSERA_TRY_STATUS(save_tile(std::move(writer), array, device, stop));
      staging.add(file);
    }
  }
  return base::Done{};
}

base::Status staged_and_put(Team& team, Staging& staging, std::span<const NamedArray> arrays, base::StopToken stop) {
  TESSERA_TRY_STATUS(agreed(team, staging.open()));
  TESSERA_TRY_STATUS(agreed(team, base::guarded([&] { return stage_all(team, staging, arrays, stop); })));
  TESSERA_TRY_STATUS(agreed(team, staging.put()));
  return staging.settle();
}

}  // namespace

base::Status save_all_shards(Team& team, const FilePolicy& files, const std::string& folder,
                             std::span<const NamedArray> arrays, base::StopToken stop) {
  base::Status ready = base::Done{};
  File into;
  if (files.kind == FilePolicy::Kind::host) {
    ready = base::make(Kind::file_not_allowed, in_quotes(folder), std::string_view("the host opens files one by one"));
  } else if (auto opened = open_folder(files, folder)) {
    into = std::move(*opened);
  } else {
    ready = opened.errors();
  }
  if (ready && team.rank() == 0) Staging::sweep(into);
  TESSERA_TRY_STATUS(agreed(team, std::move(ready)));
  TESSERA_TRY(job, text_of_first(team, team.rank() == 0 ? Staging::new_job() : ""));
  Staging staging(into, job, team.rank());
  base::Status done = staged_and_put(team, staging, arrays, stop);
  staging.end();
  // Files of ranks that were lost go, too, unless they lie where only those could see.
  if (!done) Staging::sweep(into);
  return done;
}

}  // namespace tessera::runtime
