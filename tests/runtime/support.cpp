#include "tests/runtime/support.hpp"

#include <rapidcheck.h>
#include <unistd.h>

#include <algorithm>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "synth/layout/place_matrix.hpp"

namespace tessera::runtime::test {

void for_indices(const Shape& shape, const std::function<void(const Shape&)>& f) {
  Shape index(shape.size());
  for (std::int64_t left = count(shape); left > 0; --left) {
    f(index);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
}

std::int64_t position(const Shape& shape, const Shape& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

synth::MeshRef mesh_of(std::string_view text) {
  if (text.empty()) return synth::Mesh::single_device();
  auto mesh = synth::parse_mesh(text);
  EXPECT_TRUE(mesh.ok()) << text;
  return *mesh;
}

synth::ArrayType type_of(std::string_view text, const synth::MeshRef& mesh) {
  auto type = synth::parse_array_type(text, mesh);
  EXPECT_TRUE(type.ok()) << text << ": " << (type.ok() ? "" : type.errors()[0].message);
  return *type;
}

RegisterId Builder::input(const synth::ArrayType& type) {
  const RegisterId id = reg(type);
  program_.inputs.push_back(id);
  return id;
}

RegisterId Builder::apply(synth::Operation operation, std::vector<RegisterId> operands, const synth::ArrayType& type) {
  const RegisterId result = reg(type);
  add(synth::Apply{std::move(operation), std::move(operands), {result}});
  return result;
}

void Builder::effect(synth::Operation operation, std::vector<RegisterId> operands) {
  add(synth::Apply{std::move(operation), std::move(operands), {}});
}

void Builder::add(decltype(synth::Step::node) node) {
  (body_ == nullptr ? program_.body : *body_).push_back(synth::Step{++origin_, std::move(node)});
}

namespace {

// What the collective says is found from the types: exchange and permute name the target, the others the axes that
// differ.
synth::Effect effect_of(synth::CollectiveKind kind, const synth::Layout& before, const synth::ArrayType& target) {
  const synth::Layout& after = target.layout();
  synth::AxisMove moved;
  for (std::size_t d = 0; d < before.rank(); ++d) {
    const auto& had = before.split(d);
    const auto& has = after.split(d);
    if (had.size() < has.size()) {
      moved.to = d;
      moved.axes.assign(has.begin() + static_cast<std::ptrdiff_t>(had.size()), has.end());
    }
    if (had.size() > has.size()) {
      moved.from = d;
      moved.axes.assign(had.begin() + static_cast<std::ptrdiff_t>(has.size()), had.end());
    }
  }
  switch (kind) {
    case synth::CollectiveKind::slice: return synth::Slice{{synth::AxesAt{moved.axes, moved.to}}};
    case synth::CollectiveKind::all_gather: return synth::AllGather{{synth::AxesAt{moved.axes, moved.from}}};
    case synth::CollectiveKind::all_to_all: return synth::AllToAll{{moved}};
    case synth::CollectiveKind::permute: return synth::Permute{target};
    case synth::CollectiveKind::exchange:
    case synth::CollectiveKind::relay: return synth::Exchange{target};
    case synth::CollectiveKind::reduce_scatter: return synth::ReduceScatter{moved.axes, moved.to};
    case synth::CollectiveKind::all_reduce: return synth::AllReduce{before.pending()};
    case synth::CollectiveKind::keep: return synth::Keep{after.pending(), after.reduce()};
  }
  return {};
}

}  // namespace

RegisterId Builder::collect(synth::CollectiveKind kind, RegisterId from, const synth::ArrayType& target) {
  const synth::Effect effect = effect_of(kind, program_.registers[from].layout(), target);
  return apply(synth::Collect{{effect, synth::Direct{}}, 1}, {from}, target);
}

Recorder::Recorder() {
  world.output = [this](std::string_view text) { written += text; };
}

Outcome run_well(const synth::Program& program, const std::vector<Value>& inputs) {
  auto outcome = run(program, inputs, World{});
  EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.errors()[0].message);
  return outcome.ok() ? std::move(*outcome) : Outcome{};
}

base::Diagnostic run_badly(const synth::Program& program, const std::vector<Value>& inputs) {
  auto outcome = run(program, inputs, World{});
  EXPECT_FALSE(outcome.ok());
  return outcome.ok() ? base::make(base::Kind::internal, std::string("it ran")) : outcome.errors()[0];
}

synth::MeshRef random_mesh() {
  std::vector<synth::MeshAxis> axes;
  std::int64_t devices = 1;
  for (const char* name : {"x", "y", "z"}) {
    const auto size = *rc::gen::inRange<std::int64_t>(1, 5);
    if (devices * size > 12) break;
    devices *= size;
    axes.push_back({name, size});
  }
  if (*rc::gen::inRange(0, 4) != 0) return *synth::Mesh::make(axes);
  synth::PlaceMatrix matrix;
  for (const synth::MeshAxis& axis : axes) {
    const std::int64_t outer = axis.size % 2 == 0 ? 2 : 1;
    const bool is_outside = *rc::gen::arbitrary<bool>();
    matrix.rows.push_back({is_outside ? outer : axis.size / outer, is_outside ? axis.size / outer : outer});
  }
  return *synth::Mesh::placed(axes, matrix);
}

synth::ArrayType random_type(ElementType element, const Shape& shape, const synth::MeshRef& mesh, Pending pending) {
  std::vector<synth::AxisList> splits(shape.size());
  synth::AxisList sums;
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < mesh->axes().size(); ++axis) {
    axes.insert(axes.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(axis) + 1), axis);
  }
  for (const std::size_t axis : axes) {
    const auto where = *rc::gen::inRange<std::size_t>(0, shape.size() + 2);
    if (where < shape.size())
      splits[where].push_back(synth::whole_axis(*mesh, axis));
    else if (where == shape.size() && pending == Pending::perhaps)
      sums.push_back(synth::whole_axis(*mesh, axis));
  }
  return *synth::ArrayType::make(element, shape, mesh, *synth::Layout::make(*mesh, splits, sums));
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "tessera-runtime-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  path_ = std::filesystem::canonical(name);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

bool run_python(const std::string& script, const std::string& arguments) {
  const std::string path = std::string(TESSERA_SOURCE_DIR) + "/tests/runtime/" + script;
  return std::system((std::string(TESSERA_PYTHON) + " " + path + " " + arguments).c_str()) == 0;
}

bool has_numpy() {
  static const bool found = std::system(TESSERA_PYTHON " -c 'import numpy' >/dev/null 2>&1") == 0;
  return found;
}

}  // namespace tessera::runtime::test
