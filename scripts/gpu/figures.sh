# Sourced by scripts/gpu_check. Each figures_KIND reads a check's log. It sets `lines`, the figures to print, `key`, the most
# telling ones in a few words for the table, and `skipped`, the number of tests that were skipped. gpu_check calls it in a
# subshell (read_figures): other variables that it sets are lost, but for our_tokens and llmc_tokens.

# Calls a function with each line of a log, its blanks reduced to one. Reads the end of logs that are long.
for_each_line() {  # log, function
  local words
  while read -ra words; do
    if [[ ${#words[@]} -gt 0 && ${words[0]} != '{'* ]]; then "$2" "${words[@]}"; fi
  done < <(tail -n 20000 "$1")
}

# The last lines of a log, behind the figures of a check that failed.
add_end_of_log() {  # log
  local line
  while read -r line; do
    if [[ -n $line && $line != '{'* ]]; then lines+=("| $line"); fi
  done < <(tail -n 6 "$1")
}

figures_facts() {
  fact() {
    lines+=("$*")
    if [[ $1 == MISSING* ]]; then key+="$* "; fi
  }
  for_each_line "$1" fact
}

# A fraction without its point, 81.3 or 81.3% as 813; nothing of other words. Bash computes with whole numbers.
tenths() {  # fraction with one digit behind its point
  if [[ $1 =~ ^([0-9]+)\.([0-9])%?$ ]]; then echo $((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]})); fi
}

# Adds the rate of ours beside llm.c's to the key, once both have run.
add_llmc_ratio() {
  if [[ ${our_tokens:-0} -gt 0 && ${llmc_tokens:-0} -gt 0 ]]; then
    key+=", ours is llm.c x $((our_tokens / llmc_tokens)).$(printf '%03d' $((our_tokens * 1000 / llmc_tokens % 1000)))"
  fi
}

# bench step: its own lines up to the table of ops.
figures_step() {
  local seconds='' tokens='' mfu='' loss='' rest='' gaps='' memory='' in_table=0
  local -r of_memory='([0-9.]+) GiB of arenas.*\(([0-9.]+) GiB outside'
  step_line() {
    local line="$*"
    if [[ $in_table -eq 1 ]]; then return; fi
    case $line in
      op\ * ) in_table=1; return ;;
      step\ *) seconds=$2; [[ $line =~ \ ([0-9]+)\ tokens/s ]] && tokens=${BASH_REMATCH[1]} ;;
      *FLOPs\ credited*) [[ $line =~ mfu\ ([0-9.a-z]+) ]] && mfu=${BASH_REMATCH[1]} ;;
      loss\ *) loss=$2 ;;
      outside\ GEMM*) rest=$5 ;;
      \(gaps\)*) gaps=${3-} ;;
      memory\ of\ *) [[ $line =~ $of_memory ]] && memory="${BASH_REMATCH[1]}+${BASH_REMATCH[2]}" ;;
      GEMM\ * | grouped\ GEMM\ * | attention\ * | the\ rest\ * | class\ of\ * | \(waits\ * | roofs:* | SM\ clock* | clocks* | *skipped*) ;;
      *) return ;;
    esac
    lines+=("$line")
  }
  for_each_line "$1" step_line
  if [[ -n $mfu ]]; then
    key="mfu $mfu, $seconds s, $tokens tokens/s, rest ${rest:-?}, gaps ${gaps:-?}, loss ${loss:-?}, GiB ${memory:-?}"
    if [[ $check == gpt2_beside_llmc ]]; then our_tokens=$tokens; add_llmc_ratio; fi
  fi
}

