#include "megascale/cuda/sensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace megascale::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Sensors, ReadWhatTheLibrarySays) {
  const Sensors sensors("0000:0A:00.0", MEGASCALE_FAKE_NVML);
  ASSERT_EQ(sensors.why_not(), "");
  EXPECT_EQ(sensors.sm_mhz_max(), 1980);
  const SensorReading reading = sensors.read();
  EXPECT_GE(reading.sm_mhz, 1700);
  EXPECT_LE(reading.sm_mhz, 1720);
  EXPECT_EQ(reading.memory_mhz, 2619);
  EXPECT_EQ(reading.celsius, 61);
  EXPECT_EQ(reading.watts, 655.5);
  EXPECT_EQ(reading.limits, 0x4);
}

TEST(Sensors, WhatADeviceDoesNotKnowIsAbsent) {
  const Sensors sensors("0000:0B:00.0", MEGASCALE_FAKE_NVML);
  ASSERT_EQ(sensors.why_not(), "");
  const SensorReading reading = sensors.read();
  EXPECT_EQ(reading.celsius, 61);
  EXPECT_FALSE(reading.watts);
  EXPECT_FALSE(reading.limits);
  const std::string text = describe(summarize(sensors, std::vector{reading}));
  EXPECT_THAT(text, HasSubstr("power not known, temperature 61 C; limits of the clocks not known"));
}

TEST(Sensors, SayWhyNothingIsKnown) {
  const Sensors no_device("0000:0C:00.0", MEGASCALE_FAKE_NVML);
  EXPECT_EQ(no_device.why_not(), "NVML: device 0000:0C:00.0: Not Found");
  EXPECT_FALSE(no_device.read().sm_mhz);
  EXPECT_FALSE(no_device.sm_mhz_max());
  EXPECT_EQ(describe(summarize(no_device, std::vector{no_device.read()})),
            "clocks, power and temperature not known: NVML: device 0000:0C:00.0: Not Found");

  const Sensors no_library("0000:0A:00.0", "libnothing-of-this-name.so.1");
  EXPECT_THAT(no_library.why_not(), HasSubstr("libnothing-of-this-name.so.1"));
  EXPECT_FALSE(no_library.read().celsius);

  const Sensors another_library("0000:0A:00.0", "libm.so.6");
  EXPECT_EQ(another_library.why_not(), "libm.so.6 does not have the functions of NVML");
}

TEST(Sensors, AMeasurementHasMediansRangesAndAllLimits) {
  const Sensors sensors("0000:0A:00.0", MEGASCALE_FAKE_NVML);
  const std::vector<SensorReading> readings{
      {.sm_mhz = 1980, .memory_mhz = 2619, .celsius = 40, .watts = 120.2, .limits = 0x40},
      {.sm_mhz = 1755, .memory_mhz = 2619, .celsius = 62, .watts = 690, .limits = 0x4},
      {.sm_mhz = 1740, .memory_mhz = 2619, .celsius = 61, .limits = 0}};
  const SensorSummary summary = summarize(sensors, readings);
  EXPECT_EQ(summary.readings, 3U);
  ASSERT_TRUE(summary.sm_mhz && summary.watts && summary.limits);
  EXPECT_EQ(summary.sm_mhz->median, 1755);
  EXPECT_EQ(summary.sm_mhz->min, 1740);
  EXPECT_EQ(summary.sm_mhz->max, 1980);
  EXPECT_EQ(summary.watts->min, 120.2) << "of those that are known";
  EXPECT_THAT(*summary.limits, ElementsAre("power cap", "thermal slowdown (hardware)"));
  EXPECT_EQ(describe(summary),
            "SM clock 1755 MHz (1740 to 1980) of at most 1980, memory clock 2619 MHz, power 690 W "
            "(120 to 690), temperature 61 C (40 to 62); clocks limited by: power cap, "
            "thermal slowdown (hardware)");
}

TEST(Sensors, LimitsInWords) {
  EXPECT_TRUE(limits_in_words(0).empty());
  EXPECT_THAT(limits_in_words(0x1 | 0x80 | 0x400),
              ElementsAre("idle device", "power brake", "NVML reason bit 10"));
}

}  // namespace
}  // namespace megascale::cuda
