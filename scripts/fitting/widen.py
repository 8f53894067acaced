"""Adds hidden units to the weights of Magnetic Cave's network.

    python3 scripts/fitting/widen.py OLD.bin OLD_UNITS NEW.bin NEW_UNITS

The old units keep their weights. The new ones get small random weights from their inputs, and
outputs of equal size with alternating signs, only to the head for games between equals. The
format is that of `src/game/magnetic_cave/network.rs`.
"""

import random
import struct
import sys

BUCKETS = 4
HEADS = 3
NEUTRAL_HEAD = 2
# The counted value and the bias.
OTHER_OUTPUTS = 2
INPUT_WEIGHT = 6
OUTPUT_WEIGHT = 120


def widen(old, old_units, new_units):
    outputs = BUCKETS * HEADS * (old_units + OTHER_OUTPUTS)
    width = old_units + HEADS
    inputs, rest = divmod(len(old) - 2 * outputs, width)
    if inputs < 1 or rest or new_units <= old_units:
        sys.exit(f"the {len(old)} bytes are not weights of {old_units} hidden units, or {new_units} are not more")
    added = new_units - old_units
    random.seed(5)
    new = bytearray()
    for at in range(0, inputs * width, width):
        weights = bytes(random.randint(-INPUT_WEIGHT, INPUT_WEIGHT) & 0xFF for _ in range(added))
        new += old[at : at + old_units] + weights + old[at + old_units : at + width]
    layers = struct.unpack(f"<{outputs}h", old[inputs * width :])
    for layer in range(BUCKETS * HEADS):
        at = layer * (old_units + OTHER_OUTPUTS)
        weight = OUTPUT_WEIGHT if layer % HEADS == NEUTRAL_HEAD else 0
        weights = [weight if unit % 2 == 0 else -weight for unit in range(added)]
        end = at + old_units
        wide = [*layers[at:end], *weights, *layers[end : end + OTHER_OUTPUTS]]
        new += struct.pack(f"<{len(wide)}h", *wide)
    return bytes(new)


def main():
    if len(sys.argv) != 5 or not (sys.argv[2].isdigit() and sys.argv[4].isdigit()):
        sys.exit(__doc__)
    old, old_units, new, new_units = sys.argv[1:]
    with open(old, "rb") as file:
        weights = file.read()
    with open(new, "wb") as file:
        file.write(widen(weights, int(old_units), int(new_units)))


if __name__ == "__main__":
    main()
