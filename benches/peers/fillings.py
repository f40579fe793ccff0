#!/usr/bin/env python3
"""Writes fillings of the hopper, the same for LAMMPS (.lmp) and for the example hopper_seeds (.csv).

usage: fillings.py FOLDER FIRST_SEED LAST_SEED
"""
import math
import os
import sys

import numpy as np


def filling(seed, count=500, width=0.3, columns=12, radius=0.01, bottom=0.2205):
    rng = np.random.default_rng(1000 + seed)
    cell = width / columns
    slack = cell / 2 - radius - 1e-5
    index = np.arange(count)
    x = (index % columns + 0.5) * cell + rng.uniform(-1, 1, count) * slack
    y = bottom + (index // columns + 0.5) * cell + rng.uniform(-1, 1, count) * slack
    u = rng.uniform(-0.3, 0.3, count)
    v = rng.uniform(-0.3, 0.3, count)
    return x, y, np.full(count, radius), u, v


def write(folder, seed):
    x, y, r, u, v = filling(seed)
    rows = range(len(x))
    name = os.path.join(folder, f"filling_{seed}")
    with open(name + ".csv", "w") as f:
        f.write("id,x,y,r,vx,vy\n")
        for k in rows:
            f.write(f"{k + 1},{x[k]:.9g},{y[k]:.9g},{r[k]:.9g},{u[k]:.9g},{v[k]:.9g}\n")
    top = math.ceil(10 * y.max() + 3) / 10
    with open(name + ".lmp", "w") as f:
        f.write(f"# filling {seed}\n\n{len(x)} atoms\n2 atom types\n\n-0.05 0.35 xlo xhi\n")
        f.write(f"-0.06 {top} ylo yhi\n-0.05 0.05 zlo zhi\n\nAtoms # sphere\n\n")
        for k in rows:
            f.write(f"{k + 1} 1 {2 * r[k]:.9g} 1190 {x[k]:.9g} {y[k]:.9g} 0\n")
        f.write("\nVelocities\n\n")
        for k in rows:
            f.write(f"{k + 1} {u[k]:.9g} {v[k]:.9g} 0 0 0 0\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for s in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
        write(sys.argv[1], s)
