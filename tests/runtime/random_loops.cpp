#include "tests/runtime/random_loops.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::runtime::test {

namespace {

using synth::MapOp;
using synth::test::Random;
using OpKind = LoopOp::Kind;

constexpr std::int64_t kRows = 6;
constexpr std::int64_t kColumns = 5;

// ---- Making them up ----

// The latest arrays are wanted most.
std::size_t any_number(Random& random) { return random.coin() ? 0 : random.below(4); }

LoopOps random_ops(Random& random, std::size_t depth);

LoopOp random_op(Random& random, std::size_t depth) {
  constexpr std::size_t kKinds = static_cast<std::size_t>(OpKind::branch) + 1;
  LoopOp op;
  do {
    op.kind = static_cast<OpKind>(random.below(kKinds));
  } while (depth >= 3 && op.kind >= OpKind::loop);
  const std::size_t count = op.kind >= OpKind::loop ? 1 + random.below(3) : 2;
  for (std::size_t k = 0; k < count; ++k) {
    op.numbers.push_back(any_number(random));
    op.next.push_back(any_number(random));
  }
  if (op.kind < OpKind::loop) return op;
  op.turns = static_cast<std::int64_t>(random.below(4));
  op.body = random_ops(random, depth + 1);
  if (op.kind == OpKind::branch) op.other = random_ops(random, depth + 1);
  return op;
}

LoopOps random_ops(Random& random, std::size_t depth) {
  LoopOps ops;
  const std::size_t count = random.below(depth == 0 ? 4 : 5) + (depth == 0 ? 1 : 0);
  for (std::size_t k = 0; k < count; ++k) ops.push_back(random_op(random, depth));
  return ops;
}

// ---- Building them ----

class LoopBuilder {
 public:
  LoopBuilder(const LoopProgram& program, Turns turns) : program_(program), turns_(turns), builder_(program.mesh) {}

  synth::Program build() {
    arrays_ = {array(1), array(100)};
    row_ = builder_.number(1);
    run(program_.ops);
    RegisterId sum = arrays_[0];
    for (const RegisterId id : std::vector(arrays_.begin() + 1, arrays_.end())) sum = map(MapOp::add, sum, id);
    builder_.output(sum);
    for (std::size_t k = 0; k < std::min<std::size_t>(2, arrays_.size()); ++k) builder_.output(at(k));
    return builder_.program();
  }

 private:
  RegisterId array(std::int64_t factor) {
    return map(MapOp::multiply, builder_.apply(synth::Iota{}, {}, program_.type), builder_.number(factor));
  }
  RegisterId at(std::size_t number) const { return arrays_[arrays_.size() - 1 - number % arrays_.size()]; }
  RegisterId map(MapOp op, RegisterId a, RegisterId b) { return builder_.apply(synth::Map{op}, {a, b}, program_.type); }
  RegisterId scalar(MapOp op, RegisterId a, RegisterId b) { return builder_.apply(synth::Map{op}, {a, b}, "i64[]"); }

  void run(const LoopOps& ops) {
    for (const LoopOp& op : ops) run(op);
  }
  void run(const LoopOp& op) {
    const RegisterId a = at(op.numbers[0]);
    const RegisterId b = at(op.numbers.back());
    switch (op.kind) {
      case OpKind::add: return arrays_.push_back(map(MapOp::add, a, b));
      case OpKind::scale: return arrays_.push_back(map(MapOp::add, map(MapOp::multiply, a, builder_.number(3)), row_));
      case OpKind::spread: return arrays_.push_back(spread(a));
      case OpKind::running: return arrays_.push_back(builder_.apply(synth::Scan{1}, {a}, program_.type));
      case OpKind::lay_row: return arrays_.push_back(lay_row(a, b));
      case OpKind::put_row: return arrays_.push_back(put(a, row_of(b), {0, 2}));
      case OpKind::put_array: return arrays_.push_back(put(a, b, {0, -1}));
      case OpKind::cut:
        if (!program_.part.empty()) parts_.push_back(builder_.collect(synth::CollectiveKind::slice, a, program_.part));
        return;
      case OpKind::restore:
        if (!parts_.empty())
          arrays_.push_back(builder_.collect(synth::CollectiveKind::all_gather, parts_.back(), program_.type));
        return;
      case OpKind::loop: return turns_ == Turns::in_loops ? loop(op) : turn_by_turn(op);
      case OpKind::branch: return turns_ == Turns::in_loops ? branch(op) : one_branch(op);
    }
  }

  RegisterId spread(RegisterId a) {
    const std::string rows = column_type("");
    const RegisterId greatest = builder_.apply(synth::Reduce{synth::ReduceKind::max, {1}}, {a}, rows);
    const RegisterId column = builder_.apply(synth::Reshape{}, {greatest}, column_type(", 1"));
    return map(MapOp::subtract, a, column);
  }
  // The array's rows with something else behind them.
  std::string column_type(const std::string& behind) const {
    return program_.type.substr(0, program_.type.find(',')) + behind + "]";
  }
  // The row of this turn: there are fewer turns than rows.
  RegisterId row_of(RegisterId a) {
    synth::Assemble assemble;
    synth::Part part;
    part.operand = 0;
    part.placements = {synth::Placement{0, 1, true}, synth::Placement{}};
    assemble.parts = {part};
    return builder_.apply(assemble, {a, row_}, program_.row);
  }
  RegisterId lay_row(RegisterId a, RegisterId b) {
    const synth::Lay lay{{{0, 1, 1, 2}, {1, kColumns - 2, 2}}};
    return builder_.apply(lay, {a, row_of(b), row_}, program_.type);
  }
  struct Row {
    std::int64_t add;
    std::int32_t scalar;
  };
  RegisterId put(RegisterId base, RegisterId over, Row row) {
    synth::Assemble assemble;
    assemble.has_base = true;
    synth::Part part;
    part.operand = 1;
    part.placements = {synth::Placement{row.add, row.scalar}, synth::Placement{}};
    assemble.parts = {part};
    std::vector<RegisterId> operands = {base, over};
    if (row.scalar >= 0) operands.push_back(row_);
    return builder_.apply(assemble, operands, program_.type);
  }

