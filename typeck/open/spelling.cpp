#include "typeck/open/spelling.hpp"

namespace tessera::typeck {

namespace {

std::string name_of_map(synth::MapOp op) {
  struct Spelling {
    synth::MapOp op;
    const char* text;
  };
  constexpr Spelling kOperators[] = {
      {synth::MapOp::add, "+"},         {synth::MapOp::subtract, "-"},       {synth::MapOp::multiply, "*"},
      {synth::MapOp::divide, "/"},      {synth::MapOp::remainder, "%"},      {synth::MapOp::power, "**"},
      {synth::MapOp::minimum, "min"},   {synth::MapOp::maximum, "max"},      {synth::MapOp::equal, "=="},
      {synth::MapOp::not_equal, "!="},  {synth::MapOp::less, "<"},           {synth::MapOp::less_equal, "<="},
      {synth::MapOp::greater, ">"},     {synth::MapOp::greater_equal, ">="}, {synth::MapOp::logical_and, "&&"},
      {synth::MapOp::logical_or, "||"}, {synth::MapOp::logical_not, "!"},    {synth::MapOp::negate, "-"},
      {synth::MapOp::bit_and, "&"},     {synth::MapOp::bit_or, "|"},         {synth::MapOp::bit_xor, "^"},
      {synth::MapOp::bit_not, "~"},     {synth::MapOp::shift_left, "<<"},    {synth::MapOp::shift_right, ">>"},
      {synth::MapOp::select, "where"},  {synth::MapOp::cast, "a cast"},      {synth::MapOp::copy, "broadcast"}};
  for (const Spelling& one : kOperators) {
    if (one.op == op) return one.text;
  }
  return std::string(name(op));
}

std::string name_of_matrix(synth::MatrixOp op) {
  switch (op) {
    case synth::MatrixOp::cholesky: return "`cholesky`";
    case synth::MatrixOp::solve: return "`solve`";
    case synth::MatrixOp::solve_lower:
    case synth::MatrixOp::solve_upper: return "`solve_triangular`";
    case synth::MatrixOp::determinant: return "`det`";
    case synth::MatrixOp::factor_qr: return "`qr`";
    case synth::MatrixOp::eigen: return "`eigh`";
    case synth::MatrixOp::singular: return "`svd`";
  }
  return "";
}

std::string_view fourier_name(synth::FourierKind kind) {
  switch (kind) {
    case synth::FourierKind::forward: return "fft";
    case synth::FourierKind::inverse: return "ifft";
    case synth::FourierKind::forward_real: return "rfft";
    case synth::FourierKind::inverse_real: return "irfft";
  }
  return "";
}

}  // namespace

std::string spelling(const synth::Operation& operation) {
  if (const auto* map = std::get_if<synth::Map>(&operation)) {
    const std::string text = name_of_map(map->op);
    return map->op == synth::MapOp::cast ? text : "`" + text + "`";
  }
  if (const auto* reduce = std::get_if<synth::Reduce>(&operation))
    return reduce->kind == synth::ReduceKind::product ? "`prod`" : "`" + std::string(name(reduce->kind)) + "`";
  if (const auto* arg = std::get_if<synth::ArgReduce>(&operation)) return arg->max ? "`argmax`" : "`argmin`";
  if (const auto* find = std::get_if<synth::Find>(&operation)) return find->max ? "`argmax`" : "`argmin`";
  if (const auto* sort = std::get_if<synth::Sort>(&operation)) return sort->positions ? "`argsort`" : "`sort`";
  if (const auto* greatest = std::get_if<synth::Greatest>(&operation))
    return greatest->positions ? "`argtopk`" : "`topk`";
  if (const auto* some = std::get_if<synth::Candidates>(&operation)) return some->positions ? "`argtopk`" : "`topk`";
  if (const auto* matrix = std::get_if<synth::MatrixFunction>(&operation)) return name_of_matrix(matrix->op);
  if (const auto* fourier = std::get_if<synth::Fourier>(&operation))
    return "`" + std::string(fourier_name(fourier->kind)) + "`";
  if (std::holds_alternative<synth::Contract>(operation)) return "a product";
  if (std::holds_alternative<synth::Assemble>(operation) || std::holds_alternative<synth::Lay>(operation))
    return "a part";
  return "`" + std::string(name(operation)) + "`";
}

std::string spelling(const open::Operation& operation) {
  if (const auto* own = std::get_if<synth::Operation>(&operation)) return spelling(*own);
  if (std::holds_alternative<open::Product>(operation)) return "a product";
  if (std::holds_alternative<open::Broadcast>(operation)) return "`broadcast`";
  if (std::holds_alternative<open::Sum>(operation) || std::holds_alternative<open::Both>(operation)) return "`+`";
  return "a part";
}

}  // namespace tessera::typeck
