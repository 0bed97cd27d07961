# Shared by the scripts in this folder; sourced, never run.
# shellcheck shell=bash disable=SC2034

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV="$ROOT/.venv"

# What a build needs, as Debian and Ubuntu name it. A program or header in the second column that is
# there already, from wherever, counts as the package.
BUILD_PACKAGES=(
  "g++|cmd:c++"
  "cmake|cmake"
  "ninja-build|cmd:ninja"
  "pkg-config|cmd:pkg-config"
  "libcli11-dev|header:CLI/CLI.hpp"
  "libfmt-dev|header:fmt/format.h"
  "libtomlplusplus-dev|pkgconf:tomlplusplus"
  "nlohmann-json3-dev|header:nlohmann/json.hpp"
  "libsqlite3-dev|header:sqlite3.h"
  "libboost-dev|header:boost/math/distributions/binomial.hpp"
  "libisal-dev|pkgconf:libisal"
  "libzstd-dev|pkgconf:libzstd"
  "libhwy-dev|pkgconf:libhwy"
  "libexpat1-dev|header:expat.h"
)
TEST_PACKAGES=("libgtest-dev|header:gtest/gtest.h" "libgmock-dev|header:gmock/gmock.h")
PYTHON_PACKAGES=("python3-venv|python-venv" "python3-dev|python-headers")
CHECK_PACKAGES=(
  "clang-19|cmd:clang++-19"
  "libclang-rt-19-dev|sanitizers" # libFuzzer and the sanitizers; clang-19 itself brings neither
  "clang-format-19|cmd:clang-format-19"
)

