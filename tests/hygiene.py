#!/usr/bin/env python3
"""The rules of this source tree that no compiler checks, one Test Anything Protocol case per rule.

usage: hygiene.py SOURCE_ROOT
"""
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

FOLDERS = ["sim", "models", "platforms", "scenarios", "analysis", "tests"]
TOP_LEVEL = {*FOLDERS, "meson.build", "README.md", "LICENSE", "setup"}  # and dot files
# What each folder may include, itself aside; tests/ may include everything.
KNOWS = {
    "sim": [],
    "models": ["sim"],
    "platforms": ["sim", "models"],
    "scenarios": ["sim", "models", "platforms"],
    "analysis": ["sim", "models", "platforms", "scenarios"],
}
# The helper is a program: it puts together what belongs to no one folder.
COMPOSES = {"platforms/simgrid/run_command.cpp": ["scenarios"]}
HEAVY = re.compile(r'[<"](CLI|nlohmann|boost|simgrid|xbt|yaml-cpp|spdlog)/')
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])')
MOST_LINES = 400


def tree(root):
    """All files of the tree but those that git ignores, as paths relative to the root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True)
    if listing.returncode == 0:
        names = listing.stdout.split("\0")
    else:  # not a git work tree: a release archive
        names = [p.relative_to(root).as_posix() for p in root.rglob("*")]
        names = [n for n in names if not n.startswith(("build", ".git/"))]
    return sorted(PurePosixPath(n) for n in set(names) if n and (root / n).is_file())


class Hygiene:
    def __init__(self, root):
        self.root = root
        self.files = tree(root)
        self.code = [f for f in self.files if f.suffix in (".cpp", ".hpp", ".ipp")]

    def lines(self, file):
        return (self.root / file).read_text(encoding="utf-8").splitlines()

    def includes(self, file):
        for number, line in enumerate(self.lines(file), 1):
            if match := INCLUDE.match(line):
                yield f"{file}:{number}", match[1]

    def the_top_level_holds_exactly_what_it_should(self):
        present = {f.parts[0] for f in self.files if not f.parts[0].startswith(".")}
        yield from (f"{name}: does not belong at the top" for name in sorted(present - TOP_LEVEL))
        yield from (f"{name}: missing" for name in sorted(TOP_LEVEL - present))

    def each_folder_has_a_readme(self):
        for folder in FOLDERS:
            readme = self.root / folder / "README.md"
            if not readme.is_file() or not readme.read_text(encoding="utf-8").strip():
                yield f"{folder}/README.md: missing or empty"

    def no_folder_includes_from_above(self):
        for file in self.code:
            folder = file.parts[0]
            for place, header in self.includes(file) if folder in KNOWS else []:
                used = header.strip('<>"').split("/")[0]
                known = [folder, *KNOWS.get(folder, []), *COMPOSES.get(str(file), [])]
                if used in FOLDERS and used not in known:
                    yield f"{place}: {folder}/ must not know {used}/"

    def heavy_headers_stay_out_of_headers(self):
        for file in self.code:
            for place, header in self.includes(file) if file.suffix != ".cpp" else []:
                if HEAVY.match(header):
                    yield f"{place}: {header} belongs in a .cpp"

    def only_the_helper_uses_simgrid(self):
        for file in self.code:
            if file.parts[:2] != ("platforms", "simgrid"):
                for place, header in self.includes(file):
                    if header.startswith(("<simgrid/", "<xbt/", '"simgrid/', '"xbt/')):
                        yield f"{place}: SimGrid belongs in platforms/simgrid/"

    def no_file_holds_more_than_400_lines(self):
        for file in self.code:
            count = len(self.lines(file))
            if file.parts[0] != "tests" and count > MOST_LINES:
                yield f"{file}: {count} lines; which second concept does it hold?"

    def headers_are_guarded(self):
        for file in self.code:
            if file.suffix == ".hpp" and "#pragma once" not in self.lines(file)[:1]:
                yield f"{file}:1: does not open with #pragma once"

    def meson_knows_every_source_and_library_file(self):
        for file in self.files:
            library = (file.parts[0], file.suffix) in (("scenarios", ".yaml"), ("platforms", ".xml"))
            if file.suffix == ".cpp" or library:
                above = [p for p in file.parents if (self.root / p / "meson.build").is_file()]
                if not any(f"'{file.relative_to(p)}'" in (self.root / p / "meson.build").read_text() for p in above):
                    yield f"{file}: named in no meson.build"

    def clang_format_agrees(self):
        checked = subprocess.run(
            ["clang-format", "--dry-run", "-Werror", *map(str, self.code)],
            cwd=self.root, capture_output=True, text=True)
        if checked.returncode != 0:
            places = [line for line in checked.stderr.splitlines() if ": error: " in line]
            yield from places or checked.stderr.splitlines()


def main():
    hygiene = Hygiene(Path(sys.argv[1]).resolve())
    checks = [name for name, value in vars(Hygiene).items() if callable(value)]
    checks = [name for name in checks if name not in ("__init__", "lines", "includes")]
    broken = 0
    for number, name in enumerate(checks, 1):
        faults = list(getattr(hygiene, name)())
        broken += bool(faults)
        print("not ok" if faults else "ok", number, "-", name.replace("_", " "))
        for fault in faults:
            print("#", fault)
    print(f"1..{len(checks)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
