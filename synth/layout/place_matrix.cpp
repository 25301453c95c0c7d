#include "synth/layout/place_matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "synth/layout/cursor.hpp"

namespace tessera::synth {

namespace {

using Row = std::vector<std::int64_t>;

std::optional<Row> read_row(Cursor& cursor) {
  if (!cursor.accept('[')) return std::nullopt;
  Row row;
  do {
    const auto value = integer_value(cursor.digits());
    if (!value) return std::nullopt;
    row.push_back(*value);
  } while (cursor.accept(','));
  return cursor.accept(']') ? std::optional(std::move(row)) : std::nullopt;
}

// Do the numbers multiply to the product? None is zero or negative.
bool multiply_to(const Row& numbers, std::int64_t product) {
  for (const std::int64_t number : numbers) {
    if (product % number != 0) return false;
    product /= number;
  }
  return product == 1;
}

std::string fault_of_row(const Row& row, std::size_t number, std::size_t levels, std::int64_t size) {
  if (row.size() != levels) return fmt::format("has a row {} of {}, and row 1 has {}", number, row.size(), levels);
  if (row.empty()) return fmt::format("has no numbers in row {}", number);
  const auto least = std::min_element(row.begin(), row.end());
  if (*least < 1) return fmt::format("has {} in row {}, but a number is at least 1", *least, number);
  if (multiply_to(row, size)) return "";
  return fmt::format("has a row {} of {}, which has to multiply to the axis' size, {}", number, fmt::join(row, " * "),
                     size);
}

// The row-major position of a device.
std::int64_t position_of(const PlaceMatrix& matrix, const Row& counts, const Row& sizes, std::int64_t device) {
  Row coordinates(sizes.size(), 0);
  Row weights(sizes.size(), 1);
  for (std::size_t j = counts.size(); j-- > 0; device /= counts[j]) {
    std::int64_t digit = device % counts[j];
    for (std::size_t i = sizes.size(); i-- > 0;) {
      const std::int64_t factor = matrix.rows[i][j];
      coordinates[i] += digit % factor * weights[i];
      weights[i] *= factor;
      digit /= factor;
    }
  }
  std::int64_t position = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) position = position * sizes[i] + coordinates[i];
  return position;
}

}  // namespace

std::string print(const PlaceMatrix& matrix) {
  std::string text = "[";
  for (const Row& row : matrix.rows) text += fmt::format("{}[{}]", text.size() == 1 ? "" : ",", fmt::join(row, ","));
  return text + "]";
}

std::optional<PlaceMatrix> parse_place_matrix(std::string_view text) {
  Cursor cursor(text);
  if (!cursor.accept('[')) return std::nullopt;
  PlaceMatrix matrix;
  do {
    auto row = read_row(cursor);
    if (!row) return std::nullopt;
    matrix.rows.push_back(std::move(*row));
  } while (cursor.accept(','));
  if (!cursor.accept(']')) return std::nullopt;
  cursor.skip_blanks();
  return cursor.at_end() ? std::optional(std::move(matrix)) : std::nullopt;
}

std::string fault_of(const PlaceMatrix& matrix, const std::vector<std::int64_t>& sizes) {
  const std::size_t rows = matrix.rows.size();
  if (rows != sizes.size()) {
    return fmt::format("has {} row{}, but the mesh has {} ax{}s", rows, rows == 1 ? "" : "s", sizes.size(),
                       sizes.size() == 1 ? "i" : "e");
  }
  for (std::size_t i = 0; i < rows; ++i) {
    std::string fault = fault_of_row(matrix.rows[i], i + 1, matrix.rows[0].size(), sizes[i]);
    if (!fault.empty()) return fault;
  }
  return "";
}

std::vector<std::int64_t> counts_of(const PlaceMatrix& matrix) {
  Row counts(matrix.rows.empty() ? 0 : matrix.rows[0].size(), 1);
  for (const Row& row : matrix.rows) {
    for (std::size_t j = 0; j < counts.size(); ++j) counts[j] *= row[j];
  }
  return counts;
}

std::vector<std::int32_t> devices_in_order(const PlaceMatrix& matrix, const std::vector<std::int64_t>& sizes) {
  const Row counts = counts_of(matrix);
  std::int64_t devices = 1;
  for (const std::int64_t size : sizes) devices *= size;
  std::vector<std::int32_t> order(static_cast<std::size_t>(devices));
  for (std::int64_t device = 0; device < devices; ++device) {
    order[static_cast<std::size_t>(position_of(matrix, counts, sizes, device))] = static_cast<std::int32_t>(device);
  }
  return order;
}

}  // namespace tessera::synth
