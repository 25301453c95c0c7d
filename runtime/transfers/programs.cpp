#include "runtime/transfers/programs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/boxes.hpp"
#include "synth/moves/collective/direct_reduction.hpp"

namespace tessera::runtime {

namespace {

// In a slot the hops of an all_reduce that is carried out directly follow each other, and so do making values aside and
// putting them in place: two beats.
class ProgramSchedule : public SlotSchedule {
 public:
  ProgramSchedule(const Team& team, const DeviceRanks& ranks, synth::ProgrammedReduction reduction, std::int64_t beside,
                  const synth::ArrayType& to)
      : team_(team), ranks_(ranks), reduction_(std::move(reduction)), beside_(beside), type_(to) {
    const synth::ReduceMoves& moves = reduction_.moves();
    for (std::size_t h = 0; h < moves.hops.size(); ++h) {
      const bool follows = h > 0 && moves.hops[h].slot == moves.hops[h - 1].slot;
      second_.push_back(follows);
      has_second_ = has_second_ || follows || moves.hops[h].aside;
    }
    find_peers();
  }

  std::int64_t beats() const override { return reduction_.moves().slots() * beats_of_slot(); }

  std::vector<SlotWork> works(std::int64_t beat) const override {
    const synth::ReduceMoves& moves = reduction_.moves();
    const std::int64_t slot = beat / beats_of_slot();
    const bool second = beat % beats_of_slot() == 1;
    std::vector<SlotWork> works;
    for (std::size_t h = 0; h < moves.hops.size(); ++h) {
      const std::int64_t stretch = slot - moves.hops[h].slot;
      if (stretch < 0 || stretch >= moves.stretches) continue;
      if (second_[h] == second) add(h, stretch, works);
      if (second && moves.hops[h].aside) put_in_place(h, stretch, works);
    }
    return works;
  }

 private:
  std::int64_t beats_of_slot() const { return has_second_ ? 2 : 1; }
  int owner(std::int32_t device) const { return ranks_.owner(type_.mesh(), device); }

  // All moves that this rank has a part in, among others.
  template <class F>
  void for_each_move(std::size_t hop, const F& f) const {
    const auto owns = [&](std::size_t group, std::int32_t member) {
      return owner(reduction_.device(group, member)) == team_.rank();
    };
    reduction_.for_each_move(hop, owns, f);
  }

  void find_peers() {
    std::set<int> peers;
    std::set<int> readers;
    has_reads = reduction_.moves().even.has_value();  // of others' moves a rank does not hear
    for (std::size_t hop = 0; hop < reduction_.moves().hops.size(); ++hop) {
      for_each_move(hop, [&](std::size_t group, const synth::ReduceMove& move) {
        const int reader = owner(reduction_.device(group, move.to));
        for (const synth::ReduceMove::From& from : move.from) {
          const int source = owner(reduction_.device(group, from.member));
          if (source == reader) continue;
          has_reads = true;
          if (team_.node(source) != team_.node(reader)) continue;
          if (reader == team_.rank()) peers.insert(source);
          if (source == team_.rank()) readers.insert(reader);
        }
      });
    }
    near_readers.assign(readers.begin(), readers.end());
    // A device overwrites what others have read: they have to be done with it.
    peers.insert(readers.begin(), readers.end());
    near_peers.assign(peers.begin(), peers.end());
  }

  // Does this rank get anything of it, or a far one of this one?
  bool concerns(std::size_t group, const synth::ReduceMove& move) const {
    const int reader = owner(reduction_.device(group, move.to));
    if (reader == team_.rank()) return true;
    if (team_.node(reader) == team_.node(team_.rank())) return false;
    return std::any_of(move.from.begin(), move.from.end(), [&](const synth::ReduceMove::From& from) {
      return owner(reduction_.device(group, from.member)) == team_.rank();
    });
  }

  void add(std::size_t hop, std::int64_t stretch, std::vector<SlotWork>& works) const {
    const bool makes_aside = reduction_.moves().hops[hop].aside;
    for_each_move(hop, [&](std::size_t group, const synth::ReduceMove& move) {
      if (!concerns(group, move)) return;
      for (const std::int32_t chunk : move.chunks) {
        std::vector<SlotPlace> from;
        for (const synth::ReduceMove::From& of : move.from) {
          const auto device = static_cast<std::size_t>(reduction_.device(group, of.member));
          from.push_back(of.of_source ? SlotPlace{SlotPlace::Of::source, device, 0, {}}
                                      : place(group, of.member, chunk));
        }
        const SlotPlace to = makes_aside ? aside(group, move.to) : place(group, move.to, chunk);
        for (const synth::Box& box : reduction_.boxes(group, chunk, stretch)) works.push_back({box, from, to});
      }
    });
  }

