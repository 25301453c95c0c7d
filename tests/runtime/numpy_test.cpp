// .npy files to and from NumPy itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/io/npy.hpp"
#include "runtime/kernels/copy.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

const std::vector<Shape> kShapes = {Shape{}, Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 3, 4}, Shape{0, 3}};
const FilePolicy kAnyFile = {FilePolicy::Kind::allowed, ""};

// The arrays of numpy_check.py.
template <class T>
Array<T> wanted(const Shape& shape) {
  Array<T> array(shape);
  for (std::int64_t i = 0; i < array.size(); ++i) array.data()[i] = static_cast<T>(3 * i - 5);
  return array;
}

template <class T>
void expect_loads(const Folder& folder) {
  for (std::size_t number = 0; number < kShapes.size(); ++number) {
    const Array<T> array = wanted<T>(kShapes[number]);
    for (const char* rest : {"C-0-1", "C-0-2", "C-0-3", "C-1-1", "F-0-1", "F-1-1", "F-1-3"}) {
      const std::string name = fmt::format("{}-{}-{}.npy", synth::name(element_of<T>()), number, rest);
      const auto reader = NpyReader::open(kAnyFile, folder / name, element_of<T>(), array.shape);
      ASSERT_TRUE(reader.ok()) << reader.errors()[0].message;
      Array<T> loaded(array.shape);
      ASSERT_TRUE(reader->read(synth::whole(array.shape), loaded.out()).ok());
      EXPECT_EQ(loaded.bytes, array.bytes) << name;
    }
  }
}

TEST(Numpy, ItsFilesLoad) {
  if (!has_numpy()) GTEST_SKIP() << "no NumPy";
  const Folder folder;
  ASSERT_TRUE(run_python("numpy_check.py", "make " + folder.path().string()));
  expect_loads<bool>(folder);
  expect_loads<std::int32_t>(folder);
  expect_loads<std::int64_t>(folder);
  expect_loads<float>(folder);
  expect_loads<double>(folder);
}

template <class T>
void save_all(const Folder& folder) {
  for (std::size_t number = 0; number < kShapes.size(); ++number) {
    const Array<T> array = wanted<T>(kShapes[number]);
    const std::string name = fmt::format("{}-{}.npy", synth::name(element_of<T>()), number);
    const auto fill = [&](const synth::Box& box, const TileOut& out) {
      Shape begin;
      for (const synth::Interval& interval : box) begin.push_back(interval.begin);
      copy_elements(part_of(array.view(), begin, out.shape), out);
    };
    ASSERT_TRUE(save_npy(kAnyFile, folder / name, element_of<T>(), array.shape, fill).ok());
  }
}

TEST(Numpy, OurFilesAreItsOwn) {
  if (!has_numpy()) GTEST_SKIP() << "no NumPy";
  const Folder folder;
  save_all<bool>(folder);
  save_all<std::int32_t>(folder);
  save_all<std::int64_t>(folder);
  save_all<float>(folder);
  save_all<double>(folder);
  EXPECT_TRUE(run_python("numpy_check.py", "check " + folder.path().string()));
}

}  // namespace
}  // namespace tessera::runtime::test
