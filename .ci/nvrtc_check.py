#!/usr/bin/env python3
"""Compile captured CUDA kernels with NVRTC, without a GPU, and check that they do double arithmetic, and that what a unit keeps
stays in its registers.

    BURN_DID_CUDA_SOURCES=dir cargo test --features __cuda-source --lib cuda_source
    pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl
    .ci/nvrtc_check.py dir [sm_90a]

It proves nothing about numbers or speed: that takes a GPU. CUDA's own double `exp` uses a few single-precision
instructions, so their absence is not asserted.
"""

import ctypes
import dataclasses
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
REGISTERS = re.compile(r"Used (\d+) registers")
STACK = re.compile(r"(\d+) bytes stack frame")
# A spilled register or two cost nothing; an array in memory is read again and again.
MOST_STACK = 16
ARITHMETIC = re.compile(r"\b(?:add|sub|mul|fma|div)(?:\.\w+)*\.f64\b")


def installed(candidates):
    return next((str(NVIDIA / c) for c in candidates if (NVIDIA / c).exists()), None)


@dataclasses.dataclass
class Compiled:
    """A kernel, or the log that says why there is none."""

    done: bool
    log: str
    ptx: str
    cubin: bytes

    @property
    def registers(self):
        return int(REGISTERS.search(self.log)[1])

    @property
    def stack(self):
        """Bytes of memory that a unit keeps arrays and spilled registers in."""
        return int(STACK.search(self.log)[1])

    @property
    def usage(self):
        return f"{self.registers} registers, {self.stack} bytes of stack"


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

    def output(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.api, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.api, f"nvrtcGet{what}")(program, buffer)
        return buffer.raw

    def compile(self, source, arch):
        """What becomes of a source. Options are those of the CUDA runtime of CubeCL, and that the assembler reports."""
        program = ctypes.c_void_p()
        self.api.nvrtcCreateProgram(ctypes.byref(program), source, None, 0, None, None)
        options = [f"--gpu-architecture={arch}", "-lineinfo", "--ptxas-options=-v"]
        options += [f"--include-path={path}" for path in self.includes]
        array = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        failed = self.api.nvrtcCompileProgram(program, len(options), array)
        log = self.output(program, "ProgramLog").rstrip(b"\0").decode().strip()
        ptx = "" if failed else self.output(program, "PTX").decode()
        cubin = b"" if failed else self.output(program, "CUBIN")
        self.api.nvrtcDestroyProgram(ctypes.byref(program))
        return Compiled(not failed, log, ptx, cubin)


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
        compiled = nvrtc.compile(path.read_bytes(), arch)
        seconds = time.monotonic() - start
        doubles = len(ARITHMETIC.findall(compiled.ptx))
        if not compiled.done:
            verdict = "FAILED"
        elif not (doubles or MOVES.search(path.stem)):
            verdict = "NO DOUBLE ARITHMETIC"
        elif compiled.stack > MOST_STACK:
            verdict = "ARRAYS IN MEMORY"
        else:
            verdict = "ok"
        failures += verdict != "ok"
        usage = compiled.usage if compiled.done else compiled.log
        print(f"{path.name:40} {seconds:5.2f} s  {doubles:4} double instructions, {usage}  {verdict}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