  void put_in_place(std::size_t hop, std::int64_t stretch, std::vector<SlotWork>& works) const {
    for_each_move(hop, [&](std::size_t group, const synth::ReduceMove& move) {
      if (owner(reduction_.device(group, move.to)) != team_.rank()) return;
      for (const std::int32_t chunk : move.chunks) {
        for (const synth::Box& box : reduction_.boxes(group, chunk, stretch))
          works.push_back({box, {aside(group, move.to)}, place(group, move.to, chunk)});
      }
    });
  }

  // The place of a chunk on a member: combined there, or received.
  SlotPlace place(std::size_t group, std::int32_t member, std::int32_t chunk) const {
    const auto device = static_cast<std::size_t>(reduction_.device(group, member));
    if (!reduction_.moves(group).is_foreign(member, chunk)) return {SlotPlace::Of::result, device, 0, {}};
    const std::int64_t offset = reduction_.foreign_offset(group, member, chunk) * synth::bytes_of(type_.element());
    return {SlotPlace::Of::beside, device, beside_ + offset, reduction_.boxes(group, chunk)[0]};
  }
  // A second tile, for values that take the place of others.
  SlotPlace aside(std::size_t group, std::int32_t member) const {
    const std::int32_t device = reduction_.device(group, member);
    return {SlotPlace::Of::beside, static_cast<std::size_t>(device), beside_, synth::tile(type_, device)};
  }

  const Team& team_;
  DeviceRanks ranks_;
  synth::ProgrammedReduction reduction_;
  std::int64_t beside_;
  synth::ArrayType type_;
  std::vector<bool> second_;  // of every hop: does it follow another in its slot?
  bool has_second_ = false;
};

// Adds up boxes as the program says: first what it adds up first.
class TreeRun {
 public:
  TreeRun(synth::ReduceOp op, synth::ElementType element) : op_(op), element_(element) {}

  // `leaves`: the members' boxes.
  void run(const synth::SumTree& tree, const std::vector<TileView>& leaves, const TileTarget& target) const {
    std::vector<TileView> values = leaves;
    std::vector<std::vector<std::byte>> places;
    const std::int64_t bytes = count(leaves[0].shape) * synth::bytes_of(element_);
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
      std::vector<TileView> parts;
      for (const std::int32_t part : tree.nodes[node]) parts.push_back(values[static_cast<std::size_t>(part)]);
      if (node + 1 == tree.nodes.size()) return combine_parts(op_, parts, target);
      std::vector<std::byte>& place = places.emplace_back(static_cast<std::size_t>(bytes));
      const TileOut sum{element_, leaves[0].shape, place.data()};
      combine_parts(op_, parts, {dense_strides(sum.shape), sum.data});
      values.push_back(dense_view(sum));
    }
    copy_elements(values.back(), target);  // of one member
  }

