#!/usr/bin/env python3
"""Count the instructions of captured CUDA kernels, as they are compiled for a processor, by basic block; without a GPU.

    BURN_DID_CUDA_SOURCES=dir cargo test --features __cuda-source --lib cuda_source
    pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-nvdisasm
    benches/gpu/instructions.py dir multiplied_sums [sm_90a]

The blocks that a loop repeats end with a jump back to their own label. `whole` counts operations on whole numbers and bits,
comparisons and selections, of which a multiprocessor of an H200 does 64 a cycle; it issues 128 instructions of any kind.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".ci"))
from nvrtc_check import NVIDIA, Nvrtc  # noqa: E402

KINDS = {
    "whole": "LOP3 PLOP3 SEL FSEL VIADD IADD3 ISETP SHF VIADDMNMX VIMNMX LEA PRMT".split(),
    "doubles": "DFMA DADD DMUL".split(),
    "shared": "LDS STS".split(),
    "global": "LDG STG".split(),
}
LABEL = re.compile(r"^\.(L_x_\d+):")
INSTRUCTION = re.compile(r"^(?:/\*[0-9a-f]+\*/)?\s*(?:@!?U?P\d+ )?([A-Z][A-Z0-9.]*)(.*);")


def kind(instruction):
    name = instruction.split(".")[0]
    if instruction.startswith(("IMAD.WIDE", "IMAD.HI")):
        return "products"
    return next((kind for kind, names in KINDS.items() if name in names), "other")


def blocks(text):
    """Name, counts and whether it is repeated, of each block that has instructions."""
    found = [("start", collections.Counter(), False)]
    for line in map(str.strip, text.splitlines()):
        if label := LABEL.match(line):
            found.append((label[1], collections.Counter(), False))
        elif instruction := INSTRUCTION.match(line):
            name, counts, repeated = found[-1]
            counts[kind(instruction[1])] += 1
            repeated |= instruction[1] == "BRA" and f"(.{name})" in instruction[2]
            found[-1] = name, counts, repeated
    return [block for block in found if block[1]]


def disassembled(cubin):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        tool = next(NVIDIA.glob("*/bin/nvdisasm"), "nvdisasm")
        return subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=True).stdout


def main(directory, name, arch="sm_90a"):
    nvrtc = Nvrtc()
    columns = ["whole", "products", "doubles", "shared", "global", "other"]
    for path in sorted(pathlib.Path(directory).glob(f"*{name}*.cu")):
        compiled = nvrtc.compile(path.read_bytes(), arch)
        print(f"\n{path.name}: {compiled.usage}\n")
        print("| block | repeated | all | " + " | ".join(columns) + " |")
        print("|---|---|" + "---:|" * (len(columns) + 1))
        for label, counts, repeated in blocks(disassembled(compiled.cubin)):
            row = [counts.total(), *(counts[column] for column in columns)]
            print(f"| {label} | {'yes' if repeated else ''} | " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
