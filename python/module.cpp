// The Python module: the classes of include/megascale, one to one. Its own parts are the training beside
// Python's signals, errors as exceptions, and tensors as numpy arrays.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

#include "megascale/megascale.h"

namespace py = pybind11;

namespace {

using megascale::Checkpoint;
using megascale::Error;
using megascale::ErrorCode;
using megascale::Job;
using megascale::Plan;
using megascale::PlannedStage;
using megascale::Run;
using megascale::StepForecast;
using megascale::StepReport;
using megascale::TensorData;
using megascale::TensorInfo;
using megascale::TrainEnd;
using megascale::TrainOptions;

using Overrides = std::vector<std::string>;

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_usage:
      return "bad_usage";
    case ErrorCode::bad_input:
      return "bad_input";
    case ErrorCode::corrupt_data:
      return "corrupt_data";
    case ErrorCode::io:
      return "io";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::peer_lost:
      return "peer_lost";
    case ErrorCode::timeout:
      return "timeout";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::failed:
      break;
  }
  return "failed";
}

// An Error becomes megascale.Error with the same text, and its code as an attribute.
void add_error(py::module_& module) {
  // The type lives as long as the interpreter.
  static const py::handle type = py::exception<Error>(module, "Error").release();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const py::object exception = type(error.message());
      exception.attr("code") = name_of(error.code());
      PyErr_SetObject(type.ptr(), exception.ptr());
    }
  });
}

// Trains on another thread, so that this one, which may be Python's main thread, can see signals: a
// signal whose handler raises (Ctrl-C) stops the training after the step, with a checkpoint, and is
// raised when that is saved. Called with Python's lock, which is held only while Python runs.
TrainEnd train(const Job& job, const std::optional<py::function>& on_step,
               const std::optional<py::function>& on_message, std::optional<std::int64_t> most) {
  std::atomic<bool> stop = false;
  TrainOptions options{.on_step =
                           [&](const StepReport& step) {
                             if (stop || !on_step) return !stop;
                             const py::gil_scoped_acquire lock;
                             return (*on_step)(step).ptr() != Py_False;
                           },
                       .on_message = {},
                       .most_steps = most};
  if (on_message) {
    options.on_message = [&](const std::string& message) {
      const py::gil_scoped_acquire lock;
      (*on_message)(message);
    };
  }
  std::optional<py::error_already_set> interrupted;
  std::future<TrainEnd> end;
  {
    const py::gil_scoped_release unlocked;
    end = std::async(std::launch::async, [&] { return job.train(options); });
    while (end.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      const py::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() == 0) continue;
      py::error_already_set raised;
      if (!interrupted) interrupted.emplace(std::move(raised));
      stop = true;
    }
  }
  TrainEnd result = end.get();
  if (interrupted) throw std::move(*interrupted);
  return result;
}

// The type of numpy's that has these elements. numpy has no 8- and 16-bit floats of this kind: their
// bits are shown as integers.
py::dtype numpy_type(const std::string& name) {
  if (name == "bfloat16") return py::dtype("uint16");
  if (name == "float8_e4m3") return py::dtype("uint8");
  return py::dtype(name);
}

// Returns an array that shares the tensor's bytes and cannot be written.
py::array to_array(const TensorData& data) {
  auto owner = std::make_unique<std::shared_ptr<const void>>(data.owner);
  const py::capsule base(owner.get(), [](void* pointer) {
    delete static_cast<std::shared_ptr<const void>*>(pointer);
  });
  owner.release();  // NOLINT(bugprone-unused-return-value): the capsule owns it now
  py::array array(numpy_type(data.info.dtype), data.info.shape, data.bytes.data(), base);
  array.attr("flags").attr("writeable") = false;
  return array;
}

void add_plans(py::module_& module) {
  py::class_<PlannedStage>(module, "PlannedStage",
                           "What a rank of a pipeline stage holds and does in a step.")
      .def_readonly("first_rank", &PlannedStage::first_rank)
      .def_readonly("ranks", &PlannedStage::ranks)
      .def_readonly("memory_bytes", &PlannedStage::memory_bytes)
      .def_readonly("memory_by_category", &PlannedStage::memory_by_category)
      .def_readonly("tasks", &PlannedStage::tasks)
      .def_readonly("sent_bytes", &PlannedStage::sent_bytes)
      .def_readonly("digest", &PlannedStage::digest);
  py::class_<Plan>(module, "Plan", "The verified plan of a step.")
      .def_property_readonly("verified", &Plan::verified)
      .def_readonly("violations", &Plan::violations)
      .def_readonly("world_size", &Plan::world_size)
      .def_readonly("parameters", &Plan::parameters)
      .def_readonly("tokens_per_step", &Plan::tokens_per_step)
      .def_readonly("flops", &Plan::flops)
      .def_readonly("model_flops", &Plan::model_flops)
      .def_readonly("stages", &Plan::stages);
  py::class_<StepForecast>(module, "StepForecast", "A simulated step. Times are seconds.")
      .def_readonly("seconds", &StepForecast::seconds)
      .def_readonly("tokens_per_second", &StepForecast::tokens_per_second)
      .def_readonly("mfu", &StepForecast::mfu)
      .def_readonly("hfu", &StepForecast::hfu)
      .def_readonly("exposed_comm_seconds", &StepForecast::exposed_comm_seconds)
      .def_readonly("bubble_seconds", &StepForecast::bubble_seconds)
      .def_readonly("memory_bytes", &StepForecast::memory_bytes)
      .def_readonly("fits", &StepForecast::fits);
}

