#!/usr/bin/env python3
"""Writes the outlines of a TrueType font's characters, which is all that plots need of it.

    python outlines.py FONT.ttf > DejaVuSans.outlines       # needs fonttools

All numbers are little-endian, and lengths are in half units of the font, as points may lie halfway between two others. First units per em
(u16) and the number of characters (u16); then for each character, ascending, its code (u32), its advance (u16), the number of its curves
(u16) and the curves: the number of points (u8; 2 for a line, 3 for a quadratic) and their coordinates (i16, x and y, upwards). Code 0 stands
for characters that the font does not have.
"""

import struct
import sys

from fontTools.pens.basePen import decomposeQuadraticSegment
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont


def curves(font, name):
    pen = DecomposingRecordingPen(font.getGlyphSet())
    font.getGlyphSet()[name].draw(pen)
    start = last = None
    for command, points in pen.value:
        match command:
            case "moveTo":
                start = last = points[0]
            case "lineTo":
                yield [last, points[0]]
                last = points[0]
            case "qCurveTo":
                if points[-1] is None:
                    raise ValueError(f"{name}: a contour without a point on it")
                for off, on in decomposeQuadraticSegment(points):
                    yield [last, off, on]
                    last = on
            case "closePath" if last != start:
                yield [last, start]
                last = start


def main():
    font = TTFont(sys.argv[1])
    named = {0: ".notdef"} | font.getBestCmap()
    out = [struct.pack("<HH", 2 * font["head"].unitsPerEm, len(named))]
    for code, name in sorted(named.items()):
        own = list(curves(font, name))
        out.append(struct.pack("<IHH", code, 2 * font["hmtx"][name][0], len(own)))
        for points in own:
            out.append(struct.pack("<B", len(points)))
            out.extend(struct.pack("<h", round(2 * v)) for point in points for v in point)
    sys.stdout.buffer.write(b"".join(out))


if __name__ == "__main__":
    main()
