#include "runtime/transfers/row_stream.hpp"

#include <algorithm>

#include "runtime/transfers/box_pieces.hpp"

namespace tessera::runtime {

std::vector<RowPiece> row_pieces(const std::vector<RowRun>& runs, std::int64_t element_bytes) {
  std::vector<RowPiece> all;
  const std::int64_t most = static_cast<std::int64_t>(kPieceBytes) / element_bytes;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    const RowRun& run = runs[number];
    const synth::Box row = synth::whole(run.shape);
    const std::int64_t length = synth::elements(row);
    if (length == 0) continue;
    const std::int64_t at_once = std::max<std::int64_t>(1, most / length);
    for (std::int64_t first = 0; first < run.rows; first += at_once) {
      const std::int64_t end = std::min(run.rows, first + at_once);
      cut_box(row, most, [&](const synth::Box& box) { all.push_back({number, first, end, box}); });
    }
  }
  return all;
}

std::span<std::byte> RowStream::begin(std::size_t piece) {
  const RowPiece& own = pieces_[piece];
  const auto bytes = static_cast<std::size_t>((own.end - own.first) * synth::elements(own.box) * element_bytes_);
  if (idle_.empty()) idle_.emplace_back();
  under_way_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  under_way_.back().resize(bytes);
  if (way_ == Way::out) end_->pack(own, under_way_.back().data());
  return under_way_.back();
}

void RowStream::end(std::size_t piece) {
  if (way_ == Way::in) end_->unpack(pieces_[piece], under_way_.front().data());
  idle_.push_back(std::move(under_way_.front()));
  under_way_.pop_front();
}

}  // namespace tessera::runtime