 private:
  synth::ReduceOp op_;
  synth::ElementType element_;
};

// A box of a group's sums, the device that gets it first, and whose order of additions it has.
struct Piece {
  std::size_t group = 0;
  std::size_t device = 0;
  synth::Box box;
  std::size_t tree = 0;
};
// Sums on the way to a piece's stay in the caches; there are fewer of them than members.
constexpr std::int64_t kPieceOfSums = 8'192;
constexpr std::int64_t kMembersOfPiece = 512;

// The orders of additions of all kinds of groups, and where those of each begin.
struct Trees {
  std::vector<synth::SumTree> all;
  std::vector<std::size_t> first;
};
Trees trees_of(const synth::ProgrammedReduction& reduction) {
  Trees trees;
  for (const synth::ReduceMoves& moves : reduction.kinds_of_moves()) {
    trees.first.push_back(trees.all.size());
    if (!moves.has_ring) trees.all.push_back(synth::sum_tree(moves, moves.first_chunk()));
    for (std::int32_t chunk = 0; moves.has_ring && chunk < moves.members; ++chunk)
      trees.all.push_back(synth::sum_tree(moves, chunk));
  }
  return trees;
}

// Cuts the sum by chunks if their orders of addition differ, else by the tiles of devices that get one of their own.
std::vector<Piece> pieces_of(const synth::ProgrammedReduction& reduction, const std::vector<synth::Box>& tiles,
                             const std::vector<std::size_t>& first_trees) {
  std::vector<Piece> pieces;
  const std::int64_t members = reduction.moves().members;
  const bool by_chunk = reduction.moves().has_ring;
  const std::int64_t length = std::max<std::int64_t>(1, kPieceOfSums * std::min(kMembersOfPiece, members) / members);
  const auto add = [&](std::size_t group, std::int32_t member, const synth::Box& whole, std::int32_t chunk) {
    const auto device = static_cast<std::size_t>(reduction.device(group, member));
    const std::int64_t elements = synth::elements(whole);
    const std::size_t tree = by_chunk ? static_cast<std::size_t>(chunk) : 0;
    for (std::int64_t begin = 0; begin < elements; begin += length) {
      const synth::Interval piece{begin, std::min(elements, begin + length)};
      for (const synth::Box& box : synth::boxes_of_stretch(whole, piece))
        pieces.push_back({group, device, box, first_trees[reduction.kind_of_moves(group)] + tree});
    }
  };
  for (std::size_t group = 0; group < reduction.groups(); ++group) {
    const std::int64_t wanted = by_chunk || reduction.scatters() ? members : 1;
    for (std::int32_t part = 0; part < wanted; ++part) {
      const std::int32_t member = reduction.scatters() ? part : 0;
      if (!by_chunk) {
        add(group, member, tiles[static_cast<std::size_t>(reduction.device(group, member))], 0);
        continue;
      }
      for (const synth::Box& box : reduction.boxes(group, part)) add(group, member, box, part);
    }
  }
  return pieces;
}

}  // namespace

Received received_by(const synth::ProgrammedReduction& reduction, const synth::ArrayType& to) {
  Received received{0, std::vector<std::int64_t>(static_cast<std::size_t>(to.devices()), 0)};
  const std::vector<std::int64_t> elements = reduction.received_elements();
  for (std::size_t device = 0; device < elements.size(); ++device)
    received.add(static_cast<std::int32_t>(device), elements[device] * synth::bytes_of(to.element()));
  return received;
}

std::unique_ptr<SlotSchedule> schedule_program(const Team& team, const DeviceRanks& ranks,
                                               synth::ProgrammedReduction reduction, std::int64_t beside,
                                               const synth::ArrayType& to) {
  return std::make_unique<ProgramSchedule>(team, ranks, std::move(reduction), beside, to);
}

void run_program(const synth::ProgrammedReduction& reduction, const Storage& storage, synth::RegisterId from,
                 synth::RegisterId to) {
  const Trees trees = trees_of(reduction);
  const std::vector<TileView> sources = storage.views(from);
  const std::vector<synth::Box>& source_boxes = storage.tiles(from).boxes;
  const std::vector<synth::Box>& result_boxes = storage.tiles(to).boxes;
  const TreeRun sums(storage.type(from).layout().reduce(), storage.type(to).element());
  const std::vector<Piece> pieces = pieces_of(reduction, result_boxes, trees.first);
  parallel_each(std::ssize(pieces), [&](std::int64_t i) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    std::vector<TileView> leaves;
    for (std::int32_t member = 0; member < reduction.moves().members; ++member) {
      const auto device = static_cast<std::size_t>(reduction.device(piece.group, member));
      leaves.push_back(part_of(sources[device], begin_in(piece.box, source_boxes[device]), synth::shape_of(piece.box)));
    }
    sums.run(trees.all[piece.tree], leaves,
             target_part(storage.out(to, piece.device), result_boxes[piece.device], piece.box));
  });
  if (reduction.scatters()) return;
  parallel_each(static_cast<std::int64_t>(reduction.groups()), [&](std::int64_t g) {
    const auto group = static_cast<std::size_t>(g);
    const TileView has = storage.view(to, static_cast<std::size_t>(reduction.device(group, 0)));
    for (std::int32_t member = 1; member < reduction.moves().members; ++member)
      copy_elements(has, storage.out(to, static_cast<std::size_t>(reduction.device(group, member))));
  });
}

}  // namespace tessera::runtime
