#!/usr/bin/env python3
"""scripts/gpu_check and scripts/gpu_bundle without a device. The bundle's programs are stand-ins: they print what the real ones
print, fail, skip, or take too long. tests/cuda/gpu_check_emulated_test runs the real ones."""
import fnmatch
import gzip
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# As `bench step` prints them, with rows as long as they get.
STEP = """step 0.512 s (median of 4; 0.510 to 0.515), 64000 tokens/s
3.1e+14 FLOPs credited, 483000.1 of 989000.0 GFLOP/s published peak: mfu 0.482, mfu_megatron 0.490
loss 10.8301 in the last step, 10.8412 in the first; expected about ln V = 10.8249 at the start
memory of the first device: 46.670 GiB of arenas planned, 47.802 GiB taken (1.132 GiB outside of them); \
0.512 of 140.000 GiB were taken before (context, other processes)
roofs: best GEMM 788.0 TFLOP/s (forward, 8192 square, bfloat16), 79.7% of the published 989.0; copy 4300.0 GB/s (read and written, 1024 MiB)
SM clock 1755 MHz (1740 to 1980; at most 1980), memory 3201 MHz, 655.5 W, 61 C; limited by power cap
class of rank 0's ops          ms    share      alone      floor
GEMM                      280.000    54.7%    270.000    200.000
grouped GEMM              100.000    19.5%    100.000    100.000
attention                  60.000    11.7%     58.000     40.000
the rest                   66.000    12.9%     64.000     30.000
(waits for other lanes)     1.000     0.2%
(gaps)                      5.600     1.1%
outside GEMM and attention 12.9% of the step, 14.0% with the gaps before them

op                        tasks    seconds    share    GFLOP/s  of peak      alone      floor
""" + "linear                      384     0.1000    19.5%   450000.0    45.5%     0.0980     0.0900\n" * 40
# The products of Llama 3 8B's shapes, as `bench gemm` prints them, some twice: as many as GPT-2 1.5B has. "of best" is not in order.
ROOFS = "roofs: best GEMM 788.0 TFLOP/s (weight_gradient, 16384 square, bfloat16), 79.7% of the published 989.0; " \
    "copy 4300.0 GB/s (read and written, 1024 MiB)\n"
COLUMNS = "op                               us   TFLOP/s  of best  of peak     GB/s  of copy\n"
CLOCKS = "SM clock 1755 MHz (1740 to 1980; at most 1980), memory 3201 MHz, 655.5 W, 61 C; limited by power cap\n"
PRODUCTS = ["linear [8192, 4096] [6144, 4096]", "linear_add [8192, 4096] [4096, 4096] [4096] [8192, 4096]",
            "linear [8192, 4096] [28672, 4096]", "linear_add [8192, 14336] [4096, 14336] [4096] [8192, 4096]",
            "linear [8192, 4096] [128256, 4096]", "linear_input_gradient [8192, 128256] [128256, 4096]",
            "linear_gelu_gradient [8192, 4096] [4096, 14336] [8192, 14336]"] + [
                f"{kind} [8192, {outputs}] [{inputs}, {outputs}]" for kind in ("linear_input_gradient", "linear_weight_gradient")
                for inputs, outputs in ((4096, 6144), (4096, 4096), (4096, 28672), (14336, 4096))] + [
                    f"linear_weight_gradient [8192, {outputs}] [8192, {inputs}] added"
                    for inputs, outputs in ((4096, 6144), (4096, 4096), (4096, 28672), (14336, 4096), (4096, 128256))]
OF_BEST = [f"{60 + i * 7 % 20}.1%" for i in range(20)]
OPS = ROOFS + COLUMNS + "".join(f"{name:<64} {12000 + i:>8}.5  678.9  {of_best}  68.6%  1234.5  28.7%\n"
                                for i, (name, of_best) in enumerate(zip(PRODUCTS, OF_BEST))) + CLOCKS
ATTENTION = ROOFS + COLUMNS + "attention [8192, 6144]  1234.5  244.9  31.1%  24.8%  134.5  3.7%\n" \
    "attention_gradient [8192, 4096] [8192, 6144] [8192, 4096] [1, 32, 8192] 4234.5  183.9  23.1%  18.8%  134.5  3.7%\n" + CLOCKS
