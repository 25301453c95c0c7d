// Pipelines of generated programs: through the meshes there and back, beside the loops that they are.
#include "tests/generator/pipelines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tessera::generator {

namespace {

constexpr std::array kSchedules = {"gpipe", "gpipe+late", "1f1b", "1f1b+late", "eager-1f1b", "eager-1f1b+late", "auto"};

// The extents of the arrays that go through a pipeline.
struct MicrobatchShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

class PipelineWriter {
 public:
  PipelineWriter(Random& random, const std::vector<NamedMesh>& meshes, int number)
      : random_(random),
        meshes_(meshes),
        own_(number),
        count_(random.pick(std::array<std::int64_t, 6>{0, 1, 2, 3, 5, 8})),
        shape_{random.between(1, 6), random.between(1, 6)} {}

  std::string text() {
    choose_way();
    std::string given = prelude();
    const std::string steps = body();
    const std::string carried = initial();
    const std::string pipeline = fmt::format("p{}_", own_);
    const std::string loop = fmt::format("l{}_", own_);
    given += fmt::format("let {} = loop {} for i < {} {{\n{}}}\n", names(loop), carried, count_, steps);
    given += fmt::format("let {} = pipeline {} for i < {} by \"{}\" {{\n{}}}\n", names(pipeline), carried, count_,
                         random_.pick(kSchedules), steps);
    for (std::size_t k = 0; k < way_.size(); ++k) given += same(pipeline, loop, k);
    return given;
  }

 private:
  // Each mesh at most once forward; half of the time back again, so that meshes have two visits.
  void choose_way() {
    const std::int64_t stages = random_.between(1, static_cast<std::int64_t>(meshes_.size()));
    std::vector<NamedMesh> left = meshes_;
    for (std::int64_t k = 0; k < stages; ++k) {
      const std::size_t chosen = random_.index(left);
      way_.push_back(left[chosen]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    if (!random_.chance(60)) return;
    for (std::size_t k = way_.size() - 1; k > 0; --k) way_.push_back(way_[k - 1]);
  }

  // Each axis splits a dimension, or none.
  std::string type(const NamedMesh& mesh) {
    std::array<std::vector<std::string>, 2> splits;
    for (const std::string& axis : mesh.axes) {
      if (random_.chance(60)) splits[random_.index(splits)].push_back(axis);
    }
    std::vector<std::string> dimensions = {std::to_string(shape_.rows), std::to_string(shape_.columns)};
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      if (!splits[d].empty()) dimensions[d] += fmt::format("@({})", fmt::join(splits[d], ", "));
    }
    return fmt::format("[{}] on {}", fmt::join(dimensions, ", "), mesh.name);
  }

  // The values that all microbatches read: their inputs, and weights of each visit.
  std::string prelude() {
    std::string text =
        fmt::format("let t{} = random(f32[{}, {}, {}] on {}, {})\n", own_, std::max<std::int64_t>(count_, 1),
                    shape_.rows, shape_.columns, way_[0].name, random_.below(100));
    for (std::size_t k = 0; k < way_.size(); ++k) {
      types_.push_back(type(way_[k]));
      text += fmt::format("let w{}_{} = random(f32{}, {})\n", own_, k, types_[k], random_.below(100));
    }
    return text;
  }

  std::string body() {
    std::string text = fmt::format("  let h0 = t{}[i] as {}\n", own_, type(way_[0]));
    std::vector<std::string> next;
    for (std::size_t k = 0; k < way_.size(); ++k) {
      if (k > 0) text += fmt::format("  let h{} = y{} as {}\n", k, k - 1, type(way_[k]));
      text += fmt::format("  let y{} = {}\n", k, work(k));
      // A value that an earlier visit of this mesh has kept is read here, by a rest.
      const std::string kept = earlier(k);
      next.push_back(fmt::format("(c{0} + y{0}{1}) as {2}", k, kept.empty() ? "" : " * " + kept, types_[k]));
    }
    return text + fmt::format("  ({})\n", fmt::join(next, ", "));
  }
  std::string work(std::size_t k) {
    switch (random_.below(4)) {
      case 0: return fmt::format("relu(h{0} - w{1}_{0})", k, own_);
      case 1: return product(k);
      case 2: return fmt::format("h{0} * w{1}_{0} + f32(i) * 0.5", k, own_);
      default: return fmt::format("h{0} + sum(h{0} * w{1}_{0}) * 0.25", k, own_);
    }
  }
  // A product with whole weights: so no axis can split two dimensions of the result.
  std::string product(std::size_t k) const {
    const std::string whole =
        fmt::format("(w{}_{} as [{}, {}] on {})", own_, k, shape_.rows, shape_.columns, way_[k].name);
    return fmt::format("(h{0} @ transpose({1})) @ {1} * 0.125", k, whole);
  }
  std::string earlier(std::size_t k) const {
    for (std::size_t before = 0; before < k; ++before) {
      if (way_[before].name == way_[k].name) return fmt::format("h{}", before);
    }
    return "";
  }

  std::string initial() const {
    std::vector<std::string> all;
    for (std::size_t k = 0; k < way_.size(); ++k) all.push_back(fmt::format("c{} = zeros(f32{})", k, types_[k]));
    return fmt::format("{}", fmt::join(all, ", "));
  }
  std::string names(const std::string& prefix) const {
    std::vector<std::string> all;
    for (std::size_t k = 0; k < way_.size(); ++k) all.push_back(fmt::format("{}{}", prefix, k));
    return all.size() == 1 ? all[0] : fmt::format("({})", fmt::join(all, ", "));
  }
  static std::string same(const std::string& a, const std::string& b, std::size_t k) {
    return fmt::format("assert all({0}{2} == {1}{2}), \"the pipeline is the loop\"\n", a, b, k);
  }

  Random& random_;
  const std::vector<NamedMesh>& meshes_;
  int own_;  // tells names apart
  std::int64_t count_;
  MicrobatchShape shape_;
  std::vector<NamedMesh> way_;
  std::vector<std::string> types_;  // of what each visit carries
};

}  // namespace

std::string pipeline_text(Random& random, const std::vector<NamedMesh>& meshes, int number) {
  return PipelineWriter(random, meshes, number).text();
}

}  // namespace tessera::generator
