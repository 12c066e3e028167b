// A save that is stopped, refused or loses power at any moment leaves the newest committed
// checkpoint loadable.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "checkpoint/support.h"

namespace megascale::checkpoint {
namespace {

using testing::error_of;
using testing::holds;
using testing::Model;
using testing::says;
using testing::Scratch;

// Runs `body` in a child process and returns its wait status. No threads of this process are alive
// then.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(body());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(99);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}
bool exited(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

// The newest good one, which must load without any other having been passed over.
Opened newest_without_problems(const std::filesystem::path& directory) {
  auto opened =
      open_newest(directory, [](const Error& error) { ADD_FAILURE() << error.message(); });
  if (!opened) throw std::runtime_error("no checkpoint in " + directory.string());
  return std::move(*opened);
}

// Stops after `count` actions by calling `stop`.
ActionHook after(int count, std::function<void(Action, const std::filesystem::path&)> stop) {
  // Shared, as hooks are copied.
  return [left = std::make_shared<int>(count), stop = std::move(stop)](
             Action action, const std::filesystem::path& path) {
    if ((*left)-- == 0) stop(action, path);
  };
}

constexpr std::uint64_t kSmallShards = 400;  // several files per save

// Goal: a process killed before any of its actions loses nothing, and the next save works and
// reports what was left.
TEST(CrashTest, KilledAtEveryAction) {
  int kills = 0, committed = 0;
  for (int count = 0;; ++count) {
    SCOPED_TRACE("killed before action " + std::to_string(count));
    const Scratch scratch;
    const Model former(1), latter(2), next(3);
    // keep_last 1: the former is removed, after the commit.
    save(scratch.path(), former.state, former.pieces(), {.shard_nbytes_max = kSmallShards});
    const int status = in_child([&] {
      save(scratch.path(), latter.state, latter.pieces(),
           {.keep_last = 1,
            .shard_nbytes_max = kSmallShards,
            .before_action = after(count, [](Action, const auto&) { ::_exit(7); })});
      return 0;
    });
    const Opened newest = newest_without_problems(scratch.path());
    ASSERT_TRUE(newest.state().step == 1 ? holds(newest, former) : holds(newest, latter));
    if (exited(status, 0)) {
      EXPECT_EQ(newest.state().step, 2);
      EXPECT_TRUE(list(scratch.path()).leftovers.empty());
      break;
    }
    ASSERT_TRUE(exited(status, 7));
    ++kills;
    committed += newest.state().step == 2 ? 1 : 0;
    const auto leftovers = list(scratch.path()).leftovers;
    const SaveReport report = save(scratch.path(), next.state, next.pieces());
    EXPECT_TRUE(holds(newest_without_problems(scratch.path()), next));
    EXPECT_TRUE(list(scratch.path()).leftovers.empty());
    EXPECT_TRUE(report.notes.empty());
    for (const auto& leftover : leftovers) {
      if (!leftover.filename().string().starts_with(".partial-")) continue;
      EXPECT_NE(std::find(report.removed.begin(), report.removed.end(), leftover),
                report.removed.end())
          << leftover;
    }
  }
  EXPECT_GT(kills, 40) << "every action of the save is cut off once";
  EXPECT_GE(committed, 2) << "also those after the commit";
}

TEST(CrashTest, KilledWhileTheSameStepIsReplaced) {
  for (int count = 0;; ++count) {
    SCOPED_TRACE("killed before action " + std::to_string(count));
    const Scratch scratch;
    const Model former(1, 8), latter(1, 12);
    save(scratch.path(), former.state, former.pieces());
    const int status = in_child([&] {
      save(scratch.path(), latter.state, latter.pieces(),
           {.before_action = after(count, [](Action, const auto&) { ::_exit(7); })});
      return 0;
    });
    const Opened newest = newest_without_problems(scratch.path());
    ASSERT_TRUE(holds(newest, former) || holds(newest, latter));
    if (exited(status, 0)) {
      EXPECT_TRUE(holds(newest, latter));
      break;
    }
  }
}

// The exchange of the two may not be on the disk yet, so the old one must not go.
TEST(CrashTest, ReplacedCheckpointStaysWhenTheExchangeCannotBeMadeDurable) {
  const Scratch scratch;
  const Model former(1, 8), latter(1, 12);
  save(scratch.path(), former.state, former.pieces());
  const ActionHook hook = [&](Action action, const std::filesystem::path& path) {
    if (action == Action::sync_directory && path == scratch.path())
      throw Error(ErrorCode::io, "no");
  };
  const Error error = error_of(
      [&] { save(scratch.path(), latter.state, latter.pieces(), {.before_action = hook}); });
  EXPECT_TRUE(says(error, ErrorCode::io, {"step-00000001", "committed", "power failure"}));
  EXPECT_TRUE(holds(newest_without_problems(scratch.path()), latter));
  const auto leftovers = list(scratch.path()).leftovers;
  ASSERT_EQ(leftovers.size(), 1U);
  EXPECT_TRUE(holds(Opened(leftovers[0]), former));
}

// Goal: the same for SIGKILL at random moments, inside system calls too.  Method: a child saves
// step after step.
TEST(CrashTest, KilledAtRandomMoments) {
  const Scratch scratch;
  std::int64_t first = 1;
  const auto begin = std::chrono::steady_clock::now();
  save(scratch.path(), Model(first, 64).state, Model(first, 64).pieces());
  const std::chrono::duration<double> save_time = std::chrono::steady_clock::now() - begin;
  // Before the first save of a child is over, up to a few saves later: milliseconds, or what
  // instrumented code takes.
  std::uniform_real_distribution<double> life(std::max(0.005, 0.5 * save_time.count()),
                                              std::max(0.06, 6 * save_time.count()));
  std::mt19937 random(20);
  int interrupted = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::int64_t step = first + 1;; ++step) {
        const Model model(step, 64);
        try {
          save(scratch.path(), model.state, model.pieces(),
               {.keep_last = 2, .shard_nbytes_max = 30000});
        } catch (const std::exception& error) {
          std::fprintf(stderr, "child: %s\n", error.what());
          ::_exit(99);
        }
      }
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(life(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const Opened newest = newest_without_problems(scratch.path());
    ASSERT_GE(newest.state().step, first) << "round " << round;
    ASSERT_TRUE(holds(newest, Model(newest.state().step, 64))) << "round " << round;
    interrupted += list(scratch.path()).leftovers.empty() ? 0 : 1;
    first = newest.state().step;
  }
  EXPECT_GT(first, 1) << "saves succeed between the kills";
  EXPECT_GT(interrupted, 0) << "kills hit saves";
}

// Goal: an action that the system refuses makes an Error, leaves the former checkpoint, and leaves
// nothing behind.
TEST(CrashTest, RefusedAtEveryAction) {
  int refused = 0;
  for (int count = 0;; ++count) {
    SCOPED_TRACE("refused action " + std::to_string(count));
    const Scratch scratch;
    const Model former(1), latter(2);
    save(scratch.path(), former.state, former.pieces());
    bool hit = false, threw = false;
    SaveReport report;
    try {
      report = save(scratch.path(), latter.state, latter.pieces(),
                    {.keep_last = 1,
                     .shard_nbytes_max = kSmallShards,
                     .before_action = after(count, [&](Action, const std::filesystem::path& path) {
                       hit = true;
                       throw Error(ErrorCode::io, "cannot write " + path.string() + ": no");
                     })});
    } catch (const Error& error) {
      threw = true;
      EXPECT_TRUE(
          says(error, ErrorCode::io, {scratch.path().string(), "saving the checkpoint of step 2"}));
    }
    const Opened newest = newest_without_problems(scratch.path());
    if (!hit) {
      EXPECT_TRUE(holds(newest, latter));
      break;
    }
    ++refused;
    if (threw) {
      EXPECT_TRUE(list(scratch.path()).leftovers.empty());
      ASSERT_TRUE(newest.state().step == 1 ? holds(newest, former) : holds(newest, latter));
    } else {
      EXPECT_TRUE(holds(newest, latter));
      EXPECT_EQ(report.notes.size(), 1U) << "what failed after the commit is told";
    }
    save(scratch.path(), Model(3).state, Model(3).pieces());
    EXPECT_TRUE(holds(newest_without_problems(scratch.path()), Model(3)));
  }
  EXPECT_GT(refused, 40);
}

// What the disk holds after a power failure, at worst: bytes that were not synced are lost, and so
// are names in a directory that was not synced since. A rename may or may not be there; the worse
// is that it is, before its content.
class PowerFailure {
 public:
  explicit PowerFailure(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // To be called with the action that has just succeeded.
  void happened(Action action, const std::filesystem::path& path) {
    if (action == Action::create_file) {
      unsynced_names_[path.parent_path()].insert(path.filename());
      unsynced_bytes_.insert(path);
    } else if (action == Action::write) {
      unsynced_bytes_.insert(path);
    } else if (action == Action::sync_file) {
      unsynced_bytes_.erase(path);
    } else if (action == Action::sync_directory) {
      unsynced_names_.erase(path);
    } else if (action == Action::rename && renames_++ == 0) {
      // What was unsynced in the partial directory is so under its new name.
      const auto moved = [&](const std::filesystem::path& from) {
        return from.filename().string().starts_with(".partial-") ? path : from;
      };
      std::map<std::filesystem::path, std::set<std::filesystem::path>> names;
      for (const auto& [directory, files] : unsynced_names_) names[moved(directory)] = files;
      unsynced_names_ = names;
      std::set<std::filesystem::path> bytes;
      for (const auto& file : unsynced_bytes_)
        bytes.insert(moved(file.parent_path()) / file.filename());
      unsynced_bytes_ = bytes;
    }
  }
  // Loads from a copy as it is after the failure.
  void check(const std::function<void(const std::filesystem::path&)>& look) const {
    const Scratch copy;
    std::filesystem::copy(directory_, copy.path(), std::filesystem::copy_options::recursive);
    const auto in_copy = [&](const std::filesystem::path& path) {
      return copy.path() / path.lexically_relative(directory_);
    };
    for (const auto& file : unsynced_bytes_) {
      if (std::filesystem::exists(in_copy(file)))
        std::filesystem::resize_file(in_copy(file), std::filesystem::file_size(in_copy(file)) / 2);
    }
    for (const auto& [directory, files] : unsynced_names_) {
      for (const auto& file : files) std::filesystem::remove(in_copy(directory / file));
    }
    look(copy.path());
  }

 private:
  std::filesystem::path directory_;
  std::map<std::filesystem::path, std::set<std::filesystem::path>> unsynced_names_;
  std::set<std::filesystem::path> unsynced_bytes_;
  int renames_ = 0;
};

TEST(CrashTest, PowerFailureAfterEveryAction) {
  const Scratch scratch;
  const Model former(1), latter(2);
  save(scratch.path(), former.state, former.pieces());
  PowerFailure power(scratch.path());
  std::optional<std::pair<Action, std::filesystem::path>> last;
  std::set<std::int64_t> steps;
  const auto look = [&](const std::filesystem::path& copy) {
    const Opened newest = newest_without_problems(copy);
    EXPECT_TRUE(newest.state().step == 1 ? holds(newest, former) : holds(newest, latter));
    steps.insert(newest.state().step);
  };
  const ActionHook hook = [&](Action action, const std::filesystem::path& path) {
    if (last) power.happened(last->first, last->second);
    power.check(look);
    last = {action, path};
  };
  save(scratch.path(), latter.state, latter.pieces(),
       {.shard_nbytes_max = kSmallShards, .before_action = hook});
  power.happened(last->first, last->second);
  power.check(look);
  EXPECT_EQ(steps, (std::set<std::int64_t>{1, 2}));
}

// Every directory that a save makes is synced into its parent before the commit is reported.
TEST(CrashTest, NewDirectoriesAreDurable) {
  const Scratch scratch;
  std::vector<std::string> actions;
  const ActionHook hook = [&](Action action, const std::filesystem::path& path) {
    actions.push_back(std::string(to_string(action)) + " " +
                      path.lexically_relative(scratch.path()).string());
  };
  save(scratch.path() / "a" / "b", Model(1).state, Model(1).pieces(), {.before_action = hook});
  ASSERT_GE(actions.size(), 6U);
  EXPECT_EQ(actions[0], "create_directory a");
  EXPECT_EQ(actions[1], "sync_directory .");
  EXPECT_EQ(actions[2], "create_directory a/b");
  EXPECT_EQ(actions[3], "sync_directory a");
  EXPECT_EQ(actions[actions.size() - 2], "rename a/b/step-00000001");
  EXPECT_EQ(actions[actions.size() - 1], "sync_directory a/b");
}

TEST(CrashTest, MissingSpaceIsFoundBeforeAnythingIsWritten) {
  const Scratch scratch;
  const Model former(1);
  save(scratch.path(), former.state, former.pieces());
  std::filesystem::create_directory(scratch.path() /
                                    ".partial-step-00000009-0123456789abcdef0123456789abcdef");
  const std::int64_t nbytes = std::int64_t{1} << 60;
  std::vector<std::string> actions;
  const std::vector<Piece> pieces{
      {.name = "t",
       .dtype = DType::uint8,
       .global_shape = {nbytes},
       .offset = {0},
       .shape = {nbytes},
       .bytes = {},
       .fill = [](std::span<std::byte>) { FAIL() << "no piece is made"; }}};
  const Error error = error_of([&] {
    save(scratch.path(), {.step = 2}, pieces, {.before_action = [&](Action action, const auto&) {
           actions.emplace_back(to_string(action));
         }});
  });
  EXPECT_TRUE(says(error, ErrorCode::io,
                   {"step 2", "needs 11529215046", scratch.path().string(), "are free",
                    ".partial-step-00000009-0123456789abcdef0123456789abcdef (0 bytes)"}));
  EXPECT_TRUE(actions.empty());
  EXPECT_TRUE(std::filesystem::exists(scratch.path() /
                                      ".partial-step-00000009-0123456789abcdef0123456789abcdef"))
      << "only a save that succeeds removes it";
  EXPECT_TRUE(holds(newest_without_problems(scratch.path()), former));
}

// A real full disk: a small file system in memory, in a mount namespace of a child.
TEST(CrashTest, FullDiskLeavesTheFormerAndFreesWhatItTook) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to mount";
  const Scratch scratch;
  constexpr int kCannotMount = 77;
  const int status = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=5m") != 0) {
      return kCannotMount;
    }
    const Model former(1), latter(2, 192);  // 2.7 MB
    save(scratch.path(), former.state, former.pieces());
    save(scratch.path(), latter.state, latter.pieces(), {.keep_last = 1});
    // The space check refuses.
    const Model third(3, 192);
    const Error refused = error_of([&] { save(scratch.path(), third.state, third.pieces()); });
    EXPECT_TRUE(says(refused, ErrorCode::io, {"needs", "are free"}));
    // Without it (another job took the space meanwhile) the write fails.
    PendingSave pending = begin_save(scratch.path(), 3, 0);
    const Error full = error_of([&] { (void)write_shards(pending, third.pieces()); });
    EXPECT_TRUE(says(full, ErrorCode::io,
                     {pending.partial.string(), "shard-00000-of-00001", "No space left"}));
    EXPECT_TRUE(holds(newest_without_problems(scratch.path()), latter));
    abandon_save(pending);
    pending.lock = FileHandle();
    EXPECT_TRUE(list(scratch.path()).leftovers.empty());
    const Model small(4);
    save(scratch.path(), small.state, small.pieces());
    EXPECT_TRUE(holds(newest_without_problems(scratch.path()), small));
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  if (exited(status, kCannotMount)) GTEST_SKIP() << "mounting is not allowed here";
  EXPECT_TRUE(exited(status, 0)) << "see the child's output above";
}

// A file that may not grow: a real write error in the middle, without root.
TEST(CrashTest, FileSizeLimitLeavesTheFormer) {
  const Scratch scratch;
  const Model former(1), latter(2, 192);
  save(scratch.path(), former.state, former.pieces());
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Error error = error_of([&] { save(scratch.path(), latter.state, latter.pieces()); });
    EXPECT_TRUE(says(error, ErrorCode::io, {"shard-00000-of-00001.safetensors", "File too large"}));
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_TRUE(exited(status, 0));
  EXPECT_TRUE(holds(newest_without_problems(scratch.path()), former));
  EXPECT_TRUE(list(scratch.path()).leftovers.empty());
}

TEST(CrashTest, UnwritableDirectoryIsNamed) {
  const Scratch scratch;
  const Model model(1);
  save(scratch.path() / "c", model.state, model.pieces());
  std::filesystem::permissions(scratch.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(scratch.path() / "c", std::filesystem::perms(0555));
  const int status = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 1;
    const Error error =
        error_of([&] { save(scratch.path() / "c", Model(2).state, Model(2).pieces()); });
    EXPECT_TRUE(says(error, ErrorCode::io,
                     {(scratch.path() / "c").string(), "Permission denied", "step 2"}));
    const Error missing =
        error_of([&] { save(scratch.path() / "new", Model(2).state, Model(2).pieces()); });
    EXPECT_TRUE(
        says(missing, ErrorCode::io, {(scratch.path() / "new").string(), "Permission denied"}));
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_TRUE(exited(status, 0));
  EXPECT_TRUE(holds(newest_without_problems(scratch.path() / "c"), model));
  testing::write_bytes(scratch.path() / "file", {'x'});
  const Error error = error_of([&] { save(scratch.path() / "file", model.state, model.pieces()); });
  EXPECT_TRUE(says(error, ErrorCode::io, {(scratch.path() / "file").string()}));
}

TEST(CrashTest, TwoSavesToOneDirectoryAreRefused) {
  const Scratch scratch;
  const Model model(1);
  PendingSave pending = begin_save(scratch.path(), 1, 0);
  const Error error = error_of([&] { save(scratch.path(), model.state, model.pieces()); });
  EXPECT_TRUE(
      says(error, ErrorCode::failed, {"another process is saving to", scratch.path().string()}));
  EXPECT_TRUE(std::filesystem::exists(pending.partial)) << "what the other writes stays";
  SaveReport report = commit_save(pending, model.state, write_shards(pending, model.pieces()));
  EXPECT_TRUE(holds(newest_without_problems(scratch.path()), model));
  finish_save(pending, model.state, {}, report);
  save(scratch.path(), Model(2).state, Model(2).pieces());
}

}  // namespace
}  // namespace megascale::checkpoint