  std::vector<RegisterId> chosen(const std::vector<std::size_t>& numbers) const {
    std::vector<RegisterId> ids;
    for (const std::size_t number : numbers) ids.push_back(at(number));
    return ids;
  }

  struct Around {
    std::size_t arrays, parts;
    RegisterId row;
    std::int64_t turn;
    synth::Body* body;
  };
  Around begin(synth::Body* body) {
    const Around around{arrays_.size(), parts_.size(), row_, turn_, body_};
    builder_.into(body_ = body);
    return around;
  }
  void end(const Around& around, const std::vector<RegisterId>& results) {
    arrays_.resize(around.arrays);
    parts_.resize(around.parts);
    row_ = around.row;
    turn_ = around.turn;
    builder_.into(body_ = around.body);
    arrays_.insert(arrays_.end(), results.begin(), results.end());
  }
  std::vector<RegisterId> new_arrays(std::size_t count) {
    std::vector<RegisterId> ids;
    for (std::size_t k = 0; k < count; ++k) ids.push_back(builder_.reg(program_.type));
    return ids;
  }

  void loop(const LoopOp& op) {
    synth::Repeat repeat;
    repeat.count = builder_.number(op.turns);
    repeat.index = builder_.reg("i64[]");
    repeat.initial = chosen(op.numbers);
    repeat.parameters = new_arrays(op.numbers.size());
    repeat.results = new_arrays(op.numbers.size());
    const Around around = begin(&repeat.body);
    arrays_.insert(arrays_.end(), repeat.parameters.begin(), repeat.parameters.end());
    row_ = repeat.index;
    run(op.body);
    repeat.next = chosen(op.next);
    const std::vector<RegisterId> results = repeat.results;
    end(around, {});
    builder_.add(std::move(repeat));
    arrays_.insert(arrays_.end(), results.begin(), results.end());
  }
  void turn_by_turn(const LoopOp& op) {
    std::vector<RegisterId> carried = chosen(op.numbers);
    for (std::int64_t turn = 0; turn < op.turns; ++turn) {
      const Around around = begin(body_);
      arrays_.insert(arrays_.end(), carried.begin(), carried.end());
      turn_ = turn;
      row_ = builder_.number(turn);
      run(op.body);
      carried = chosen(op.next);
      end(around, {});
    }
    arrays_.insert(arrays_.end(), carried.begin(), carried.end());
  }

  // The first branch is taken where the turn is below `turns`.
  void branch(const LoopOp& op) {
    synth::Choose choose;
    choose.condition = builder_.apply(synth::Map{MapOp::less}, {row_, builder_.number(op.turns)}, "bool[]");
    choose.results = new_arrays(op.numbers.size());
    const std::vector<RegisterId> results = choose.results;
    choose.then_results = branch_body(op.body, op.numbers, choose.then_body);
    choose.else_results = branch_body(op.other, op.next, choose.else_body);
    builder_.add(std::move(choose));
    arrays_.insert(arrays_.end(), results.begin(), results.end());
  }
  std::vector<RegisterId> branch_body(const LoopOps& ops, const std::vector<std::size_t>& numbers, synth::Body& body) {
    const Around around = begin(&body);
    run(ops);
    const std::vector<RegisterId> results = chosen(numbers);
    end(around, {});
    return results;
  }
  void one_branch(const LoopOp& op) {
    const Around around = begin(body_);
    run(turn_ < op.turns ? op.body : op.other);
    end(around, chosen(turn_ < op.turns ? op.numbers : op.next));
  }

  const LoopProgram& program_;
  Turns turns_;
  Builder builder_;
  std::vector<RegisterId> arrays_, parts_;
  RegisterId row_;         // the turn of the loop around, where it is a row's number
  std::int64_t turn_ = 1;  // the same, where turns are written out
  synth::Body* body_ = nullptr;
};

}  // namespace

LoopProgram random_loop_program(Random& random) {
  struct Lies {
    const char* mesh;
    const char* rows;
    const char* part;
  };
  constexpr Lies kAll[] = {{"", "", ""},      {"x:1", "@x", ""},      {"x:2", "", "@x"},      {"x:2", "@x", ""},
                           {"x:3", "", "@x"}, {"x:4", "@x", ""},      {"x:2, y:2", "@x", ""}, {"x:8", "", "@x"},
                           {"x:8", "@x", ""}, {"x:2, y:4", "@y", ""}, {"x:2, y:3", "", "@x"}};
  const Lies lies = kAll[random.below(std::size(kAll))];
  const auto type = [](const std::string& rows) { return fmt::format("i64[{}, {}]", rows, kColumns); };
  LoopProgram program{lies.mesh, type(fmt::format("{}{}", kRows, lies.rows)), type("1"), {}, {}};
  if (*lies.part != '\0') program.part = type(fmt::format("{}{}", kRows, lies.part));
  program.ops = random_ops(random, 0);
  LoopOp loop = random_op(random, 1);
  while (loop.kind != OpKind::loop) loop = random_op(random, 1);
  program.ops.push_back(std::move(loop));
  return program;
}

synth::Program program_of(const LoopProgram& program, Turns turns) { return LoopBuilder(program, turns).build(); }

}  // namespace tessera::runtime::test
