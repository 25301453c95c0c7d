// tessera.h: how its structs begin, and limits that are none.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "tessera/tessera.h"

namespace {

tessera_status created(const tessera_config& config, std::string& message) {
  tessera_session* session = nullptr;
  tessera_failure* why = nullptr;
  const tessera_status status = tessera_session_create(&config, &session, &why);
  tessera_diagnostic first = TESSERA_DIAGNOSTIC_INIT;
  if (tessera_failure_at(why, 0, &first) == TESSERA_DONE) message.assign(first.message.data, first.message.length);
  tessera_failure_destroy(why);
  tessera_session_destroy(session);
  return status;
}

TEST(CInterface, StructsBeginWithZerosAndTheirSize) {
  tessera_config config = TESSERA_CONFIG_INIT;
  tessera_config zeros;
  std::memset(&zeros, 0, sizeof zeros);
  zeros.size = sizeof zeros;
  EXPECT_EQ(config.size, sizeof config);
  EXPECT_EQ(config.files, TESSERA_FILES_NONE);
  EXPECT_EQ(config.seconds_max, 0);
  std::string message;
  EXPECT_EQ(created(config, message), TESSERA_DONE) << message;
  EXPECT_EQ(created(zeros, message), TESSERA_DONE) << message;
}

TEST(CInterface, RefusesLimitsThatAreNone) {
  for (const double seconds : {-1.0, std::nan("")}) {
    tessera_config config = TESSERA_CONFIG_INIT;
    config.seconds_max = seconds;
    std::string message;
    EXPECT_EQ(created(config, message), TESSERA_COMMAND);
    EXPECT_NE(message.find("seconds_max"), std::string::npos) << message;
  }
  for (std::int64_t tessera_config::* member :
       {&tessera_config::memory_bytes_max, &tessera_config::text_bytes_max, &tessera_config::nesting_max,
        &tessera_config::devices_max, &tessera_config::steps_max, &tessera_config::output_bytes_max}) {
    tessera_config config = TESSERA_CONFIG_INIT;
    config.*member = -1;
    std::string message;
    EXPECT_EQ(created(config, message), TESSERA_COMMAND);
    EXPECT_NE(message.find("no limit"), std::string::npos) << message;
  }
}

}  // namespace
