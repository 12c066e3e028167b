# Sourced by scripts/gpu_check. All checks: in which call they are, how long each is planned to take, and its command.

readonly calls=4
readonly most_call_seconds=480  # of a call's clock
readonly seconds_to_end=7  # kept at the end of a clock: 5 to kill a check that does not end by itself, its log, the table
readonly least_seconds_of_tests=10
# From this memory of the device on, calls take large models: 16 layers of Llama 3 8B's shapes take 99.7 GiB, GPT-2 1.5B with
# micro-batches of 32 takes 107.2. Below it, and if the memory is not known, they take what fits 80 GB: 8 layers take 62.0 GiB,
# micro-batches of 16 take 66.8.
readonly least_gib_of_large=120
layers=8 micro_batch=16 large=0
choose_sizes() {  # GiB of the device's memory, or nothing
  if [[ -n $1 && $1 -ge $least_gib_of_large ]]; then layers=16 micro_batch=32 large=1; fi
}
# "CALL CHECK SECONDS PURPOSE", in the order in which they run: the most telling first, each useful alone. A check may take
# twice its seconds if its call has them left; a call ends at 5/4 of the sum of its checks. Call 0: by name only, since other
# checks or earlier runs have answered the question.
#
# Where a device is lent for 15 minutes, its start included, call 1 gives every figure that dense models are judged by, and
# call 2 those of mixtures and 8-bit products: 640 s planned, 736 s at most. What call 1 plans less than its clock has is for
# unpacking, the search for libraries, and checks that take longer than planned.
readonly -a plan=(
  "1 facts 10 memory, missing libraries, driver, clocks"
  "1 gpt2_beside_llmc 30 a step of GPT-2 1.5B, micro-batches of 32 (16 on devices of 80 GB): loss, mfu, memory, where the time goes"
  "1 llama_8192 45 the same of Llama 3 8B's shapes, 16 layers (8 on devices of 80 GB), 8,192 tokens"
  "1 llama_1024 45 as llama_8192, with 1,024 tokens"
  "1 training 20 20 steps and every gradient against the CPU, repeated bits, delays, overlap, ranks that share the device"
  "1 llmc 40 llm.c on GPT-2 1.5B in the same sitting as ours, random weights"
  "1 curve_float32 15 200 steps on real text in float32"
  "1 curve_perturbed 15 the same from initial weights that are 0.1 % larger: how much rounding of that size matters"
  "1 curve_bfloat16 15 the same in bfloat16, beside float32"
  "1 nccl 10 NCCL with a group of one rank"
  "1 lane_runner 10 the executor: order, failures, counts"
  "1 memcheck 30 kernels, each operand in an allocation of its own, under compute-sanitizer's memcheck"
  "1 racecheck 60 our own kernels in float32 and bfloat16 under compute-sanitizer's racecheck"
  "1 kernels 90 every kernel against the CPU's"
  "2 mixtral 30 a step of Mixtral 8x7B's shapes, 2 layers, 4,096 tokens, even routing"
  "2 experts_mixtral 15 the ops of its experts, 64, 256 and 1,024 rows each, beside dense products"
  "2 experts_mixtral_fp8 15 as experts_mixtral, with 8-bit products"
  "2 llama_8192_fp8 45 as llama_8192, with 8-bit products"
  "2 training_experts 20 mixtures, 20 steps and every gradient against the CPU, repeated bits, routes"
  "2 training_experts_fp8 20 mixtures with 8-bit products: beside bfloat16, and equal bits of switches and graphs"
  "2 training_fp8 30 8-bit products: beside bfloat16, and equal bits of tensor ranks, overlap, graphs and pieces"
  "2 memcheck_fp8 40 tensor ranks and graphs of these tests under compute-sanitizer's memcheck"
  "3 training_heads 45 heads of 64, 128 and 256, which cuDNN serves"
  "3 llama_1024_fp8 45 as llama_1024, with 8-bit products"
  "3 llama_8192_free 45 attention that need not repeat its bits"
  "3 gpt2_mb8 35 GPT-2 1.5B, micro-batches of 8, algorithms of products measured"
  "3 gpt2_bias_fused 25 micro-batches of 16 with bias gradients in the products' epilogues"
  "3 olmoe 30 a step of OLMoE 1B-7B's shapes (64 small experts), 6 layers, even routing"
  "3 experts_olmoe 15 the ops of its experts, as for Mixtral"
  "4 gemm_gpt2 20 every matrix product of GPT-2 1.5B"
  "4 attention_gpt2 15 its attention"
  "4 gemm_llama 20 every matrix product of Llama 3 8B's shapes"
  "4 attention_llama 15 its attention at 8,192 tokens"
  "4 mixtral_fp8 30 as mixtral, with 8-bit products"
  "4 profile_gpt2 50 Nsight Compute over the kernels of a layer of GPT-2 1.5B"
  "4 profile_llama 50 the same of Llama 3 8B's shapes"
  "0 training_preferences 30 trainings on preferences (DPO): 20 steps and every gradient against the CPU, repeated bits"
  "0 kernels_experts 25 of the check kernels: experts, CUTLASS's products, 8-bit operands, and all kinds in bfloat16"
  "0 first_gpt2 30 GPT-2 1.5B, micro-batches of 16, with the library's favourite algorithms"
  "0 first_llama 30 Llama 3 8B's shapes, 8 layers, 8,192 tokens, in the same way"
  "0 gpt2_mb32 35 GPT-2 1.5B, micro-batches of 32, algorithms of products measured"
  "0 gpt2_mb16 30 the same with micro-batches of 16"
  "0 gpt2_graphs 25 micro-batches of 16 with CUDA graphs"
  "0 mixtral_own 35 as mixtral, with our own kernel of grouped products"
  "0 experts_own 35 as experts_mixtral, with our own kernel"
  "0 gpt2_gelu_apart 25 without GELU in the products' epilogues"
  "0 gpt2_residual_apart 25 without residual sums in the products' epilogues"
)