EXPERTS = OPS.splitlines()[0] + "\n" + \
    "op                               us   TFLOP/s  of best  of peak     GB/s  of copy  of dense\n" + "".join(
        f"route [{tokens}, 64]        21.5       0.0     0.0%     0.0%     12.5     0.3%\n"
        f"dispatch_map [{tokens}, 8]  21.5       0.0     0.0%     0.0%     12.5     0.3%\n" + "".join(
            f"{kind} [<={tokens * 8}, 2048] [<={tokens * 8}, {width}] [64] 1234.5  278.9  35.1%  28.6%  1234.5  28.7%  {of_dense}\n"
            for kind, of_dense in (("grouped_linear", "62.3%"), ("grouped_linear_input_gradient", "58.3%"),
                                   ("grouped_linear_weight_gradient", "9.5%" if tokens == 2048 else "101.2%"))
            for width in (1024, 2048)) +
        f"add [{tokens}, 2048]  21.5       0.0     0.0%     0.0%     12.5     0.3%\n"
        for tokens in (512, 2048, 8192))
# With 8-bit products: their operands' scales too, and what rounding takes. A layer of Mixtral.
EXPERTS_FP8 = OPS.splitlines()[0] + "\n" + \
    "op                               us   TFLOP/s  of best  of peak     GB/s  of copy  of dense\n" + "".join(
        f"route [{tokens}, 8]        21.5       0.0     0.0%     0.0%     12.5     0.3%\n"
        f"quantise [<={tokens * 2}, 4096]  21.5       0.0     0.0%     0.0%     12.5     0.3%\n"
        f"quantise_weight [8, 28672, 4096]  21.5       0.0     0.0%     0.0%     12.5     0.3%\n" + "".join(
            f"{kind} [<={tokens * 2}, 4096] [8, {width}, 4096] [8]{scales} 1234.5  278.9  35.1%  28.6%  1234.5  28.7%  62.3%\n"
            for kind, scales in (("quantised_grouped_linear", " [4] [8, 4]"), ("quantised_grouped_input_gradient", " [4] [8, 4]"),
                                 ("grouped_linear_weight_gradient", ""))
            for width in (28672, 14336))
        for tokens in (256, 1024, 4096))
TESTS = "".join(f"[ RUN      ] Suite.Test{i}\n[       OK ] Suite.Test{i} (3 ms)\n" for i in range(12)) + \
    "figure: losses at most 3.1e-07, gradients at most 2.2e-06 from the CPU's (DeviceTraining)\n[  PASSED  ] 12 tests.\n"
SKIPPED = """[       OK ] Nccl.Sum (3 ms)
[       OK ] Nccl.Copy (3 ms)
[       OK ] Nccl.Abort (3 ms)
[ RUN      ] Nccl.Window
nccl_test.cpp:101: Skipped
NCCL is too old

[  SKIPPED ] Nccl.Window (0 ms)
[  PASSED  ] 3 tests.
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] Nccl.Window
"""
MEGASCALE = """#!/usr/bin/env bash
echo "$*" >>"{data}/arguments"
case "$1 $2" in
  "bench step") cat "{data}/step" ;;
  "bench gemm") cat "{data}/ops" ;;
  "bench attention") cat "{data}/attention" ;;
  "bench experts")
    if [[ $* == *model.fp8=hybrid* ]]; then cat "{data}/experts_fp8"; else cat "{data}/experts"; fi ;;
  plan*) exit 0 ;;
  train*)
    for word; do
      case $word in
        train.run_dir=*) run=${{word#*=}} ;;
        model.dtype=bfloat16) factor=2 ;;
      esac
    done
    mkdir -p "$run"
    for step in {{1..200}}; do
      loss=5.$((900000 - step * 1000))
      if [[ ${{factor-1}} -eq 2 && $step -eq 100 ]]; then loss=5.858000; fi
      if [[ ${{factor-1}} -eq 2 && $step -eq 180 ]]; then loss=5.753000; fi
      echo "{{\\"step\\":$step,\\"loss\\":$loss,\\"lr\\":1}}"
    done >"$run/metrics.jsonl" ;;
esac
"""
NCU = '''#!/usr/bin/env bash
echo '==PROF== Connected to process 17'
echo '"ID","Process ID","Kernel Name","Context","gpu__time_duration.sum","dram__throughput.avg","sm__throughput.avg"'
echo '"","","","","us","%","%"'
for launch in {0..49}; do
  kernel=$((launch % 25))
  echo "\\"$launch\\",\\"17\\",\\"void kernel_$kernel<float, 4>(int, float *)\\",\\"1\\",\\"1,0$((kernel + 10)).5\\",\\"80.1\\",\\"20.2\\""
done
'''
LLMC = "#!/usr/bin/env bash\n" + "".join(
    f"echo 'step    {i}/8 | loss 10.90 (+nanz)| norm 3.1 (+nanz)| lr 3.00e-04 | 640.00 ms | 45.3% bf16 MFU | {50000 + i} tok/s'\n"
    for i in range(1, 9))


