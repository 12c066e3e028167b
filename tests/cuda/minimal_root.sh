# Sourced by tests. Makes a root directory with bash, coreutils, tar, gzip and the C library alone, as the least that a machine
# with a device can be expected to have, and runs commands in it.

# Copies binaries and the libraries that they need into the root.
add_binaries() {  # root, binaries
  local root=$1 binary library; shift
  for binary in "$@"; do
    cp -L "$binary" "$root/bin/"
    while read -r library; do
      mkdir -p "$root$(dirname "$library")"
      cp -L -n "$library" "$root$library"
    done < <(ldd "$binary" 2>/dev/null | grep -oE '/[^ ]+')
  done
}

make_minimal_root() {  # root
  local root=$1 name path
  local -a names binaries
  mkdir -p "$root"/{bin,usr/bin,proc,dev,tmp,sys}
  mapfile -t names < <(coreutils_names)
  for name in bash tar gzip "${names[@]}"; do
    path=$(type -P "$name" || true)
    if [[ -n $path ]]; then binaries+=("$path"); fi
  done
  add_binaries "$root" "${binaries[@]}"
  # Every program is linked with the C library; megascale also takes these parts of it.
  for path in /lib/x86_64-linux-gnu/lib{m,dl,rt,pthread}.so.?; do
    mkdir -p "$root$(dirname "$path")"
    cp -L -n "$path" "$root$path"
  done
  ln -sf /bin/bash "$root/bin/sh"
  ln -sf /bin/env "$root/usr/bin/env"
}

# Those that scripts use.
coreutils_names() {
  printf '%s\n' basename cat chmod cp cut date df dirname echo env false head id join ln ls mkdir mktemp mv nproc od paste printf \
    pwd readlink realpath rm rmdir seq sleep sort stat stty tail tee test timeout touch tr true uname uniq wc
}

# Runs a command in the root, with nothing of this machine but /proc and /dev. Where this user may not do that, runs it in this
# machine's root with no other programs than those of the minimal one on its path, and says so.
run_in_root() {  # root, command
  local root=$1; shift
  if unshare --mount true 2>/dev/null; then
    # shellcheck disable=SC2016  # the inner shell expands it
    unshare --mount bash -c 'root=$1; shift
      mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
      exec chroot "$root" /bin/env -i PATH=/bin HOME=/tmp OUT="${OUT-}" OMP_NUM_THREADS=2 "$@"' - "$root" "$@"
  else
    echo "no permission for a root of its own: only the programs are those of a minimal one" >&2
    env -i PATH="$root/bin" HOME=/tmp OUT="$root${OUT-}" OMP_NUM_THREADS=2 "${1/#\//$root\/}" "${@:2}"
  fi
}