void add_jobs(py::module_& module) {
  py::class_<TrainEnd>(module, "TrainEnd", "How a training ended.")
      .def_readonly("steps_done", &TrainEnd::steps_done)
      .def_readonly("interrupted", &TrainEnd::interrupted)
      .def_readonly("last", &TrainEnd::last);
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<Job>(module, "Job", "A training job: a configuration, and what can be asked of it.")
      .def(py::init([](const std::filesystem::path& file, const Overrides& overrides) {
             return Job::from_file(file, overrides);
           }),
           py::arg("file"), py::arg("overrides") = Overrides(),
           "Reads a configuration. An override is \"section.key=value\".")
      .def_static(
          "from_text",
          [](const std::string& toml, const Overrides& overrides) {
            return Job::from_text(toml, overrides);
          },
          py::arg("toml"), py::arg("overrides") = Overrides())
      .def_property_readonly("configuration", &Job::configuration, "Every key, as TOML.")
      .def_property_readonly("run_directory",
                             [](const Job& job) { return job.run_directory().string(); })
      .def(
          "value", [](const Job& job, const std::string& key) { return job.value(key); },
          py::arg("key"), "The value of a key as TOML.")
      .def("problems", &Job::problems, Unlocked(),
           "Everything that prevents the job from being trained on this machine.")
      .def("plan", &Job::plan, Unlocked(), "Plans and verifies the job; needs no devices.")
      .def("simulate", &Job::simulate, Unlocked(), py::arg("cluster_file"),
           "Simulates a step on a described cluster.")
      .def("train", &train, py::arg("on_step") = py::none(), py::arg("on_message") = py::none(),
           py::arg("most_steps") = py::none(),
           "Trains with all ranks as threads; resumes if the run directory has a "
           "checkpoint. on_step gets each Step; False stops the training after one more, with a "
           "checkpoint.");
}

void add_runs(py::module_& module) {
  py::class_<StepReport>(module, "Step", "The numbers of a step.")
      .def_readonly("step", &StepReport::step)
      .def_readonly("values", &StepReport::values)
      .def_readonly("validation_losses", &StepReport::validation_losses)
      .def("__getitem__",
           [](const StepReport& step, const std::string& name) { return step.value(name); })
      .def("__repr__", [](const StepReport& step) {
        return "<megascale.Step " + std::to_string(step.step) + ": loss " +
               std::to_string(step.value("loss")) + ">";
      });
  py::class_<TensorInfo>(module, "TensorInfo")
      .def_readonly("name", &TensorInfo::name)
      .def_readonly("dtype", &TensorInfo::dtype)
      .def_readonly("shape", &TensorInfo::shape);
  py::class_<Checkpoint>(module, "Checkpoint", "The tensors of a checkpoint, as numpy arrays.")
      .def(py::init<const std::filesystem::path&>(), py::arg("path"))
      .def_property_readonly("path", [](const Checkpoint& one) { return one.path().string(); })
      .def_property_readonly("step", &Checkpoint::step)
      .def_property_readonly("configuration", &Checkpoint::configuration)
      .def("tensors", &Checkpoint::tensors)
      .def("__getitem__", [](const Checkpoint& one, const std::string& name) {
        return to_array(one.tensor(name));
      });
  py::class_<Run>(module, "Run",
                  "What a training has left in its run directory, or leaves there now.")
      .def(py::init<std::filesystem::path>(), py::arg("directory"))
      .def_property_readonly("directory", [](const Run& run) { return run.directory().string(); })
      .def_property_readonly("configuration", &Run::configuration)
      .def("steps", &Run::steps)
      .def("checkpoint", &Run::checkpoint);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.attr("__version__") = megascale::kVersion;
  add_error(module);
  add_plans(module);
  add_runs(module);
  add_jobs(module);
}