# A row of a table of ops in fewer characters: linear_weight_gradient [8192, 1600] as linear_wgrad 8192x1600. Scales of 8-bit
# operands have no shape that tells.
short_row() {
  local row="$*"
  row=${row//_weight_gradient/_wgrad} row=${row//_input_gradient/_dgrad} row=${row//_gradient/_grad}
  row=${row/ \[4\] \[*, 4\]/} row=${row//quantised_/fp8_} row=${row//, /x}
  echo "${row//[\[\]]/}"
}
readonly ops_columns="us, TFLOP/s, of the best product, of the peak, GB/s, of a copy (dgrad, wgrad: gradients of inputs, of weights)"

# bench gemm and bench attention: the roofs, the clocks, and a line for each op. The slowest beside the best product come first
# and are the key, so those that no longer fit are the best ones.
figures_ops() {
  local worst=999999 count=0 row rank
  local -a rows=()  # "RANK ROW", ranked by the share of the best product
  ops_line() {
    local n=$# of_best
    if [[ $* == roofs:* || $* == SM\ clock* || $* == clocks* ]]; then lines+=("$*"); return; fi
    if [[ $n -lt 7 || $* != *%\ *%\ *% ]]; then return; fi
    row=$(short_row "$@") count=$((count + 1))
    of_best=$(tenths "${*:n-3:1}")
    rows+=("${of_best:--1} $row")  # nan% before all others
    if [[ ${of_best:-$worst} -lt $worst ]]; then
      worst=$of_best
      key="slowest at ${*:n-3:1} of the best product: ${row:0:60}"
    fi
  }
  for_each_line "$1" ops_line
  if [[ $count -eq 0 ]]; then return; fi
  lines+=("$count ops, worst first: $ops_columns")
  while read -r rank row; do lines+=("$row"); done < <(printf '%s\n' "${rows[@]}" | sort -s -n -k 1,1)
  key="$count ops, $key"
}

# bench experts: the roofs, the clocks, a line for each grouped product, of which the slowest beside its dense product is the
# key, and the ops that choose experts and move rows.
figures_experts() {
  local worst=999999 count=0
  local -a products=() moves=()
  experts_line() {
    local line n=$# of_dense
    case $* in
      roofs:* | SM\ clock* | clocks*) lines+=("$*") ;;
      *grouped_*%\ *%\ *%\ *%)
        line=$(short_row "$@")
        products+=("$line") count=$((count + 1))
        of_dense=$(tenths "${*:n:1}")
        if [[ ${of_dense:-$worst} -lt $worst ]]; then
          worst=$of_dense
          key="slowest at ${*:n:1} of the dense one: ${line:0:60}"
        fi ;;
      route*% | dispatch_map*% | gather_rows*% | combine_*rows*% | gated_swiglu*% | quantise\ *% | quantise_weight*%) moves+=("$(short_row "$@")") ;;
    esac
  }
  for_each_line "$1" experts_line
  lines+=("op, $ops_columns, of the dense product" "${products[@]}" "${moves[@]}")
  if [[ $count -gt 0 ]]; then key="$count grouped products, $key"; fi
}

# GoogleTest: what failed and why, figures that tests print ("figure: ..."), names of a few that passed, and the reason of what was
# skipped. Tests that passed are counted one by one, since a check that is stopped prints no sum.
figures_tests() {
  local passed=0 failures=0 why_skipped='' reports=0 after_skip=0 figure='' verdict='' names=''
  tests_line() {
    local line="$*"
    if [[ $after_skip -eq 1 ]]; then why_skipped=${why_skipped:-$line} after_skip=0; fi
    case $line in
      '[ OK ] '*' ms)') passed=$((passed + 1)); if [[ $passed -le 40 ]]; then names+=" ${4##*.}"; fi ;;
      '[ SKIPPED ] '*', listed below:') skipped=$4 ;;
      '[ FAILED ] '*' ms)') lines+=("$line") failures=$((failures + 1)) ;;
      *': Skipped') after_skip=1 ;;
      'figure: '*) figure=${line#figure: }; lines+=("$figure") ;;
      *' SUMMARY: '*) verdict=$line; lines+=("$line") ;;  # of compute-sanitizer
      *': Failure' | *'operand '* | *'Invalid '* | *'hazard '* | *'what():'*)
        if [[ $((++reports)) -le 12 ]]; then lines+=("$line"); fi ;;
    esac
  }
  for_each_line "$1" tests_line
  if [[ $passed -gt 0 && $passed -le 40 ]]; then
    while read -r line; do lines+=("$line"); done < <(fold -sw 180 <<<"passed:$names")
  fi
  key="$passed passed, $failures failed"
  if [[ -n $verdict ]]; then key+="; ${verdict#*=\ }"; fi
  if [[ -n $figure ]]; then key+="; $figure"; fi
  if [[ $skipped -gt 0 ]]; then key+="; skipped: $why_skipped"; fi
}

