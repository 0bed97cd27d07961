// The errors of the agent room.
#pragma once

#include <string_view>

namespace seamark::agent {

enum class AgentError {
  kInterpreterMissing = 1,  // no such file, or not executable
  kStartFailed = 2,         // could not be spawned, or ended before it answered
  kProtocol = 3,            // said something that the wire does not allow
  kFailed = 4,              // a one-shot command ended with another status than 0
  kTimeout = 5,             // a one-shot command did not end in time
  kBadOutput = 6,           // a one-shot command printed something that is no answer
  kInterrupted = 7,
};
constexpr std::string_view room_of(AgentError) { return "agent"; }

}  // namespace seamark::agent
