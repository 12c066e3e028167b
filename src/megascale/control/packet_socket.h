#ifndef MEGASCALE_CONTROL_PACKET_SOCKET_H_
#define MEGASCALE_CONTROL_PACKET_SOCKET_H_

#include <string>
#include <string_view>
#include <utility>

#include "megascale/base/files.h"

// A pair of connected sockets between two processes of this host, which carry whole messages. They
// have no name, so no third process can connect.
namespace megascale::control {

// Throws Error (io). Both ends are closed by execve().
[[nodiscard]] std::pair<FileHandle, FileHandle> make_packet_sockets();

enum class Received { message, nothing, closed };
// Receives a message without waiting.
[[nodiscard]] Received receive_packet(const FileHandle& socket, std::string& message);
// Sends a message. Returns false if the other end is closed, or if the message is larger than the
// socket's buffer or does not fit in at once.
[[nodiscard]] bool send_packet(const FileHandle& socket, std::string_view message);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_PACKET_SOCKET_H_
