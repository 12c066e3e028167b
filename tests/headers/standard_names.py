#!/usr/bin/env python3
"""Checks that each header of src/megascale and include/megascale includes the standard header of every name of std that it uses, itself or through other
headers of the project. The compilation of each header alone does not see that: it begins with the standard headers precompiled.

    tests/headers/standard_names.py              all headers; exit code 1 if one lacks an include
    tests/headers/standard_names.py FILE ...     these, by paths below src/ or include/"""
import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "src", ROOT / "include")
# The header of each name. A name that is missing here is an error, too.
NAMES = {
    "algorithm": "all_of any_of clamp copy copy_n equal fill find find_if lower_bound max max_element min none_of nth_element reverse sort "
                 "stable_sort upper_bound",
    "array": "array",
    "atomic": "atomic memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst",
    "bit": "bit_cast bit_ceil bit_floor bit_width countr_zero endian has_single_bit popcount",
    "bitset": "bitset",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "abs ceil cos erfc exp exp2 floor fmax fmin isfinite isnan llround log log1p log2 pow round sin sqrt tanh",
    "condition_variable": "condition_variable condition_variable_any",
    "cstddef": "byte nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    "cstdlib": "aligned_alloc free",
    "cstring": "memcmp memcpy memmove memset strlen",
    "ctime": "time_t timespec tm",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception terminate",
    "filesystem": "filesystem",
    "functional": "equal_to function greater hash invoke less",
    "future": "future promise shared_future",
    "initializer_list": "initializer_list",
    "iosfwd": "istream ostream",
    "iterator": "ssize",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "addressof make_shared make_unique make_unique_for_overwrite shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "new": "bad_alloc",
    "numbers": "numbers",
    "numeric": "accumulate iota",
    "optional": "make_optional nullopt nullopt_t optional",
    "queue": "priority_queue queue",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "stop_token": "stop_source stop_token",
    "string": "getline stod stoi stoll stoull string to_string",
    "string_view": "string_view",
    "system_error": "errc error_code generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply make_tuple tie tuple",
    "type_traits": "conditional_t decay_t enable_if_t false_type integral_constant invoke_result_t is_arithmetic_v is_enum_v is_floating_point_v "
                   "is_integral_v is_invocable_v is_same_v is_trivially_copyable_v remove_cvref_t true_type underlying_type_t",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "declval exchange forward index_sequence make_index_sequence make_pair move pair swap",
    "variant": "get get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
# What a standard header brings with it, by the standard's own synopsis, or because its own functions need it.
BRINGS = {
    "array": "cstddef utility initializer_list", "chrono": "cstdint", "condition_variable": "mutex chrono", "cstring": "cstddef",
    "deque": "initializer_list cstddef", "filesystem": "string string_view system_error chrono", "istream": "iosfwd", "map": "functional utility initializer_list",
    "memory": "utility cstddef", "mutex": "chrono", "optional": "utility", "ostream": "iosfwd", "set": "functional initializer_list", "span": "array cstddef",
    "string": "string_view initializer_list cstddef iosfwd", "string_view": "cstddef", "thread": "chrono stop_token", "tuple": "utility",
    "unordered_map": "utility", "variant": "utility", "vector": "initializer_list cstddef",
}


@functools.lru_cache(None)
def path_of(name):
    """The file of a header, or None if it is none of the project's."""
    return next((folder / name for folder in FOLDERS if (folder / name).exists()), None)


@functools.lru_cache(None)
def text_of(name):
    return path_of(name).read_text()


@functools.lru_cache(None)
def included(name):
    """The standard headers that a header includes, itself or through headers of the project."""
    seen, standard, left = set(), set(), [name]
    while left:
        header = left.pop()
        if header in seen or path_of(header) is None:
            continue
        seen.add(header)
        left += re.findall(r'^#include "([^"]+)"', text_of(header), re.MULTILINE)
        standard.update(re.findall(r"^#include <([^>]+)>", text_of(header), re.MULTILINE))
    left = list(standard)
    while left:
        for brought in BRINGS.get(left.pop(), "").split():
            if brought not in standard:
                standard.add(brought)
                left.append(brought)
    return frozenset(standard)


def findings(name):
    code = re.sub(r"//[^\n]*", "", text_of(name))
    for used in sorted(set(re.findall(r"\bstd::(\w+)", code))):
        header = HEADER_OF.get(used)
        if header is None:
            yield f"{path_of(name).relative_to(ROOT)}: std::{used} is not in the table of tests/headers/standard_names.py: add it beside its header"
        elif header not in included(name):
            yield f"{path_of(name).relative_to(ROOT)}: expected #include <{header}> for std::{used}, found none here or in the headers that it includes"


def main():
    # Left out is what CMakeLists.txt leaves out: -inl.h files of Highway, and code for CUDA's compiler.
    names = sys.argv[1:] or sorted(str(path.relative_to(folder)) for folder in FOLDERS for path in (folder / "megascale").rglob("*.h")
                                   if not path.name.endswith(("-inl.h", "device_code.h")))
    found = [line for name in names for line in findings(name)]
    print("\n".join(found) or f"{len(names)} headers include the standard headers of all names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
