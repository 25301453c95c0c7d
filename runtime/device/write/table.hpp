// The table of a chain's launch: rows of words, of which the first is the number of the row's first block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/device/steps/launcher.hpp"

namespace tessera::device {

// Is the one row of a table among the arguments of its kernel?
constexpr bool is_single(std::size_t rows, int words) { return rows == 1 && words <= 200; }

class ChainRows {
 public:
  explicit ChainRows(int words) : words_(words) {}

  // The words behind the first, and how many blocks work for the row.
  void add(const std::vector<std::int64_t>& words, std::int64_t blocks) {
    all_.push_back(blocks_);
    all_.insert(all_.end(), words.begin(), words.end());
    blocks_ += blocks;
    ++rows_;
  }
  // `more` stands behind the table in the arguments.
  base::Status launch(Launcher& launcher, const KernelText& text, std::span<const std::byte> more = {}) const {
    if (blocks_ == 0) return base::Done{};
    std::vector<std::int64_t> args = {0, rows_};
    if (is_single(static_cast<std::size_t>(rows_), words_)) {
      args.insert(args.end(), all_.begin(), all_.end());
    } else {
      TESSERA_TRY(table, launcher.table(std::as_bytes(std::span(all_))));
      args[0] = static_cast<std::int64_t>(table);
      args.push_back(0);
    }
    const std::size_t begin = args.size() * sizeof(std::int64_t);
    std::vector<std::byte> bytes(begin + more.size());
    std::copy_n(reinterpret_cast<const std::byte*>(args.data()), begin, bytes.begin());
    std::copy(more.begin(), more.end(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
    return launcher.launch(text, blocks_, bytes);
  }

 private:
  int words_;
  std::int64_t rows_ = 0;
  std::int64_t blocks_ = 0;
  std::vector<std::int64_t> all_;
};

}  // namespace tessera::device
