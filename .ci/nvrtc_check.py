#!/usr/bin/env python3
"""Compile captured CUDA kernels with NVRTC, without a GPU, and check that they do double arithmetic.

    BURN_DID_CUDA_SOURCES=dir cargo test --features cuda-source --lib cuda_source
    pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl
    .ci/nvrtc_check.py dir [sm_90a]

It proves nothing about numbers or speed: that takes a GPU. CUDA's own double `exp` uses a few single-precision
instructions, so their absence is not asserted.
"""

import ctypes
import pathlib
import re
import sys
import sysconfig
import time

NVIDIA = pathlib.Path(sysconfig.get_paths()["purelib"]) / "nvidia"
LIBRARIES = ["cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"]
INCLUDES = [
    ["cu13/include", "cuda_runtime/include"],
    ["cu13/include/cccl", "cuda_cccl/include/cccl", "cuda_cccl/include"],
]
ARITHMETIC = re.compile(r"\b(?:add|sub|mul|fma|div)(?:\.\w+)*\.f64\b")


def installed(candidates):
    return next((str(NVIDIA / c) for c in candidates if (NVIDIA / c).exists()), None)


class Nvrtc:
    """The few NVRTC calls that a compilation takes."""

    def __init__(self):
        library = installed(LIBRARIES)
        if library is None:
            sys.exit("NVRTC is not installed: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime")
        self.api = ctypes.CDLL(library)
        self.includes = [path for path in map(installed, INCLUDES) if path]
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.api.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def text(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.api, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.api, f"nvrtcGet{what}")(program, buffer)
        return buffer.value.decode()

    def compile(self, source, arch):
        """PTX and log; no PTX if the source does not compile. Options are those of the CUDA runtime of CubeCL."""
        program = ctypes.c_void_p()
        self.api.nvrtcCreateProgram(ctypes.byref(program), source, None, 0, None, None)
        options = [f"--gpu-architecture={arch}", "-lineinfo"]
        options += [f"--include-path={path}" for path in self.includes]
        array = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        failed = self.api.nvrtcCompileProgram(program, len(options), array)
        log = self.text(program, "ProgramLog").strip()
        ptx = None if failed else self.text(program, "PTX")
        self.api.nvrtcDestroyProgram(ctypes.byref(program))
        return ptx, log


# Kernels that move numbers, or add up their bits; and of a design that is the constant alone (k = 1) a linear predictor is
# its coefficient.
MOVES = re.compile(r"^\d+_(k\d+_(copy|add_words)|k1_linear_predictors)")


def main(directory, arch="sm_90a"):
    sources = sorted(pathlib.Path(directory).glob("*.cu"))
    if not sources:
        sys.exit(f"no .cu files in {directory}")
    nvrtc = Nvrtc()
    print(f"NVRTC {nvrtc.version}, {arch}, {len(sources)} kernels")
    failures = 0
    for path in sources:
        start = time.monotonic()
        ptx, log = nvrtc.compile(path.read_bytes(), arch)
        seconds = time.monotonic() - start
        doubles = len(ARITHMETIC.findall(ptx or ""))
        if ptx is None:
            verdict = "FAILED"
        elif doubles or MOVES.search(path.stem):
            verdict = "ok"
        else:
            verdict = "NO DOUBLE ARITHMETIC"
        failures += verdict != "ok"
        print(f"{path.name:40} {seconds:5.2f} s  {doubles:4} double instructions  {verdict}")
        if ptx is None:
            print(log)
    sys.exit(failures > 0)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
