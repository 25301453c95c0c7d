// Rows of tables on their way between two ranks, as a message of pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "runtime/ranks/messenger.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// So many rows of one shape, one behind the other. A long row is cut, so that no piece is longer than kPieceBytes.
struct RowRun {
  synth::Shape shape;  // of a row
  std::int64_t rows = 0;
};

// A part of a row, or some whole ones, of the run of this number.
struct RowPiece {
  std::size_t run = 0;
  std::int64_t first = 0;  // rows first to end - 1
  std::int64_t end = 0;
  synth::Box box;  // of each of them
};
std::vector<RowPiece> row_pieces(const std::vector<RowRun>& runs, std::int64_t element_bytes);

// Who puts rows into a piece, or takes them out of it. It lives as long as the message does.
class RowsEnd {
 public:
  RowsEnd() = default;
  RowsEnd(const RowsEnd&) = delete;
  RowsEnd& operator=(const RowsEnd&) = delete;
  virtual ~RowsEnd() = default;
  virtual void pack(const RowPiece& piece, std::byte* at) = 0;
  virtual void unpack(const RowPiece& piece, const std::byte* at) = 0;
};

class RowStream final : public PieceByPiece {
 public:
  enum class Way : std::uint8_t { in, out };
  RowStream(std::shared_ptr<RowsEnd> end, std::vector<RowPiece> pieces, std::int64_t element_bytes, Way way)
      : end_(std::move(end)), pieces_(std::move(pieces)), element_bytes_(element_bytes), way_(way) {}

  std::size_t pieces() const override { return pieces_.size(); }
  std::span<std::byte> begin(std::size_t piece) override;
  void end(std::size_t piece) override;

 private:
  std::shared_ptr<RowsEnd> end_;
  std::vector<RowPiece> pieces_;
  std::int64_t element_bytes_;
  Way way_;
  std::deque<std::vector<std::byte>> under_way_;
  std::vector<std::vector<std::byte>> idle_;  // buffers that are used again
};

}  // namespace tessera::runtime
