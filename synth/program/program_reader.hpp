// Private to synth: the reader of device programs. Tables and structure are in read.cpp, operations in
// read_operation.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "synth/program/program.hpp"
#include "synth/program/text_reader.hpp"

namespace tessera::synth {

class ProgramReader : private TextReader {
 public:
  explicit ProgramReader(std::string_view text) : TextReader(text, "a device program") {}
  base::Result<Program> read();
  // The operation of that name, in a text whose tables are elsewhere; `text` is moved on.
  static base::Result<Operation> operation_in(TextReader& text, std::string_view word, const TableSizes& tables);

 private:
  explicit ProgramReader(const TextReader& text, const TableSizes& tables) : TextReader(text), elsewhere_(tables) {}
  std::size_t literal_count() const { return std::max(elsewhere_.literals, program_.literals.size()); }
  std::size_t string_count() const { return std::max(elsewhere_.strings, program_.strings.size()); }

  base::Result<ArrayType> type();  // `m0 f32[..]`
  base::Status entry_number(std::string_view prefix, std::size_t number);
  base::Status tables();
  base::Status mesh();
  base::Status literal();

  base::Result<RegisterId> register_id();
  base::Result<std::vector<RegisterId>> registers();
  base::Result<std::vector<std::uint8_t>> small_numbers();
  base::Status numbers_after(std::string_view word, std::vector<std::uint32_t>& out);

  base::Result<Body> body();
  base::Result<std::uint32_t> origin();
  base::Result<Step> step();
  base::Result<Step> repeat();
  base::Result<Step> choose();
  base::Result<Step> pipeline();
  base::Result<Step> apply();
  base::Status list_after(std::string_view word, std::vector<RegisterId>& out);

  base::Result<Operation> operation(std::string_view word, const std::vector<RegisterId>& operands);
  base::Result<StringId> string_id();
  base::Result<std::uint32_t> operand_number();  // `%2`
  base::Result<Operation> map();
  base::Result<Operation> reduce();
  base::Result<Operation> matrix_function();
  base::Result<Operation> fourier();
  template <class ArgReduceOrFind>
  base::Result<Operation> arg_reduce();
  base::Result<Operation> contract();
  base::Result<Operation> scan();
  base::Result<Operation> assemble();
  base::Result<Part> part();
  base::Result<Placement> placement();
  base::Result<Operation> lay();
  base::Result<LaidRange> laid_range();
  base::Result<Operation> collect(const std::vector<RegisterId>& operands);
  base::Result<AxesAt> axes_at(std::string_view word, const Mesh& mesh);
  base::Result<std::vector<AxesAt>> all_axes_at(std::string_view word, const Mesh& mesh);
  base::Result<std::vector<AxisMove>> axis_moves(const Mesh& mesh);
  base::Result<std::size_t> dimension(std::string_view word);
  base::Result<std::size_t> dimension();
  base::Result<AxisList> named_axes(const Mesh& mesh);
  base::Result<ArrayType> target();
  base::Result<ReduceOp> reduce_op();  // `max`
  base::Result<Effect> effect(CollectiveKind kind, const Mesh& mesh);
  base::Result<Recipe> recipe(CollectiveKind kind, const Mesh& mesh);
  base::Result<AxisList> axes(const Mesh& mesh);
  base::Result<AxisPart> axis_part(const Mesh& mesh);
  base::Result<Operation> print_items();
  base::Result<Operation> save();

  TableSizes elsewhere_;
  Program program_;
  std::vector<MeshRef> meshes_;
  std::size_t depth_ = 0;
  std::size_t step_count_ = 0;
};

}  // namespace tessera::synth