planned_seconds() {  # check
  local line words
  for line in "${plan[@]}"; do
    read -ra words <<<"$line"
    if [[ ${words[1]} == "$1" ]]; then echo "${words[2]}"; fi
  done
}
checks_of_call() {  # call
  local line words
  for line in "${plan[@]}"; do
    read -ra words <<<"$line"
    if [[ ${words[0]} == "$1" ]]; then echo "${words[1]}"; fi
  done
}
call_clock() {  # call
  local check sum=0
  for check in $(checks_of_call "$1"); do sum=$((sum + $(planned_seconds "$check"))); done
  sum=$((sum * 5 / 4))
  echo $((sum < most_call_seconds ? sum : most_call_seconds))
}
list_call() {  # call
  local line number check seconds purpose
  for line in "${plan[@]}"; do
    read -r number check seconds purpose <<<"$line"
    if [[ $number == "$1" ]]; then printf '  %-20s %4d s  %s\n' "$check" "$seconds" "$purpose"; fi
  done
}
list_checks() {
  local call check clock=0 planned=0
  for ((call = 1; call <= calls; ++call)); do
    echo "call $call: at most $(call_clock $call) s"
    list_call $call
    for check in $(checks_of_call $call); do planned=$((planned + $(planned_seconds "$check"))); done
    clock=$((clock + $(call_clock $call)))
  done
  echo "all calls: $planned s planned, at most $clock s"
  echo "by name only:"
  list_call 0
}

