"""What a bot with NumPy may use in a sandbox."""

import os

import numpy

numbers = numpy.random.rand(500, 500)
# On all cores.
assert numpy.allclose((numbers @ numbers) @ numbers, numbers @ (numbers @ numbers))
numpy.linalg.svd(numbers[:100, :100])
path = os.path.join(os.environ["TMPDIR"], "numbers.npy")
numpy.save(path, numbers)
stored = numpy.load(path, mmap_mode="r+")
stored[0, 0] = 1
stored.flush()
