#include "synth/layout/axis_parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/sorted.hpp"

namespace tessera::synth {

namespace {

bool same_digits(const AxisPart& a, const AxisPart& b) {
  return a.axis == b.axis && a.before == b.before && a.size == b.size;
}

bool continues(const AxisPart& major, const AxisPart& minor) {
  return major.axis == minor.axis && end_of(major) == minor.before;
}

// The boundaries of the parts of one axis, ascending; nothing unless each divides the next.
std::optional<std::vector<std::int64_t>> boundaries(std::uint8_t axis, const AxisList& first, const AxisList& second) {
  std::vector<std::int64_t> all;
  for (const AxisList* list : {&first, &second}) {
    for (const AxisPart& part : *list) {
      if (part.axis == axis) all.insert(all.end(), {part.before, end_of(part)});
    }
  }
  base::keep_one_of_each(all);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] % all[i - 1] != 0) return std::nullopt;
  }
  return all;
}

void append_cut(const AxisPart& part, const std::vector<std::int64_t>& at, AxisList& out) {
  if (part.cut != 0) {
    out.push_back(part);
    return;
  }
  std::int64_t before = part.before;
  for (const std::int64_t boundary : at) {
    if (boundary <= before || boundary > end_of(part)) continue;
    out.push_back(AxisPart{part.axis, before, boundary / before});
    before = boundary;
  }
}

// Both sets cut at each other's boundaries.
std::optional<std::pair<AxisList, AxisList>> cut_alike(const AxisList& first, const AxisList& second) {
  std::pair<AxisList, AxisList> result;
  for (const auto& [list, out] : {std::pair{&first, &result.first}, std::pair{&second, &result.second}}) {
    for (const AxisPart& part : *list) {
      const auto at = boundaries(part.axis, first, second);
      if (!at) return std::nullopt;
      append_cut(part, *at, *out);
    }
  }
  return result;
}

AxisList difference(const AxisList& a, const AxisList& b) {
  AxisList left;
  for (const AxisPart& part : a) {
    const auto same = [&](const AxisPart& other) { return same_digits(part, other); };
    if (std::none_of(b.begin(), b.end(), same)) left.push_back(part);
  }
  return left;
}

// `part` taken out of the one part of the set that holds it.
bool take_out(AxisList& set, const AxisPart& part) {
  const auto holder = std::find_if(set.begin(), set.end(), [&](const AxisPart& p) {
    return p.axis == part.axis && part.before % p.before == 0 && end_of(p) % end_of(part) == 0;
  });
  if (holder == set.end()) return false;
  const AxisPart whole = *holder;
  set.erase(holder);
  set.push_back(AxisPart{whole.axis, whole.before, part.before / whole.before});
  set.push_back(AxisPart{whole.axis, end_of(part), end_of(whole) / end_of(part)});
  return true;
}

}  // namespace

bool exists(const Mesh& mesh, const AxisPart& part) {
  if (part.axis >= mesh.axes().size() || part.before < 1 || part.size < 1) return false;
  const std::int64_t whole = mesh.axes()[part.axis].size;
  if (part.before > whole || part.size > whole || whole % end_of(part) != 0) return false;
  return part.cut == 0 || (part.size == whole && part.cut <= mesh.axes()[part.axis].cuts.size());
}

AxisList canonical(AxisList axes) {
  std::size_t kept = 0;
  for (const AxisPart part : axes) {
    if (part.size == 1) continue;
    if (kept > 0 && continues(axes[kept - 1], part)) {
      axes[kept - 1].size *= part.size;
    } else {
      axes[kept++] = part;
    }
  }
  axes.resize(kept);
  return axes;
}

AxisList canonical_set(AxisList axes) {
  std::sort(axes.begin(), axes.end());
  return canonical(std::move(axes));
}

bool same_axes(const AxisList& a, const AxisList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_digits);
}

AxisList concatenated(const AxisList& major, const AxisList& minor) {
  AxisList all = major;
  all.insert(all.end(), minor.begin(), minor.end());
  return canonical(std::move(all));
}

std::optional<AxisList> without_trailing(const AxisList& axes, const AxisList& trailing) {
  AxisList rest = canonical(axes);
  AxisList leaving = canonical(trailing);
  while (!leaving.empty()) {
    if (rest.empty()) return std::nullopt;
    AxisPart& last = rest.back();
    const AxisPart gone = leaving.back();
    if (last.axis != gone.axis || end_of(last) != end_of(gone) || last.size % gone.size != 0) return std::nullopt;
    if (last.cut != 0 && last.size != gone.size) return std::nullopt;
    last.size /= gone.size;
    if (last.size == 1) rest.pop_back();
    leaving.pop_back();
  }
  return rest;
}

