#!/usr/bin/env python3
"""Installs forksim into a fresh directory and asks what an installed command finds there.

usage: install_test.py MESON BUILD_DIR BINDIR PROBE      (BINDIR: with its prefix, as configured)
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    meson, build, bindir, probe = sys.argv[1:]
    environment = {k: v for k, v in os.environ.items() if k not in ("FORKSIM_LIBRARY", "DESTDIR")}
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch).resolve() / "moved" / "elsewhere"
        subprocess.run([meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", place],
                       check=True, env=environment, stdout=sys.stderr)
        commands = place / Path(bindir).relative_to("/")
        shutil.copy(probe, commands)
        found = subprocess.run([commands / Path(probe).name], env=environment, capture_output=True, text=True)
        print("# " + (found.stdout + found.stderr).replace("\n", "\n# "))
        library, helper = (found.stdout.splitlines() + ["", ""])[:2]
        inside = str(place) + "/"
        report("the command is installed", os.access(commands / "forksim", os.X_OK))
        report("an installed command finds the library installed with it",
               library.startswith(inside) and Path(library, "scenarios").is_dir())
        report("an installed command finds the helper installed with it",
               helper.startswith(inside) and os.access(helper, os.X_OK))
        run = subprocess.run([helper, "run", "one-lock", "--duration", "20us", "--warmup", "0us"],
                             env=environment, capture_output=True, text=True)
        report("an installed helper finds the library installed with it",
               run.stdout.startswith("forksim-reference/1"))
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


results = []


def report(name, holds):
    results.append(holds)
    print("ok" if holds else "not ok", len(results), "-", name)


if __name__ == "__main__":
    sys.exit(main())