if [[ -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  BOLD=$'\e[1m' RED=$'\e[31m' PLAIN=$'\e[0m'
else
  BOLD='' RED='' PLAIN=''
fi

say() { printf '%s==> %s%s\n' "$BOLD" "$*" "$PLAIN" >&2; }
note() { printf '    %s\n' "$*" >&2; }
# Exit code 3: the environment, not the project, is at fault.
die() {
  printf '%serror:%s %s\n' "$RED" "$PLAIN" "$*" >&2
  exit 3
}

# minutes_since SECONDS_VALUE: "1 min 5 s" of wall time between that value of $SECONDS and now.
minutes_since() {
  local s=$((SECONDS - $1))
  if ((s >= 60)); then printf '%d min %d s' $((s / 60)) $((s % 60)); else printf '%d s' "$s"; fi
}

# step TITLE COMMAND...: says what starts and how long it took; the command's exit status is kept.
step() {
  local title=$1 began=$SECONDS status=0
  shift
  say "$title"
  "$@" || status=$?
  if ((status == 0)); then
    note "done in $(minutes_since "$began")"
  else
    printf '    %sfailed%s after %s (exit status %d)\n' "$RED" "$PLAIN" "$(minutes_since "$began")" "$status" >&2
  fi
  return "$status"
}

# Whether stderr is a terminal on which a line can be drawn over.
is_live() { [[ -t 2 && ${TERM:-dumb} != dumb && ( -z ${CI:-} || $CI == false || $CI == 0 ) ]]; }

# follow TITLE: on a terminal one line, drawn over: TITLE, the time so far and the last line of standard input.
follow() {
  local title=$1 began=$SECONDS width line='' shown='' status
  trap '' INT # what is read ends
  width=$(tput cols 2>/dev/null) || width=80
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    ((status == 0 || status > 128)) || break # above 128: nothing came for a second
    [[ -z $line ]] || shown=${line//[^[:print:]]/ }
    ! is_live || printf '\r\e[2K%s' "$(printf '==> %s: %s  %s' "$title" "$(minutes_since "$began")" "$shown" |
      cut -c "1-$((width - 1))")" >&2
  done
  ! is_live || printf '\r\e[2K' >&2
}

# live_step LOG TITLE COMMAND...: a step of one line on a terminal; what COMMAND writes is appended to LOG, and its end is shown
# when it fails.
live_step() {
  local log=$1 title=$2 began=$SECONDS status=0 from out follower
  shift 2
  mkdir -p "$(dirname "$log")"
  printf '==> %s\n' "$title" >>"$log"
  is_live || say "$title"
  from=$(($(wc -l <"$log") + 1))
  exec {out}> >(tee -a "$log" | follow "$title")
  follower=$!
  "$@" >&"$out" 2>&1 </dev/null || status=$?
  exec {out}>&-
  wait "$follower" || true
  if ((status == 0)) && is_live; then
    say "$title: done in $(minutes_since "$began")"
  elif ((status == 0)); then
    note "done in $(minutes_since "$began")"
  else
    printf '%s==> %s: failed%s after %s (exit status %d); the end of %s:\n' "$RED" "$title" "$PLAIN" \
      "$(minutes_since "$began")" "$status" "${log#"$ROOT"/}" >&2
    tail -n "+$from" "$log" | tail -n 15 >&2
  fi
  return "$status"
}

# link_executable PROGRAM: ~/.local/bin/NAME -> PROGRAM, so that it is found by its name. What is there already and
# is not this link stays.
link_executable() {
  local program=$1 folder link
  folder=${HOME:-}/.local/bin link=$folder/${program##*/}
  if [[ -e $link || -L $link ]]; then
    [[ $link -ef $program ]] || { note "$link is another program and stays; this one is $program"; return 0; }
  elif [[ -z ${HOME:-} ]] || ! { mkdir -p "$folder" && ln -s "$program" "$link"; } 2>/dev/null; then
    note "no link in ${folder}: it cannot be written; the program is $program"
    return 0
  else
    note "made $link -> $program"
  fi
  path_note
}

# path_note: what to type where a program of ~/.local/bin is not found by its name.
path_note() {
  # shellcheck disable=SC2016  # the user's shell expands it
  [[ -z ${HOME:-} || :$PATH: == *:"$HOME/.local/bin":* ]] ||
    note 'to find it by its name, type: export PATH="$HOME/.local/bin:$PATH"'
}

# unusable PROGRAM TARGET...: a line for each that cannot be used here, with the reason.
unusable() {
  local program=$1 target arguments=()
  shift
  for target in "$@"; do arguments+=(--target "$target"); done
  "$program" targets "${arguments[@]}" --json 2>/dev/null | "$PYTHON" -c '
import json, sys
for target in json.load(sys.stdin)["targets"]:
    if not target["usable"]:
        print(target["target"] + ":", target["reason"])
' 2>/dev/null || true
}

# whole_run PROGRAM STORE CASES SAMPLE TARGET...: a run of the store that is whole and of the cases that would be run now
# on these targets: the same hashes, so a changed suite is another. "latest", or its id; fails where there is none.
whole_run() {
  [[ -e $2 ]] || return 1
  "$PYTHON" -c '
import json, sqlite3, subprocess, sys
from pathlib import Path

program, store, cases, sample, *targets = sys.argv[1:]


def ask(*words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def same(options):
    options = json.loads(options)
    return options["cases"] == cases and set(options["targets"]) == set(targets)


found = sqlite3.connect(Path(store).absolute().as_uri() + "?mode=ro", uri=True)
stored = found.execute("SELECT uuid, options FROM runs ORDER BY started_us DESC, id DESC").fetchall()
runs = [run for run, options in stored if same(options)]
if not runs:
    sys.exit(1)
chosen = [word for target in targets for word in ("--target", target)]
listed = ask("run", "--list", "--format", "jsonl", "--cases", cases, "--sample", sample, *chosen).splitlines()
now = {(case["case"], case["hash"]): set(case["targets"]) for case in map(json.loads, listed)}
for run in runs:
    report = json.loads(ask("report", "--store", store, "--run", run, "--format", "json"))
    head = report["runs"][0]
    ran = {
        (case["name"], case["hash"]): {cell["target"] for cell in case["targets"]}
        for function in report["functions"]
        for case in function["cases"]
    }
    if head["state"] == "finished" and head["attempted"] == head["planned"] and ran == now:
        print("latest" if run == stored[0][0] else run)
        sys.exit()
sys.exit(1)
' "$@" 2>/dev/null
}

# How many compilers at once: one a processor, but 1.5 GiB of memory each (one file needs 0.8 with sanitizers).
jobs_here() {
  local processors memory_kib
  processors=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
  memory_kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)
  if [[ -n $memory_kib ]]; then
    local fit=$((memory_kib / 1572864))
    ((fit < 1)) && fit=1
    ((fit < processors)) && processors=$fit
  fi
  echo "$processors"
}

# --- system packages

cmake_command() {
  local candidate version
  for candidate in cmake /usr/bin/cmake; do
    version=$("$candidate" --version 2>/dev/null | awk 'NR == 1 {print $3}') || continue
    if [[ $version =~ ^([0-9]+)\.([0-9]+) ]] &&
      ((BASH_REMATCH[1] > 3 || (BASH_REMATCH[1] == 3 && BASH_REMATCH[2] >= 25))); then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

# The folder with cmake, wherever it was found, must have ctest too.
use_cmake() {
  CMAKE=$(cmake_command) || die "no cmake of version 3.25 or newer"
  CTEST="$(dirname "$CMAKE")/ctest"
  [[ -x $CTEST ]] || CTEST=ctest
}

probe() {
  case $1 in
    cmd:*) "${1#cmd:}" --version >/dev/null 2>&1 ;;
    cmake) cmake_command >/dev/null ;;
    header:*) printf '#if !__has_include(<%s>)\n#error\n#endif\n' "${1#header:}" | c++ -E -x c++ - >/dev/null 2>&1 ;;
    pkgconf:*) pkg-config --exists "${1#pkgconf:}" 2>/dev/null ;;
    python-venv) find_python >/dev/null ;;
    python-headers) python_has_headers ;;
    sanitizers) echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
      clang++-19 -fsanitize=fuzzer,address -x c++ - -o /dev/null >/dev/null 2>&1 ;;
    none) return 1 ;;
  esac
}

