#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>

#include "bench/redistribute/peers.hpp"
#include "runtime/kernels/copy.hpp"

namespace tessera::bench {

namespace {

void require(int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error("MPI failed");
}

double joined(double mine, MPI_Op how, int communicator) {
  double all = mine;
  require(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, how, MPI_Comm_f2c(communicator)));
  return all;
}

std::int64_t length(const std::pair<std::int64_t, std::int64_t>& interval) { return interval.second - interval.first; }

std::int64_t elements(const Box& box) {
  std::int64_t n = 1;
  for (const auto& interval : box) n *= std::max<std::int64_t>(0, length(interval));
  return n;
}

Box common(const Box& a, const Box& b) {
  Box both;
  for (std::size_t d = 0; d < a.size(); ++d) {
    both.emplace_back(std::max(a[d].first, b[d].first), std::min(a[d].second, b[d].second));
  }
  return both;
}

synth::Shape shape_of(const Box& box) {
  synth::Shape shape;
  for (const auto& interval : box) shape.push_back(length(interval));
  return shape;
}

// A box inside a tile, as strided memory.
runtime::TileView part(const Box& tile, const Box& box, const float* data) {
  const runtime::TileView whole =
      runtime::dense_view(synth::ElementType::f32, shape_of(tile), reinterpret_cast<const std::byte*>(data));
  synth::Shape begin;
  for (std::size_t d = 0; d < tile.size(); ++d) begin.push_back(box[d].first - tile[d].first);
  return runtime::part_of(whole, begin, shape_of(box));
}

// A box inside a tile, as MPI describes it.
class Subarray {
 public:
  Subarray(const Box& tile, const Box& box) {
    std::vector<int> sizes;
    std::vector<int> inner;
    std::vector<int> begin;
    for (std::size_t d = 0; d < tile.size(); ++d) {
      sizes.push_back(static_cast<int>(length(tile[d])));
      inner.push_back(static_cast<int>(length(box[d])));
      begin.push_back(static_cast<int>(box[d].first - tile[d].first));
    }
    require(MPI_Type_create_subarray(static_cast<int>(tile.size()), sizes.data(), inner.data(), begin.data(),
                                     MPI_ORDER_C, MPI_FLOAT, &type_));
    require(MPI_Type_commit(&type_));
  }
  Subarray(const Subarray&) = delete;
  Subarray& operator=(const Subarray&) = delete;
  ~Subarray() { MPI_Type_free(&type_); }
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// One side of MPI_Alltoallw.
struct Side {
  std::vector<std::unique_ptr<Subarray>> parts;
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;

  void add(const Box& tile, const Box& box) {
    const bool any = elements(box) > 0;
    if (any) parts.push_back(std::make_unique<Subarray>(tile, box));
    counts.push_back(any ? 1 : 0);
    displacements.push_back(0);
    types.push_back(any ? parts.back()->type() : MPI_FLOAT);
  }
};

// One side of MPI_Alltoallv: the boxes, one after another in a buffer.
struct Packed {
  std::vector<Box> boxes;
  std::vector<int> counts;
  std::vector<int> begins;
  std::vector<float> buffer;

  void add(const Box& box) {
    const auto n = static_cast<std::size_t>(elements(box));
    boxes.push_back(box);
    counts.push_back(static_cast<int>(n));
    begins.push_back(static_cast<int>(buffer.size()));
    buffer.resize(buffer.size() + n);
  }
  // The place of box `i` in the buffer.
  float* at(std::size_t i) { return buffer.data() + begins[i]; }
};

// How wide apart a dense tile's elements are, and where one of its boxes begins.
runtime::TileTarget target_of(const Box& tile, const Box& box, float* data) {
  const runtime::TileView view = part(tile, box, data);
  const auto offset = reinterpret_cast<const float*>(view.data) - data;
  return {view.strides, reinterpret_cast<std::byte*>(data + offset)};
}

}  // namespace

Peers::Peers(const Launch& launch)
    : rank_(launch.rank()), size_(launch.ranks()), communicator_(launch.communicator()) {}

void Peers::wait() const {
  if (communicator_) require(MPI_Barrier(MPI_Comm_f2c(*communicator_)));
}

void Peers::rest() const {
  if (!communicator_) return;
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibarrier(MPI_Comm_f2c(*communicator_), &request));
  for (int done = 0; done == 0;) {
    require(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

double Peers::most(double mine) const { return communicator_ ? joined(mine, MPI_MAX, *communicator_) : mine; }

double Peers::sum(double mine) const { return communicator_ ? joined(mine, MPI_SUM, *communicator_) : mine; }

Peers::Move Peers::with_types(const Boxes& from, const Boxes& to) const {
  if (!communicator_) return {};
  const auto me = static_cast<std::size_t>(rank_);
  const auto out = std::make_shared<Side>();
  const auto in = std::make_shared<Side>();
  for (std::size_t peer = 0; peer < from.size(); ++peer) {
    out->add(from[me], common(from[me], to[peer]));
    in->add(to[me], common(from[peer], to[me]));
  }
  const MPI_Comm world = MPI_Comm_f2c(*communicator_);
  return [=](const float* source, float* target) {
    require(MPI_Alltoallw(source, out->counts.data(), out->displacements.data(), out->types.data(), target,
                          in->counts.data(), in->displacements.data(), in->types.data(), world));
  };
}

Peers::Move Peers::with_packing(const Boxes& from, const Boxes& to) const {
  if (!communicator_) return {};
  const auto me = static_cast<std::size_t>(rank_);
  const auto out = std::make_shared<Packed>();
  const auto in = std::make_shared<Packed>();
  for (std::size_t peer = 0; peer < from.size(); ++peer) {
    out->add(common(from[me], to[peer]));
    in->add(common(from[peer], to[me]));
  }
  const MPI_Comm world = MPI_Comm_f2c(*communicator_);
  return [=, mine = from[me], wanted = to[me]](const float* source, float* target) {
    for (std::size_t i = 0; i < out->boxes.size(); ++i) {
      if (out->counts[i] == 0) continue;
      const runtime::TileView box = part(mine, out->boxes[i], source);
      runtime::copy_elements(box, {runtime::dense_strides(box.shape), reinterpret_cast<std::byte*>(out->at(i))});
    }
    require(MPI_Alltoallv(out->buffer.data(), out->counts.data(), out->begins.data(), MPI_FLOAT, in->buffer.data(),
                          in->counts.data(), in->begins.data(), MPI_FLOAT, world));
    for (std::size_t i = 0; i < in->boxes.size(); ++i) {
      if (in->counts[i] == 0) continue;
      const runtime::TileView box = runtime::dense_view(synth::ElementType::f32, shape_of(in->boxes[i]),
                                                        reinterpret_cast<const std::byte*>(in->at(i)));
      runtime::copy_elements(box, target_of(wanted, in->boxes[i], target));
    }
  };
}

}  // namespace tessera::bench