std::optional<AxisList> without_leading(const AxisList& longer, const AxisList& leading) {
  const AxisList shared = common_leading(longer, leading);
  if (shared != canonical(leading)) return std::nullopt;
  AxisList rest = canonical(longer);
  if (shared.empty()) return rest;
  AxisPart& first = rest[shared.size() - 1];
  first = AxisPart{first.axis, end_of(shared.back()), first.size / shared.back().size};
  rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(shared.size() - 1));
  return canonical(std::move(rest));
}

AxisList common_leading(const AxisList& a, const AxisList& b) {
  const AxisList first = canonical(a);
  const AxisList second = canonical(b);
  AxisList shared;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (first[i].axis != second[i].axis || first[i].before != second[i].before || first[i].cut != second[i].cut) break;
    const std::int64_t size = std::gcd(first[i].size, second[i].size);
    if (size > 1) shared.push_back(AxisPart{first[i].axis, first[i].before, size, first[i].cut});
    if (first[i].size != second[i].size) break;
  }
  return shared;
}

std::optional<AxisList> without(const AxisList& set, const AxisList& subset) {
  AxisList rest = canonical_set(set);
  for (const AxisPart& part : canonical_set(subset)) {
    if (!take_out(rest, part)) return std::nullopt;
  }
  return canonical_set(rest);
}

std::optional<SetsCompared> compare_sets(const AxisList& first, const AxisList& second) {
  const auto cut = cut_alike(first, second);
  if (!cut) return std::nullopt;
  SetsCompared result;
  result.only_first = difference(cut->first, cut->second);
  result.only_second = difference(cut->second, cut->first);
  result.common = canonical_set(difference(cut->first, result.only_first));
  result.only_first = canonical_set(std::move(result.only_first));
  result.only_second = canonical_set(std::move(result.only_second));
  return result;
}

std::optional<AxisList> shared_in_order(const AxisList& list, const AxisList& set) {
  const auto cut = cut_alike(list, set);
  if (!cut) return std::nullopt;
  return canonical(difference(cut->first, difference(cut->first, cut->second)));
}

AxisList unused(const Mesh& mesh, const std::vector<AxisList>& used) {
  AxisList all;
  for (const AxisList& list : used) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  AxisList free;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const auto number = static_cast<std::uint8_t>(axis);
    std::int64_t done = 1;
    for (const AxisPart& part : all) {
      if (part.axis != number) continue;
      free.push_back(AxisPart{number, done, part.before / done});
      done = end_of(part);
    }
    free.push_back(AxisPart{number, done, mesh.axes()[axis].size / done});
  }
  return canonical(free);
}

void write_positions(const Mesh& mesh, const AxisList& axes, std::span<std::int32_t> into) {
  const auto devices = static_cast<std::size_t>(mesh.devices());
  if (axes.empty()) std::fill(into.begin(), into.end(), 0);
  for (const AxisPart& part : axes) {
    const bool is_first = &part == &axes.front();
    const auto size = static_cast<std::int32_t>(part.size);
    const auto stride = static_cast<std::size_t>(mesh.stride(part.axis) * (mesh.axes()[part.axis].size / end_of(part)));
    // The digit stays for a stride, then grows by one, and begins anew after the last.
    std::int32_t digit = 0;
    for (std::size_t begin = 0; begin < devices; begin += stride) {
      const auto stay = into.subspan(begin, stride);
      if (is_first)
        std::fill(stay.begin(), stay.end(), digit);
      else
        for (std::int32_t& position : stay) position = position * size + digit;
      if (++digit == size) digit = 0;
    }
  }
  if (mesh.is_row_major()) return;
  const std::vector<std::int32_t> by_place(into.begin(), into.end());
  for (std::size_t device = 0; device < devices; ++device) {
    into[device] = by_place[static_cast<std::size_t>(mesh.place(static_cast<std::int64_t>(device)))];
  }
}

std::vector<std::int32_t> positions(const Mesh& mesh, const AxisList& axes) {
  std::vector<std::int32_t> result(static_cast<std::size_t>(mesh.devices()));
  write_positions(mesh, axes, result);
  return result;
}

std::vector<std::int64_t> place_offsets(const Mesh& mesh, const AxisList& axes) {
  std::vector<std::int64_t> offsets{0};
  for (const AxisPart& part : axes) {
    const std::int64_t stride = mesh.stride(part.axis) * (mesh.axes()[part.axis].size / end_of(part));
    std::vector<std::int64_t> finer;
    for (const std::int64_t offset : offsets) {
      for (std::int64_t digit = 0; digit < part.size; ++digit) finer.push_back(offset + digit * stride);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

}  // namespace tessera::synth
