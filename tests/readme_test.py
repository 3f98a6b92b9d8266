#!/usr/bin/env python3
"""The README shows what the command prints: usage readme_test.py FORKSIM SOURCE_ROOT."""

import pathlib
import re
import subprocess
import sys


def blocks(readme):
    """Pairs of a command and the lines shown below it: a block of code that begins with `$ build/forksim ...`."""
    for block in re.findall(r"(?:^    .*\n|^\n)+", readme, re.MULTILINE):
        lines = [line[4:].rstrip() for line in block.strip("\n").split("\n")]
        if lines and lines[0].startswith("$ build/forksim "):
            yield lines[0][len("$ build/forksim "):], lines[1:]


def main():
    forksim, root = sys.argv[1:3]
    readme = (pathlib.Path(root) / "README.md").read_text(encoding="utf-8")
    shown = list(blocks(readme))
    print(f"1..{max(1, len(shown))}")
    if not shown:
        print("not ok 1 - README.md shows the output of a command")
        return 1
    failed = 0
    for number, (command, lines) in enumerate(shown, 1):
        arguments = [word for word in command.split() if word != "|"]
        output = subprocess.run([forksim, *arguments], capture_output=True, text=True, check=False)
        printed = [line.rstrip() for line in output.stdout.split("\n")]
        # "..." stands for lines left out; everything between is shown whole and in order.
        position, good = 0, output.returncode == 0
        for part in "\n".join(lines).split("\n..."):
            wanted = part.strip("\n").split("\n")
            while good and printed[position:position + len(wanted)] != wanted:
                position += 1
                good = position < len(printed)
            position += len(wanted)
        print(f"{'ok' if good else 'not ok'} {number} - README.md shows what `forksim {command}` prints")
        if not good:
            failed += 1
            for line in printed:
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