# ---- commands --------------------------------------------------------------------------------------------------------------
# Overrides of configurations. Those of an emulated device come last and win: one layer of 32 channels.
settings=()
use() { local setting; for setting in "$@"; do settings+=(--set "$setting"); done; }
use_small() {  # model
  use model.num_layers=1 model.hidden_size=32 model.num_attention_heads=1 model.seq_length=8 model.vocab_size=256
  if [[ $1 != gpt2 ]]; then use model.num_attention_heads=2 model.num_query_groups=1 model.ffn_hidden_size=64 model.seq_length=16; fi
  if [[ $1 == mixtral || $1 == olmoe ]]; then
    use moe.num_experts=4 moe.router_topk=2 train.micro_batch_size=1 train.global_batch_size=1
  fi
}
# The model's configuration, overrides and sizes of roofs, as arguments of `megascale bench`. Sets `configured`.
configure() {  # gpt2, llama, mixtral or olmoe, overrides
  local model=$1 config roofs=(); shift
  case $model in
    gpt2) config=gpt2-1.5b ;;
    llama) config=llama3-8b-8-layers ;;
    mixtral) config=mixtral-8x7b-2-layers ;;
    olmoe) config=olmoe-6-layers ;;
  esac
  settings=()
  use "$@"
  if [[ $config == *mixtral* || $config == *olmoe* ]] && grep -q '^no CUTLASS' "$bundle/about"; then use kernels.cutlass=false; fi
  if [[ $shapes == small ]]; then use_small "$model"; roofs=(--gemm-sizes 16,32 --copy 64k); fi
  configured=("$bundle/bench/cuda/$config.toml" "${settings[@]}" "${roofs[@]}")
}
# These set `command` and `kind` (the figures_KIND of figures.sh), or `unavailable`: why the check cannot run here.
step() {  # warm-up steps, timed steps, model, overrides
  local warmup=$1 steps=$2; shift 2
  configure "$@"
  if [[ $shapes == small ]]; then warmup=1 steps=1; fi
  kind=step command=("$bundle/bin/megascale" bench step "${configured[@]}" --warmup "$warmup" --steps "$steps" --json)
}
ops() {  # gemm or attention, model
  configure "$2"
  kind=ops command=("$bundle/bin/megascale" bench "$1" "${configured[@]}")
}
experts() {  # model, overrides
  configure "$@"
  if [[ $shapes == small ]]; then configured+=(--rows 8,16); fi
  kind=experts command=("$bundle/bin/megascale" bench experts "${configured[@]}")
}
tests() {  # binary, filter
  kind=tests command=("$bundle/bin/$1" --gtest_brief=0 "--gtest_filter=$2")
}
# Parts of the names of kernels of cuBLAS, cuDNN and CUTLASS. racecheck leaves them out: they are not ours to repair, and it
# would have to instrument them all. A kernel whose name has none of these parts is checked.
readonly library_kernels=kns=cublas,kns=cudnn,kns=nvjet,kns=xmma,kns=cutlass,kns=gemv,kns=splitK
sanitizer() {  # tool of compute-sanitizer, binary, filter of its tests
  local path leave_out=()
  path=$(tool compute-sanitizer)
  if [[ -z $path ]]; then unavailable="this machine has no compute-sanitizer"; return; fi
  # Older tools have another name for this option.
  if [[ $1 == racecheck && $(timeout 10 "$path" --help 2>/dev/null) == *--kernel-name-exclude* ]]; then
    leave_out=(--kernel-name-exclude "$library_kernels")
  fi
  tests "$2" "$3"
  command=("$path" --tool "$1" --error-exitcode 9 "${leave_out[@]}" "${command[@]}")
}
curve() {  # name of the run, dtype, overrides
  local run=$work/curve_$1 dtype=$2 steps=200 small=(); shift 2
  if [[ $shapes == small ]]; then
    steps=4 small=(--set model.num_layers=1 --set model.hidden_size=32 --set model.num_attention_heads=1
      --set model.seq_length=8 --set train.micro_batch_size=2 --set train.global_batch_size=2 --set optimizer.lr_warmup_iters=1)
  fi
  kind=curve command=("$bundle/bin/megascale" train "$bundle/bench/cuda/curve.toml" --set "model.dtype=$dtype"
    --set "data.data_path=$bundle/data/text" --set "train.run_dir=$run" --set "train.train_iters=$steps" "${small[@]}" "$@")
}
profile() {  # model, samples of its step
  local path metrics=gpu__time_duration.sum
  path=$(tool ncu)
  if [[ -z $path ]]; then unavailable="this machine has no ncu"; return; fi
  metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__throughput.avg.pct_of_peak_sustained_elapsed
  step 0 1 "$1" model.num_layers=1 "train.global_batch_size=$2"
  kind=profile
  command=("$path" --clock-control none --csv --page raw --metrics "$metrics" --launch-count 120 "${command[@]}")
}
llmc() {
  if [[ ! -x $bundle/bin/llmc_train_gpt2 ]]; then unavailable="the bundle has no llm.c (LLMC_DIR)"; return; fi
  # A step of 32,768 tokens as ours, 1.5B parameters from random numbers, one evaluation before and one after the steps (it
  # divides by -v), no samples, no checkpoints.
  kind=llmc command=("$bundle/bin/llmc_train_gpt2" -i "$bundle/data/llmc_train.bin" -j "$bundle/data/llmc_val.bin" -e d48
    -b "$micro_batch" -t 1024 -d 32768 -r 0 -x 8 -v 1000 -m 1 -s 0 -h 0)
}
has_key() {  # key and value
  "$bundle/bin/megascale" plan "$bundle/bench/cuda/gpt2-1.5b.toml" --set "$1" >/dev/null 2>&1
}