# missing_packages "NAME|PROBE"...: the names of those that are not here, one a line.
missing_packages() {
  local entry installed=''
  if command -v dpkg-query >/dev/null; then
    # shellcheck disable=SC2016  # dpkg-query expands it
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${@%%|*}" 2>/dev/null || true)
  fi
  for entry in "$@"; do
    # pyenv and conda bring another Python than the package's: only the probe knows about that one.
    if [[ $entry != *"|python-"* ]] && grep -qxF "installed ${entry%%|*}" <<<"$installed"; then continue; fi
    probe "${entry#*|}" || echo "${entry%%|*}"
  done
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@" # nobody can type a password
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a \
    apt-get -qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@" </dev/null
}

install_packages() {
  apt_get update || echo "apt-get update failed in part; going on with the lists that are there"
  apt_get install -y --no-install-recommends "$@"
}

# need_packages "NAME|PROBE"...: installs what is missing, or says what is missing and stops.
need_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  local how="apt-get install ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    die "missing here (Debian's names): ${missing[*]}. Install them with this system's package manager
       (Homebrew: brew install cmake ninja pkg-config cli11 fmt tomlplusplus nlohmann-json sqlite boost isa-l zstd
       highway expat googletest)"
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    die "missing: ${missing[*]}. There is no sudo here; as root: $how"
  fi
  note "missing here: ${missing[*]}"
  as_root true || die "sudo refused. As root: $how" # it may ask for a password, which a live step cannot
  local log
  log=$(mktemp)
  live_step "$log" "System packages (apt-get, as root)" install_packages "${missing[@]}" ||
    die "apt-get could not install: ${missing[*]}. As root: $how"
  rm -f "$log"
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || die "still missing after apt-get installed them: ${missing[*]}"
}

# The same for what tests can do without: says what will be skipped instead of stopping.
want_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  # Ubuntu's chromium package is a shell around a snap, which containers and CI cannot install.
  if command -v apt-get >/dev/null && ! grep -qi '^ID=ubuntu' /etc/os-release && (need_packages "$@"); then
    return 0
  fi
  note "without ${missing[*]}: the tests that need them are skipped"
}

# --- Python

# find_python: an interpreter of a version that the recipes know, able to make virtual environments.
# $SEAMARK_PYTHON goes first.
find_python() {
  local candidate path
  for candidate in ${SEAMARK_PYTHON:+"$SEAMARK_PYTHON"} python3 python3.11 python3.12 python3.13 /usr/bin/python3; do
    path=$(command -v "$candidate" 2>/dev/null) || continue
    if "$path" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      echo "$path"
      return 0
    fi
  done
  return 1
}

python_has_headers() {
  local python
  python=$(find_python) || return 1
  "$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
}