class Bundle:
    """An unpacked bundle of stand-ins, in which scripts/gpu_check runs."""

    def __init__(self, folder):
        self.path = folder / "bundle"
        self.out = folder / "out"
        self.data = folder / "data"
        for name in ("bin", "lib", "data", "bench"):
            (self.path / name).mkdir(parents=True)
        self.data.mkdir()
        self.out.mkdir()
        shutil.copytree(ROOT / "scripts", self.path / "scripts")
        (self.path / "emulated").touch()
        (self.path / "about").write_text("stand-ins\n")
        (self.data / "step").write_text(STEP)
        (self.data / "ops").write_text(OPS)
        (self.data / "attention").write_text(ATTENTION)
        (self.data / "experts").write_text(EXPERTS)
        (self.data / "experts_fp8").write_text(EXPERTS_FP8)
        self.program("megascale", MEGASCALE.format(data=self.data))
        for test in ("kernels", "lane_runner", "nccl", "training"):
            self.prints(f"test_cuda_{test}", TESTS)
        self.program("llmc_train_gpt2", LLMC)
        self.tools = folder / "tools"
        self.tools.mkdir()

    def program(self, name, text):
        path = self.path / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def prints(self, name, text, exit_code=0):
        (self.data / name).write_text(text)
        self.program(name, f'#!/usr/bin/env bash\ncat "{self.data / name}"\nexit {exit_code}\n')

    def tool(self, name, text):
        path = self.tools / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, *arguments):
        environment = {**os.environ, "OUT": str(self.out), "PATH": f"{self.tools}:{os.environ['PATH']}"}
        return subprocess.run([self.path / "scripts/gpu_check", *arguments], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100, check=False)

    def sanitizer_and_profiler(self):
        self.tool("compute-sanitizer", "#!/usr/bin/env bash\n"
                  "if [[ $1 == --help ]]; then echo '  --kernel-name-exclude arg  Kernels to exclude.'; exit; fi\n"
                  f'echo "$*" >>"{self.data}/sanitizer"\n'
                  'tool=$2\nwhile [[ $1 != */bin/* ]]; do shift; done\n"$@"\n'
                  "if [[ $tool == memcheck ]]; then echo ========= ERROR SUMMARY: 0 errors\n"
                  "else echo '========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)'; fi\n")
        self.tool("ncu", NCU)


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bundle = Bundle(Path(folder.name))

    def table(self, finished):
        """The lines of the last call's table, by check."""
        lines = finished.stdout.splitlines()
        ends = [i for i, line in enumerate(lines) if " took " in line and line.startswith("#### call")]
        self.assertTrue(ends, finished.stdout)
        return dict(line.split(maxsplit=1) for line in lines[ends[-1] + 1:])

    def test_planned_times_fit(self):
        listed = self.bundle.run("--list").stdout
        calls = [int(line.split()[4]) for line in listed.splitlines() if line.startswith("call ")]
        self.assertEqual(len(calls), 4, listed)
        self.assertLessEqual(max(calls), 8 * 60)
        self.assertLessEqual(sum(calls), 24 * 60)
        self.assertLessEqual(sum(calls[:2]), 13 * 60)  # where a device is lent for 15 minutes, its start included
        # Unpacking, the search for libraries and nvidia-smi take up to 20 s before the first check.
        for clock, checks in zip(calls, re.split(r"\ncall ", listed.split("\nall calls:")[0])):
            planned = sum(int(line.split()[1]) for line in checks.splitlines() if line.startswith("  "))
            self.assertLessEqual(planned + 20, clock, checks)
        self.assertIn(f" s planned, at most {sum(calls)} s\nby name only:\n", listed)

    def test_the_first_call_gives_every_figure_of_dense_models(self):
        self.bundle.sanitizer_and_profiler()
        finished = self.bundle.run("1")
        table = self.table(finished)
        for check, figures in {
                "gpt2_beside_llmc": ["mfu 0.482", "rest 12.9%", "gaps 1.1%", "GiB 46.670+1.132"],
                "llmc": ["640.00 ms", "ours is llm.c x 1.279"],
                "llama_8192": ["mfu 0.482"], "llama_1024": ["mfu 0.482"],
                "training": ["12 passed, 0 failed; losses at most 3.1e-07, gradients at most 2.2e-06 from the CPU's"],
                "curve_bfloat16": ["at most 1.00 % from float32 (step 100), second half 0.57 %"],
                "memcheck": ["ERROR SUMMARY: 0 errors"], "racecheck": ["RACECHECK SUMMARY: 0 hazards displayed"],
                "nccl": ["12 passed"], "lane_runner": ["12 passed"], "kernels": ["12 passed"]}.items():
            for figure in figures:
                self.assertIn(figure, table[check])
        self.assertIn("passed: Test0 Test1", finished.stdout)  # which layouts, which repetitions
        self.assertIn("memory of the first device: 46.670 GiB of arenas planned, 47.802 GiB taken", finished.stdout)
        self.assertIn("(gaps) 5.600 1.1%", finished.stdout)

    def test_steps_come_before_long_tests(self):
        names = [line.split()[0] for line in self.bundle.run("--list").stdout.splitlines() if line.startswith("  ")]
        self.assertEqual(names[:3], ["facts", "gpt2_beside_llmc", "llama_8192"])
        self.assertLess(names.index("llama_1024"), names.index("training"))

    def test_every_call_tells_all_figures_in_12000_characters(self):
        self.bundle.sanitizer_and_profiler()
        for call in "1234":
            with self.subTest(call=call):
                finished = self.bundle.run(call)
                self.assertEqual(finished.returncode, 0, finished.stdout)
                self.assertLessEqual(len(finished.stdout), 12000)
                self.assertNotIn("lines in the log", finished.stdout)
                table = self.table(finished)
                listed = self.bundle.run("--list").stdout.split(f"call {call}:")[1].split("call")[0]
                self.assertEqual(list(table), [line.split()[0] for line in listed.splitlines() if line.startswith("  ")])
                for check, line in table.items():
                    self.assertTrue(line.startswith("passed"), line)
                    if check.startswith(("first", "gpt2", "llama", "mixtral", "olmoe")):
                        for figure in ("mfu 0.482", "0.512 s", "64000 tokens/s", "rest 12.9%", "gaps 1.1%", "loss 10.8301"):
                            self.assertIn(figure, line)
                    if check.startswith("gemm"):
                        self.assertIn("20 ops, slowest at 60.1% of the best product: linear 8192x4096 6144x4096", line)
                    if check.startswith("attention"):
                        self.assertIn("2 ops, slowest at 23.1% of the best product", line)
                    if check == "experts_mixtral_fp8":
                        self.assertIn("18 grouped products, slowest at 62.3% of the dense one: fp8_grouped_linear", line)
                    elif check.startswith("experts"):
                        self.assertIn("18 grouped products, slowest at 9.5% of the dense one: grouped_linear_wgrad", line)
                    if check.startswith("profile"):
                        self.assertIn("25 kernels, longest void kernel_24<float, 4>", line)
        self.assertLessEqual(len(list(self.bundle.out.iterdir())), 8)

    def test_call_4_tells_every_row_with_the_worst_first(self):
        self.bundle.sanitizer_and_profiler()
        self.assertEqual(len(PRODUCTS), 20)
        finished = self.bundle.run("4")
        of_check = dict(part.split(" (", 1) for part in finished.stdout.split("#### call 4 took")[0].split("\n== ")[1:])
        for check, count in (("gemm_gpt2", 20), ("gemm_llama", 20), ("attention_gpt2", 2), ("attention_llama", 2)):
            rows = [line.split() for line in of_check[check].splitlines() if re.search(r"% [0-9.]+ [0-9.]+%$", line)]
            self.assertEqual(len(rows), count, finished.stdout)
            shares = [float(row[-4].rstrip("%")) for row in rows]
            self.assertEqual(shares, sorted(shares))
            self.assertIn("limited by power cap", of_check[check])
        for i in range(20):  # each with its time
            self.assertIn(f" {12000 + i}.5 678.9 {OF_BEST[i]} 68.6% 1234.5 28.7%", of_check["gemm_gpt2"])
        for check in ("profile_gpt2", "profile_llama"):
            self.assertEqual(of_check[check].count(" launches, DRAM "), 14)

    def test_figures_of_a_mixture(self):
        step = self.bundle.run("mixtral").stdout
        self.assertIn("grouped GEMM 100.000 19.5%", step)
        layer = self.bundle.run("experts_olmoe").stdout
        for figure in ("62.3%", "101.2%", "dispatch_map 8192x8", "route 512x64"):
            self.assertIn(figure, layer)
        self.assertNotIn("add 512", layer)
        in_8_bits = self.bundle.run("experts_mixtral_fp8").stdout
        for figure in ("fp8_grouped_linear <=512x4096 8x28672x4096 8 1234.5 ", "quantise <=8192x4096 21.5", "quantise_weight 8x28672x4096"):
            self.assertIn(figure, in_8_bits)

    def test_a_bundle_without_cutlass_times_our_own_kernel(self):
        self.bundle.program("megascale", f'#!/usr/bin/env bash\necho "$*" >>"{self.bundle.data}/arguments"\n')
        for about, own in (("no CUTLASS\n", True), ("CUTLASS 4.7.0\n", False)):
            (self.bundle.path / "about").write_text(about)
            (self.bundle.data / "arguments").write_text("")
            self.bundle.run("experts_mixtral", "mixtral", "olmoe")
            commands = [line for line in (self.bundle.data / "arguments").read_text().splitlines() if "-layers.toml" in line]
            self.assertEqual(len(commands), 3)
            for command in commands:
                self.assertEqual("kernels.cutlass=false" in command, own, command)

    def test_checks_outside_of_calls_run_by_name(self):
        listed = self.bundle.run("--list").stdout.split("by name only:\n")[1]
        names = [line.split()[0] for line in listed.splitlines()]
        self.assertIn("gpt2_graphs", names)
        finished = self.bundle.run(*names)
        self.assertEqual(finished.returncode, 0, finished.stdout)
        self.assertEqual(list(self.table(finished)), names)

    def test_models_fit_the_memory_of_the_device(self):
        self.bundle.program("llmc_train_gpt2", f'#!/usr/bin/env bash\necho "$*" >>"{self.bundle.data}/arguments"\n')
        # Each case: the output of nvidia-smi; the GiB that a step of a tiny model prints, which is asked only if nvidia-smi does not know; the GiB
        # that are believed; layers and micro-batches.
        for smi, of_step, believed, layers, micro_batch in (
                ("echo 81559", "140.000", "79", 8, 16), ("echo 143771", "79.000", "140", 16, 32),
                ("echo '[N/A]'", "140.000", "140", 16, 32), ("echo '[N/A]'", "79.000", "79", 8, 16),
                ("echo '[N/A]'", "?", "unknown", 8, 16), ("exit 9", "?", "unknown", 8, 16), ("exit 9", "139.811", "139", 16, 32)):
            with self.subTest(smi=smi, of_step=of_step):
                (self.bundle.data / "arguments").write_text("")
                (self.bundle.data / "step").write_text(STEP.replace("140.000 GiB were", f"{of_step} GiB were"))
                self.bundle.tool("nvidia-smi", f"#!/usr/bin/env bash\n{smi}\n")
                finished = self.bundle.run("llama_8192", "llama_1024_fp8", "llmc", "gpt2_beside_llmc", "gpt2_mb32")
                arguments = (self.bundle.data / "arguments").read_text().splitlines()
                steps = [line for line in arguments if line.startswith("bench step") and "model.hidden_size=64" not in line]
                self.assertIn(f"model.num_layers={layers} ", steps[0])
                self.assertIn(f"model.num_layers={layers} ", steps[1])
                self.assertIn(f"train.micro_batch_size={micro_batch} ", steps[2])
                self.assertTrue(any(f" -b {micro_batch} " in line for line in arguments), arguments)
                self.assertEqual(f"#### sizes for a device of {believed} GiB (below 120)" in finished.stdout, layers == 8)
                if layers == 8:  # 107.2 GiB
                    self.assertEqual(self.table(finished)["gpt2_mb32"], f"not run: 107.2 GiB do not fit a device of {believed} GiB")
                else:
                    self.assertIn("mfu 0.482", self.table(finished)["gpt2_mb32"])

    def test_a_step_of_llm_c_stands_beside_ours(self):
        for order in (("llmc", "gpt2_beside_llmc"), ("gpt2_beside_llmc", "llmc")):
            table = self.table(self.bundle.run(*order))
            self.assertIn("640.00 ms, 50008 tokens/s, MFU 45.3 % as llm.c counts", table["llmc"])
            self.assertIn("ours is llm.c x 1.279", table[order[1]])
            self.assertNotIn("llm.c x", table[order[0]])

    def test_a_log_in_another_form_does_not_end_the_call(self):
        self.bundle.sanitizer_and_profiler()
        self.bundle.program("llmc_train_gpt2", LLMC.replace("5000", "0000"))  # a rate of 0
        (self.bundle.data / "ops").write_text(OPS.replace("60.1%", "nan%"))
        (self.bundle.data / "experts").write_text(EXPERTS.replace("9.5%", "-%"))
        self.bundle.tool("ncu", NCU.replace("1,0$((kernel + 10)).5", "n/a"))
        checks = ("llmc", "gpt2_beside_llmc", "gemm_gpt2", "experts_olmoe", "profile_gpt2", "nccl")
        finished = self.bundle.run(*checks)
        table = self.table(finished)
        self.assertEqual(tuple(table), checks, finished.stdout)
        self.assertIn("mfu 0.482", table["gpt2_beside_llmc"])
        self.assertIn("20 ops, slowest at 61.1% of the best product", table["gemm_gpt2"])
        self.assertIn("slowest at 58.3% of the dense one", table["experts_olmoe"])

    def test_a_figure_that_bash_cannot_read_is_told(self):
        figures = self.bundle.path / "scripts/gpu/figures.sh"
        figures.write_text(figures.read_text() + "figures_tests() { key=$((10#1e3)); }\n")
        table = self.table(self.bundle.run("lane_runner", "llmc"))
        self.assertIn("its log has another form than expected", table["lane_runner"])
        self.assertIn("640.00 ms", table["llmc"])

    def test_a_sanitizers_verdict_stands_beside_what_it_reports(self):
        self.bundle.sanitizer_and_profiler()
        self.bundle.tool("compute-sanitizer", "#!/usr/bin/env bash\n"
                         "for i in {1..20}; do echo '========= Invalid __global__ read of size 4 bytes'; done\n"
                         "echo ========= ERROR SUMMARY: 20 errors\nexit 9\n")
        table = self.table(self.bundle.run("memcheck"))
        self.assertIn("FAILED, exit code 9", table["memcheck"])
        self.assertIn("ERROR SUMMARY: 20 errors", table["memcheck"])

    def test_memcheck_sees_reads_behind_an_operand(self):
        self.bundle.tool("compute-sanitizer", f'#!/usr/bin/env bash\necho "$MEGASCALE_TEST_OWN_ALLOCATIONS $*" >"{self.bundle.data}/sanitizer"\n')
        self.bundle.run("memcheck")
        self.assertRegex((self.bundle.data / "sanitizer").read_text(), r"^1 --tool memcheck .*ComputeWhatTheCpuComputes/\*")

    def test_racecheck_runs_our_own_kernels(self):
        self.bundle.sanitizer_and_profiler()
        self.bundle.run("racecheck")
        command = (self.bundle.data / "sanitizer").read_text().split()
        filters = next(word for word in command if word.startswith("--gtest_filter=")).split("=")[1].split(":")
        for test, reason in (
                ("Storage/DeviceKernels.OfLibrariesComputeWhatTheCpuComputes/float32", "our own attention: cuDNN has no float32"),
                ("Storage/DeviceKernels.OfOurOwnComputeWhatTheCpuComputes/bfloat16", "grouped products on the matrix units"),
                ("QuantiseTest.EveryValueBecomesTheNearestOne", "no case of an op kind quantises")):
            self.assertTrue(any(fnmatch.fnmatchcase(test, pattern) for pattern in filters), f"{test}: {reason}")
        # racecheck ends at cuBLASLt's kernels in bfloat16, real shapes would take hundreds of times as long, and CUTLASS's kernels
        # are not ours.
        for test in ("Storage/DeviceKernels.OfLibrariesComputeWhatTheCpuComputes/bfloat16",
                     "Storage/DeviceKernels.ComputeWhatTheCpuComputesOnRealShapes/bfloat16", "DeviceExperts.ProductsByCutlass"):
            self.assertFalse(any(fnmatch.fnmatchcase(test, pattern) for pattern in filters), test)
        for library in ("cublas", "cudnn", "nvjet"):
            self.assertIn(f"kns={library}", command[command.index("--kernel-name-exclude") + 1].split(","))
        # A tool without the option checks all kernels.
        self.bundle.tool("compute-sanitizer", f'#!/usr/bin/env bash\necho "$*" >"{self.bundle.data}/sanitizer"\n')
        self.bundle.run("racecheck")
        self.assertNotIn("--kernel-name-exclude", (self.bundle.data / "sanitizer").read_text())

    def test_tests_before_a_stop_are_counted(self):
        self.bundle.program("test_cuda_lane_runner", f"#!/usr/bin/env bash\nhead -n 6 {self.bundle.data}/test_cuda_nccl\nsleep 60\n")
        table = self.table(self.bundle.run("--clock", "18", "lane_runner"))
        self.assertRegex(table["lane_runner"], r"^STOPPED at its limit, \d+ s: 3 passed, 0 failed$")

    def test_a_bundle_without_llm_c_says_so(self):
        (self.bundle.path / "bin/llmc_train_gpt2").unlink()
        finished = self.bundle.run("llmc")
        self.assertEqual(finished.returncode, 0, finished.stdout)
        self.assertEqual(self.table(finished)["llmc"], "not run: the bundle has no llm.c (LLMC_DIR)")

    def test_the_bfloat16_curve_is_held_against_float32(self):
        table = self.table(self.bundle.run("curve_float32", "curve_bfloat16"))
        self.assertIn("200 steps, loss 5.8990 to 5.7000", table["curve_float32"])
        self.assertIn("at most 1.00 % from float32 (step 100), second half 0.57 %", table["curve_bfloat16"])
        self.assertNotIn("MISSED", table["curve_bfloat16"])
        self.assertNotIn("from float32", self.table(self.bundle.run("curve_bfloat16"))["curve_bfloat16"])

    def test_a_bfloat16_curve_outside_its_bar_is_told(self):
        self.bundle.program("megascale", MEGASCALE.format(data=self.bundle.data).replace("5.858000", "5.860000"))
        table = self.table(self.bundle.run("curve_float32", "curve_bfloat16"))
        self.assertIn("at most 1.03 % from float32 (step 100), second half 0.57 %, MISSED: above 1.00 %", table["curve_bfloat16"])

    def test_calls_1_and_2_measure_8_bit_products_and_repeat_no_test(self):
        listed = self.bundle.run("--list").stdout.split("call 3:")[0]
        names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ")]
        for check in ("llama_8192_fp8", "experts_mixtral_fp8", "training_experts_fp8"):
            self.assertIn(check, names)
        self.assertNotIn("kernels_experts", names)
        self.assertEqual(len(names), len(set(names)))

    def test_the_clock_begins_with_the_script_and_leaves_time_to_end(self):
        # nvidia-smi takes 4 s. A test that does not end by itself is killed 5 s behind its limit.
        self.bundle.tool("nvidia-smi", "#!/usr/bin/env bash\nsleep 4\necho 81559\n")
        self.bundle.program("test_cuda_lane_runner", "#!/usr/bin/env bash\ntrap '' TERM\nfor i in {1..30}; do sleep 1; done\n")
        begin = time.monotonic()
        finished = self.bundle.run("--clock", "23", "lane_runner")
        self.assertLess(time.monotonic() - begin, 23.5)
        self.assertRegex(finished.stdout, r"== lane_runner \(at most 1[12] s\)")
        self.assertIn("STOPPED", self.table(finished)["lane_runner"])
        self.assertRegex(finished.stdout, r"#### call named took 2[123] s")

    def test_tests_run_for_what_a_clock_has_left(self):
        self.bundle.program("test_cuda_kernels", f"#!/usr/bin/env bash\nhead -n 6 {self.bundle.data}/test_cuda_nccl\nsleep 60\n")
        self.assertIn("STOPPED", (table := self.table(self.bundle.run("--clock", "19", "kernels", "gpt2_mb8")))["kernels"])
        self.assertIn("3 passed, 0 failed", table["kernels"])
        self.assertEqual(table["gpt2_mb8"], "not run: time")

    def test_skipped_tests_are_no_failure(self):
        self.bundle.prints("test_cuda_nccl", SKIPPED)
        finished = self.bundle.run("nccl")
        self.assertEqual(finished.returncode, 0, finished.stdout)
        self.assertRegex(self.table(finished)["nccl"], r"^passed, 2 skipped, \d+ s: 3 passed, 0 failed; skipped: NCCL is too old$")

    def test_a_failed_check_does_not_stop_the_call(self):
        failed = "[  FAILED  ] K.Compute/float32, where GetParam() = 1-byte object <00>"
        self.bundle.prints("test_cuda_kernels", "[       OK ] K.Fill (5 ms)\n" * 7 + "kernels_test.cpp:523: Failure\noperand 3: 0.5\n"
                           f"{failed} (12 ms)\n[  PASSED  ] 7 tests.\n[  FAILED  ] 1 test, listed below:\n{failed}\n", 1)
        finished = self.bundle.run("kernels", "lane_runner")
        self.assertEqual(finished.returncode, 1)
        table = self.table(finished)
        self.assertIn("FAILED, exit code 1", table["kernels"])
        self.assertIn("7 passed, 1 failed", table["kernels"])
        self.assertIn("operand 3: 0.5", finished.stdout)
        self.assertIn("passed", table["lane_runner"])

    def test_checks_are_cut_to_the_clock_of_the_call(self):
        self.bundle.program("test_cuda_lane_runner", "#!/usr/bin/env bash\necho started\nsleep 60\n")
        begin = time.monotonic()
        finished = self.bundle.run("--clock", "18", "lane_runner", "nccl")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(finished.returncode, 1)
        table = self.table(finished)
        self.assertRegex(table["lane_runner"], r"STOPPED at its limit, (\d|1[0-3]) s")
        self.assertEqual(table["nccl"], "not run: time")
        self.assertIn("started", finished.stdout)
        self.assertIn("  = STOPPED at its limit", finished.stdout.split("#### call named took")[0])

    def test_logs_are_one_gzip_a_call(self):
        self.bundle.run("lane_runner", "nccl")
        self.assertEqual(sorted(path.name for path in self.bundle.out.iterdir()), ["logs-named.gz", "summary.txt"])
        logs = gzip.decompress((self.bundle.out / "logs-named.gz").read_bytes()).decode()
        self.assertIn("==== lane_runner", logs)
        self.assertIn("==== nccl", logs)

    def test_missing_libraries_are_named(self):
        source = self.bundle.data / "library.c"
        source.write_text("int answer(void) { return 42; }\n")
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("no C compiler")
        subprocess.run([compiler, "-shared", "-o", self.bundle.data / "libfaraway.so", source], check=True)
        source.write_text("int answer(void); int main(void) { return answer(); }\n")
        subprocess.run([compiler, "-o", self.bundle.path / "bin/needs", source, "-L", self.bundle.data, "-lfaraway"], check=True)
        (self.bundle.data / "libfaraway.so").unlink()
        finished = self.bundle.run("facts")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("MISSING for needs: libfaraway.so", self.table(finished)["facts"])

    def test_wrong_names_are_refused(self):
        for name in ("5", "0", "first"):
            finished = self.bundle.run(name)
            self.assertEqual(finished.returncode, 2)
            self.assertIn(f'expected a call, 1 to 4, or the name of a check (--list), found "{name}"', finished.stdout)


class GpuBundle(unittest.TestCase):
    """Only what it refuses: gpu_check_emulated_test makes a bundle."""

    def run_bundle(self, **environment):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "scripts").mkdir()
            shutil.copy(ROOT / "scripts/gpu_bundle", Path(folder) / "scripts")
            git = Path(folder) / "git"
            git.write_text("#!/bin/sh\nexit 128\n")
            git.chmod(0o755)
            return subprocess.run([Path(folder) / "scripts/gpu_bundle"], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=60, check=False,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", **environment})

    def test_without_cudnn_frontend_there_is_no_bundle(self):
        if Path("/usr/include/cudnn_frontend.h").exists():
            self.skipTest("this machine has the headers")
        finished = self.run_bundle()
        self.assertEqual(finished.returncode, 1)
        self.assertIn("Set CUDNN_FRONTEND_DIR to a checkout of github.com/NVIDIA/cudnn-frontend", finished.stdout)

    def test_a_wrong_folder_of_cudnn_frontend_is_named(self):
        finished = self.run_bundle(CUDNN_FRONTEND_DIR="/nowhere")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("expected include/cudnn_frontend.h in CUDNN_FRONTEND_DIR=/nowhere", finished.stdout)


if __name__ == "__main__":
    unittest.main()