prepare_check() {
  local choices=kernels.gemm_choices=$bundle/gemm_choices
  local kernel_filter=* heads='*DeviceTrainingOfHeads*' training=* mixtures='DeviceExpertTraining.*' fp8='DeviceFp8Training.*'
  local mixtures_fp8='DeviceExpertFp8Training.*' preferences='DevicePreferenceTraining.*'
  local expert_kernels='DeviceExperts.*:QuantiseTest.*:DeviceQuantisedProducts.*:*ComputeWhatTheCpuComputes/bfloat16:*ComputeCountedRows/bfloat16'
  if [[ $shapes == small ]]; then
    kernel_filter='*ComputeCountedRows*:*TheWidest*' training='*.Gpt:*.RepeatsItsBits' heads='*.RepeatsItsBits/64'
    mixtures='DeviceExpertTraining.BfloatFollowsFloat' fp8='DeviceFp8Training.GraphsKeepBits' expert_kernels='DeviceExperts.*'
    mixtures_fp8='DeviceExpertFp8Training.RepeatsItsBits' preferences='DevicePreferenceTraining.Gpt'
  fi
  case $1 in
    facts) kind=facts command=("$BASH" "$root/scripts/gpu/facts") ;;
    first_gpt2) step 1 2 gpt2 ;;
    first_llama) step 1 2 llama ;;
    kernels) tests test_cuda_kernels "$kernel_filter" ;;
    lane_runner) tests test_cuda_lane_runner '*' ;;
    nccl) tests test_cuda_nccl '*' ;;
    gemm_*) ops gemm "${1#*_}" ;;
    attention_*) ops attention "${1#*_}" ;;
    mixtral) step 2 4 mixtral "$choices" ;;
    mixtral_own) step 2 4 mixtral "$choices" kernels.cutlass=false ;;
    mixtral_fp8) step 2 4 mixtral "$choices" model.fp8=hybrid ;;
    olmoe) step 2 4 olmoe "$choices" ;;
    experts_own) experts mixtral kernels.cutlass=false ;;
    experts_mixtral_fp8) experts mixtral model.fp8=hybrid ;;
    experts_*) experts "${1#*_}" ;;
    training_experts) tests test_cuda_training "$mixtures" ;;
    kernels_experts) tests test_cuda_kernels "$expert_kernels" ;;
    gpt2_mb32) if [[ $large -eq 0 ]]; then unavailable="107.2 GiB do not fit $device_memory"; fi ;;&
    gpt2_mb*) step 2 4 gpt2 "$choices" "train.micro_batch_size=${1#gpt2_mb}" ;;
    gpt2_graphs) step 2 4 gpt2 "$choices" kernels.cuda_graphs=true ;;
    gpt2_gelu_apart) step 2 4 gpt2 "$choices" kernels.fused_gelu=false ;;
    gpt2_residual_apart) step 2 4 gpt2 "$choices" kernels.fused_residual=false ;;
    gpt2_bias_fused) step 2 4 gpt2 "$choices" kernels.fused_bias_gradient=true ;;
    gpt2_beside_llmc) step 2 4 gpt2 "$choices" "train.micro_batch_size=$micro_batch" ;;
    llmc) llmc ;;
    llama_8192*) llama "$1" "$choices" "model.num_layers=$layers" ;;
    llama_1024*)
      llama "$1" "$choices" "model.num_layers=$layers" model.seq_length=1024 train.micro_batch_size=8 train.global_batch_size=32 ;;
    # Not in `training`: after an error of the device all later tests of a process fail.
    training_experts_fp8) tests test_cuda_training "$mixtures_fp8" ;;
    training_fp8) tests test_cuda_training "$fp8" ;;
    memcheck_fp8) sanitizer memcheck test_cuda_training DeviceFp8Training.TensorRanksAndGraphsKeepBits ;;
    training) tests test_cuda_training "$training-$heads:DeviceExpertTraining.*:DeviceExpertFp8Training.*:DeviceFp8Training.*:DevicePreferenceTraining.*" ;;
    training_preferences) tests test_cuda_training "$preferences" ;;
    training_heads) tests test_cuda_training "$heads" ;;
    curve_perturbed) curve perturbed float32 --set model.init_method_std=0.02002 ;;
    curve_*) curve "${1#curve_}" "${1#curve_}" ;;
    memcheck)
      sanitizer memcheck test_cuda_kernels '*ComputeWhatTheCpuComputes/*:DeviceQuantisedProducts.*OfExperts*'
      command=(env MEGASCALE_TEST_OWN_ALLOCATIONS=1 "${command[@]}") ;;
    # In bfloat16 racecheck ends at cuBLASLt's kernels, also if it leaves them out.
    racecheck)
      sanitizer racecheck test_cuda_kernels \
        '*ComputeWhatTheCpuComputes/float32:*OfOurOwnComputeWhatTheCpuComputes/bfloat16:QuantiseTest.*:DeviceQuantisedProducts.OfExperts' ;;
    profile_gpt2) profile gpt2 8 ;;
    profile_llama) profile llama 1 ;;
  esac
}
llama() {  # check, overrides
  local check=$1; shift
  case $check in
    *_fp8) set -- "$@" model.fp8=hybrid ;;
    *_free)
      if ! has_key kernels.deterministic=false; then unavailable="this binary has no kernels.deterministic"; return; fi
      set -- "$@" kernels.deterministic=false ;;
  esac
  step 2 4 llama "$@"
}