# After need_packages with PYTHON_PACKAGES.
use_python() {
  PYTHON=$(find_python) || die "no Python 3.11, 3.12 or 3.13 with venv and ensurepip.
       Install one, or name it: SEAMARK_PYTHON=/path/to/python3.12 $0"
}

# make_venv FOLDER REQUIREMENTS...: a virtual environment with these files' packages; a stamp, written
# last, says that it is whole and of what.
make_venv() {
  local folder=$1 stamp="$1/.seamark-stamp" wanted
  shift
  wanted=$("$PYTHON" -c 'import sys; print(sys.version, sys.executable)' && cat "$@")
  if [[ -x $folder/bin/python && -f $stamp ]] && [[ $(<"$stamp") == "$wanted" ]]; then return 0; fi
  say "Making the virtual environment ${folder#"$ROOT"/}"
  rm -rf "$folder"
  "$PYTHON" -m venv "$folder" || die "$PYTHON cannot make a virtual environment in $folder"
  local arguments=() file
  for file in "$@"; do arguments+=(-r "$file"); done
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${arguments[@]}" ||
    die "pip could not install $*; is the package index reachable?"
  printf '%s\n' "$wanted" >"$stamp"
}

# --- build

# CI builds with warnings as errors; a user's newer compiler must not stop them.
preset() { if [[ -n ${CI:-} ]]; then echo "ci-$1"; else echo "$1"; fi; }

# build PRESET [TARGET...]: configures and builds into build/PRESET. Only who builds the program alone can do
# without GoogleTest; switching to and fro compiles nothing again.
build() {
  local name tests=ON
  [[ ${2:-} != seamark ]] || tests=OFF
  [[ $1 != fuzz ]] || tests=OFF
  name=$(preset "$1")
  shift
  local targets=()
  (($# == 0)) || targets=(--target "$@")
  (cd "$ROOT" && "$CMAKE" --preset "$name" -D SEAMARK_TESTS=$tests --log-level=WARNING >/dev/null &&
    "$CMAKE" --build --preset "$name" -j "$(jobs_here)" "${targets[@]}") >&2
}

CTEST_PREFIX=() # a command that ctest is to run under
# ctest_preset PRESET [ARGUMENT...]: says the failures with their output, and the sum.
ctest_preset() {
  local name=$1
  shift
  (cd "$ROOT" && "${CTEST_PREFIX[@]}" "$CTEST" --preset "$name" -j "$(jobs_here)" "$@") |
    grep -vE '^ +Start +[0-9]+:| Passed +[0-9.]+ sec *$' >&2
}

# --- environments of real frameworks, for tests

# Recipe, variable of the tests that need it, target that it must serve.
RECIPES=(
  "torch-cpu TORCH torch/cpu"
  "tensorflow-cpu TENSORFLOW tensorflow/cpu"
  "tensorflow-tpu-aot TENSORFLOW_TPU tensorflow/tpu-v3+aot"
  "jax-tpu-aot JAX jax/tpu-v3+aot"
  "torch-tpu-aot TORCH_TPU torch/tpu-v3+aot"
)

# environment_python RECIPE TARGET: the interpreter of an environment that Seamark made, made now if need be. The
# target may prefer another environment that is there.
environment_python() {
  local seamark="$ROOT/build/release/bin/seamark" config status=0
  config=$(mktemp) || return
  printf '[[target]]\nname = "%s"\nenvironments = ["%s"]\n' "$2" "$1" >"$config"
  { "$seamark" targets install "$1" >&2 && "$seamark" targets --config "$config" --target "$2" --json; } |
    "$PYTHON" -c '
import json, sys
found = json.load(sys.stdin)["targets"][0]
if not found["usable"]:
    sys.exit(found["reason"] or "unusable")
print(found["interpreter"])' || status=$?
  rm -f "$config"
  return "$status"
}

# test_environments NAME: exports SEAMARK_TEST_..._PYTHON for every one of RECIPES, and appends to the array NAME what
# cannot be had.
test_environments() {
  local -n missing_environments=$1
  local entry recipe name target python
  for entry in "${RECIPES[@]}"; do
    read -r recipe name target <<<"$entry"
    if python=$(environment_python "$recipe" "$target" </dev/null); then
      export "SEAMARK_TEST_${name}_PYTHON=$python"
    else
      missing_environments+=("environment $recipe")
    fi
  done
}