# A training run: its losses, beside those of float32 if that run is there, which they follow within 1 %.
readonly most_from_float32=10000  # millionths
figures_curve() {
  local -a losses=() reference=()
  local i difference worst=0 at=0 worst_of_end=0
  # Millionths of a nat, by step.
  read_losses() {  # metrics.jsonl, name of the array
    local line whole part
    local -n to=$2
    while read -r line; do
      if [[ $line =~ \"loss\":([0-9]+)\.?([0-9]*) ]]; then
        whole=${BASH_REMATCH[1]} part=${BASH_REMATCH[2]}000000
        to+=($((10#$whole * 1000000 + 10#${part:0:6})))
      fi
    done <"$1"
  }
  nats() { printf '%d.%04d' $(($1 / 1000000)) $(($1 % 1000000 / 100)); }
  local file=$work/$check/metrics.jsonl beside=$work/curve_float32/metrics.jsonl
  if [[ -r $file ]]; then read_losses "$file" losses; fi
  if [[ -r $beside && $beside != "$file" ]]; then read_losses "$beside" reference; fi
  if [[ ${#losses[@]} -eq 0 ]]; then return; fi
  for ((i = 0; i < ${#losses[@]}; ++i)); do
    if [[ $((i % 20)) -eq 0 || $((i + 1)) -eq ${#losses[@]} ]]; then
      lines+=("step $((i + 1)) loss $(nats "${losses[i]}")${reference[i]:+ float32 $(nats "${reference[i]}")}")
    fi
    if [[ -n ${reference[i]-} && ${reference[i]} -gt 0 ]]; then
      difference=$(((losses[i] - reference[i]) * 1000000 / reference[i])) difference=${difference#-}
      if [[ $difference -gt $worst ]]; then worst=$difference at=$((i + 1)); fi
      if [[ $i -ge $((${#losses[@]} / 2)) && $difference -gt $worst_of_end ]]; then worst_of_end=$difference; fi
    fi
  done
  key="${#losses[@]} steps, loss $(nats "${losses[0]}") to $(nats "${losses[-1]}")"
  if [[ ${#reference[@]} -gt 0 ]]; then
    percent() { printf '%d.%02d %%' $(($1 / 10000)) $(($1 % 10000 / 100)); }
    key+=", at most $(percent $worst) from float32 (step $at), second half $(percent $worst_of_end)"
    if [[ $check == curve_bfloat16 && $worst -gt $most_from_float32 ]]; then key+=", MISSED: above $(percent $most_from_float32)"; fi
  fi
}

# llm.c: "step 8/8 | loss 10.9 (+nanz)| norm ... | 512.34 ms | 45.3% bf16 MFU | 64000 tok/s". Keeps its rate in `llmc_tokens`.
figures_llmc() {
  local -a steps=()
  llmc_line() {
    local line="$*"
    if [[ $line =~ ^step\ .*\|\ ([0-9.]+)\ ms\ \|\ ([0-9.-]+)%\ bf16\ MFU\ \|\ ([0-9]+)\ tok/s ]]; then
      steps+=("$line")
      llmc_tokens=${BASH_REMATCH[3]}
      key="${BASH_REMATCH[1]} ms, $llmc_tokens tokens/s"
      # llm.c prints -100 % for devices that are not in its table.
      if [[ ${BASH_REMATCH[2]} != -* ]]; then key+=", MFU ${BASH_REMATCH[2]} % as llm.c counts"; fi
    elif [[ $line == *"memory"* || $line == *rror* ]]; then
      lines+=("$line")
    fi
  }
  for_each_line "$1" llmc_line
  local -r first=$((${#steps[@]} > 4 ? ${#steps[@]} - 4 : 0))  # the last four are enough
  lines+=("${steps[@]:first}")
  add_llmc_ratio
}

# Nsight Compute's table: kernels by their time in all launches.
figures_profile() {
  local -A ns=() dram=() sm=() launches=()
  local -a names=() columns=()
  local line i name unit=1 column_name=-1 time=-1 column_dram=-1 column_sm=-1
  while read -r line; do
    if [[ $line != '"'* ]]; then continue; fi
    line=${line#\"} line=${line%\"} line=${line//\",\"/$'\x1f'}
    IFS=$'\x1f' read -ra columns <<<"$line"
    if [[ ${columns[0]} == ID ]]; then
      for i in "${!columns[@]}"; do
        case ${columns[i]} in
          'Kernel Name') column_name=$i ;;
          gpu__time*) time=$i ;;
          dram__*) column_dram=$i ;;
          sm__*) column_sm=$i ;;
        esac
      done
      continue
    fi
    if [[ $time -lt 0 || $column_name -lt 0 ]]; then continue; fi
    if [[ -z ${columns[0]} ]]; then  # units
      case ${columns[time]} in ns | nsecond) unit=1 ;; us | usecond) unit=1000 ;; ms | msecond) unit=1000000 ;; esac
      continue
    fi
    name=${columns[column_name]} i=${columns[time]//,/}
    if [[ ! $i =~ ^[0-9]+(\.[0-9]+)?$ ]]; then continue; fi  # n/a
    if [[ $i == *.* ]]; then i="${i%%.*} ${i#*.}000"; else i="$i 000"; fi
    read -r i line <<<"$i"
    ns[$name]=$((${ns[$name]-0} + (10#$i * 1000 + 10#${line:0:3}) * unit / 1000))
    launches[$name]=$((${launches[$name]-0} + 1))
    dram[$name]=${columns[column_dram]-} sm[$name]=${columns[column_sm]-}
  done < <(tail -n 20000 "$1")
  while read -r i name; do
    if [[ -z $name ]]; then continue; fi
    names+=("$name")
    if [[ ${#names[@]} -le 14 ]]; then
      lines+=("$((i / 1000)) us, ${launches[$name]} launches, DRAM ${dram[$name]} %, SM ${sm[$name]} %: ${name:0:90}")
    fi
  done < <(for name in "${!ns[@]}"; do echo "${ns[$name]} $name"; done | sort -rn)
  if [[ ${#names[@]} -gt 0 ]]; then key="${#names[@]} kernels, longest ${names[0]:0:60}"; fi
}
