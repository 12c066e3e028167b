# Sourced by scripts/gpu_check. Finds the shared libraries of CUDA and the tools on a machine whose layout is not known.

# The names of libraries that a binary needs and the loader does not find, a line each. Uses the loader itself: ldd is a script
# that not every machine has.
missing_libraries() {  # binary
  local line
  while read -r line; do
    if [[ $line == *"=> not found"* ]]; then echo "${line%% *}"; fi
  done < <(LD_TRACE_LOADED_OBJECTS=1 "$1" 2>/dev/null)
}
# What the loader says of versions that a library lacks (GLIBC_2.38, GLIBCXX_3.4.30).
missing_versions() {  # binary
  local line
  while read -r line; do
    if [[ $line == *"version "*"not found"* ]]; then echo "$line"; fi
  done < <(LD_TRACE_LOADED_OBJECTS=1 "$1" 2>&1 >/dev/null)
}

# Folders in which CUDA's libraries can be: a toolkit's, a driver's, those of Python's packages.
library_folders() {
  local path
  printf '%s\n' /usr/local/cuda*/lib64 /usr/local/cuda*/targets/x86_64-linux/lib /usr/local/nvidia/lib* /usr/lib/x86_64-linux-gnu
  if command -v python3 >/dev/null; then
    while read -r path; do
      if [[ -n $path ]]; then printf '%s\n' "$path"/nvidia/*/lib; fi
    done < <(timeout 20 python3 -c 'import sys; print("\n".join(sys.path))' 2>/dev/null)
  fi
  printf '%s\n' /opt/*/{,.venv/,venv/}lib/python3*/site-packages/nvidia/*/lib \
    "${HOME:-/root}"/.local/lib/python3*/site-packages/nvidia/*/lib /usr/local/lib/python3*/{site,dist}-packages/nvidia/*/lib
}
folder_of() {  # library, those folders
  local library=$1 folder; shift
  for folder in "$@"; do
    if [[ -e $folder/$library ]]; then echo "$folder"; return; fi
  done
}
# Looks everywhere, which can take the seconds given.
search_folder_of() {  # library, seconds
  local found
  command -v find >/dev/null || return 0
  found=$(timeout "$2" find / -xdev -name "$1" -print -quit 2>/dev/null)
  if [[ -n $found ]]; then dirname "$found"; fi
}
# Whether the loader finds a library that binaries open by name at run time.
is_loadable() {  # library
  local folder
  local IFS=:
  for folder in ${LD_LIBRARY_PATH-} /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu /lib64 /usr/lib64; do
    if [[ -n $folder && -e $folder/$1 ]]; then return 0; fi
  done
  command -v ldconfig >/dev/null && [[ $(ldconfig -p 2>/dev/null) == *"$1"* ]]
}

# Sets LD_LIBRARY_PATH. The bundle's libraries come first, and its C++ runtime only where the machine has none or an older one.
find_libraries() {
  local library folder binary
  local -a folders
  mapfile -t folders < <(library_folders)
  LD_LIBRARY_PATH=$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  for binary in "$bundle"/bin/*; do
    if [[ -n $(missing_versions "$binary") || $(missing_libraries "$binary") == *libstdc++* ]]; then
      LD_LIBRARY_PATH=$bundle/lib/runtime:$LD_LIBRARY_PATH
      break
    fi
  done
  for library in $(for binary in "$bundle"/bin/*; do missing_libraries "$binary"; done | sort -u); do
    folder=$(folder_of "$library" "${folders[@]}")
    if [[ -z $folder ]]; then folder=$(search_folder_of "$library" 10); fi
    if [[ -n $folder ]]; then LD_LIBRARY_PATH+=:$folder; fi
  done
  if is_emulated; then return; fi
  for library in libnccl.so.2 libnvrtc.so.13 libnvidia-ml.so.1; do  # opened at run time
    if is_loadable "$library"; then continue; fi
    folder=$(folder_of "$library" "${folders[@]}")
    if [[ -n $folder ]]; then LD_LIBRARY_PATH+=:$folder; fi
  done
}

# Whether the bundle's binaries have an emulated device in them.
is_emulated() { [[ -e $bundle/emulated ]]; }

# The memory of the device in GiB, as nvidia-smi tells, or else a step of a tiny model; nothing if neither knows it.
device_gib() {
  local smi mib
  smi=$(tool nvidia-smi)
  if [[ -n $smi ]]; then
    mib=$(timeout -k 5 10 "$smi" --query-gpu=memory.total --format=csv,noheader,nounits 2>/dev/null | head -n 1)
    if [[ $mib =~ ^[0-9]+$ ]]; then echo $((mib / 1024)); return; fi
  fi
  gib_of_tiny_step
}
gib_of_tiny_step() {
  local said
  local -a command=("$bundle/bin/megascale" bench step "$bundle/bench/cuda/gpt2-1.5b.toml")
  local setting
  for setting in model.{num_layers=1,hidden_size=64,num_attention_heads=1,seq_length=64,vocab_size=256} \
      train.micro_batch_size=1 train.global_batch_size=1; do
    command+=(--set "$setting")
  done
  said=$(timeout -k 5 20 "${command[@]}" --gemm-sizes 256 --copy 1M --warmup 1 --steps 1 2>/dev/null </dev/null)
  if [[ $said =~ \ of\ ([0-9]+)\.[0-9]+\ GiB\ were\ taken\ before ]]; then echo "${BASH_REMATCH[1]}"; fi
}

# The path of a tool; nothing if the machine has none.
tool() {  # name
  local found
  command -v "$1" && return
  for found in /usr/local/cuda*/bin/"$1" /usr/local/cuda*/compute-sanitizer/"$1" /usr/local/nvidia/bin/"$1" \
      /opt/nvidia/*/*/"$1" /opt/nvidia/*/"$1" /opt/*/{,.venv/,venv/}bin/"$1"; do
    if [[ -x $found ]]; then echo "$found"; return; fi
  done
}
