// Rows of a table that is split by rows: a take leaves a sum over its devices, or each device fetches the rows that its
// ids name; and the way back, by which rows are added to those that ids name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

class FetchingRule {
 public:
  FetchingRule(Greedy& greedy, Reports& reports, const std::string& who, base::Span span)
      : greedy_(greedy), plans_(greedy.plans()), reports_(reports), who_(who), span_(span) {}

  // The layouts in which rows are fetched, where that takes less than the sum in these layouts, all in all; the sum's
  // otherwise. Nothing if something is wrong, which was reported.
  std::optional<NodeLayouts> rows(const std::vector<Operand>& operands, NodeLayouts sum, const Want& want) const;
  // Where rows are added up into those of a table that is wanted in some layout: a sum of the whole table in these
  // layouts, or each device is given what is added to the rows that it has there, or all that is added; whatever takes
  // the least.
  std::optional<NodeLayouts> added(const std::vector<Operand>& operands, NodeLayouts sum, const Want& want) const;

 private:
  struct Fetch {
    synth::ArrayType ids;
    synth::ArrayType result;
    Alternative price = {};
  };
  std::optional<Alternative> price_of_sum(const std::vector<Operand>& operands, const NodeLayouts& sum,
                                          const Want& want) const;
  std::vector<Fetch> ways(const synth::ArrayType& table, const synth::ArrayType& ids, const Want& want) const;
  struct Added {
    synth::ArrayType rows, ids, result;
    Alternative price = {};
  };
  std::vector<Added> ways_to_add(const synth::ArrayType& rows, const synth::ArrayType& ids,
                                 const synth::ArrayType& result, const synth::AxisList& wanted) const;
  static std::vector<Added> ways_along(const synth::ArrayType& rows, const synth::ArrayType& ids,
                                       const synth::ArrayType& result, const synth::Layout& wanted);
  bool add_price_of(Added& way, const synth::ArrayType& rows, const synth::ArrayType& ids, const Want& want) const;
  bool add_price_of(Fetch& fetch, const synth::ArrayType& table, const synth::ArrayType& ids, const Want& want) const;

  Greedy& greedy_;
  Plans& plans_;
  Reports& reports_;
  const std::string& who_;
  base::Span span_;
};

// What a scatter_add delivers, at most; 0 if it leaves a sum. Throws InternalError likewise.
std::int64_t bytes_of_deliveries(const synth::ArrayType& rows, const synth::ArrayType& ids,
                                 const synth::ArrayType& result);
// What a take receives by request, at most; 0 if it leaves a sum. Throws InternalError where the verifier refuses whom
// devices ask.
std::int64_t bytes_of_requests(const synth::ArrayType& table, const synth::ArrayType& ids,
                               const synth::ArrayType& result);

}  // namespace tessera::typeck
