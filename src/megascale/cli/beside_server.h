#ifndef MEGASCALE_CLI_BESIDE_SERVER_H_
#define MEGASCALE_CLI_BESIDE_SERVER_H_

#include <filesystem>

namespace megascale::cli {

// Starts `megascale serve RUN_DIR` as a process of its own, so that it takes nothing from the training
// but processor time. It ends with this process. Its link goes to the terminal of stderr; if stderr is no
// terminal, the token goes to RUN_DIR/serve-token, which only its owner may read. If it fails, it says so,
// and the training goes on. Call it on the main thread. Throws Error (io).
void start_beside_server(const std::filesystem::path& run_dir);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_BESIDE_SERVER_H_
