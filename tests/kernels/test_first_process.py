"""The process that compiles a kernel computes the same bits as later ones, which read it from the cache."""

import os
import subprocess
import sys

import pytest

FIT = """
import numpy as np
from openbook.tree import C45

rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 8))
y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=4000) > 0).astype(int) + (X[:, 3] > 1)
X[rng.random(X.shape) < 0.1] = np.nan
print(C45().fit(X, y).predict_proba(X).tobytes().hex())
"""


@pytest.mark.thorough
def test_fractional_instances_have_the_same_weights_in_every_process(tmp_path):
    place = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    compiled, cached = (
        subprocess.run([sys.executable, "-c", FIT], env=place, capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert compiled.stdout
    assert compiled.stdout == cached.stdout
