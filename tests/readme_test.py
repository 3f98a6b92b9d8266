#!/usr/bin/env python3
"""Documents show what the command prints: usage readme_test.py FORKSIM SOURCE_ROOT README...

FORKSIM_REGENERATE=1 puts the numbers printed now in place of those shown; lines that changed otherwise are left to you.
"""

import os
import pathlib
import re
import subprocess
import sys

PROMPT = "$ build/forksim "
NUMBER = re.compile(r"\d[\d.]*(ps|ns|us|ms|s)?")
BAR = re.compile(r"\|[@ ]*\|")


def shown(readme):
    """Blocks of code that begin with `$ build/forksim ...`, each with the newline before it."""
    for match in re.finditer(r"(?<=\n)(?:    .*\n)(?:    .*\n|\n(?=    (?!\$)))*", readme):
        if match[0].startswith("    " + PROMPT):
            yield match


def lines_of(block):
    return [line[4:].rstrip() for line in block.split("\n")[:-1]]


def parts_of(lines):
    """Splits at lines `...`, each of which stands for any number of lines left out."""
    parts = [[]]
    for line in lines:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def find(parts, printed, same):
    """The lines printed in place of each part, in order and each whole; None if one is not there."""
    found, position = [], 0
    for number, part in enumerate(parts):
        def fits(at, part=part):
            return len(printed) >= at + len(part) and all(map(same, printed[at:], part))
        places = [position] if number == 0 else range(position, len(printed) + 1)
        at = next((place for place in places if fits(place)), None)
        if at is None:
            return None
        found.append(printed[at:at + len(part)])
        position = at + len(part)
    # Without a closing "..." nothing may follow.
    return found if not parts[-1] or position == len(printed) else None


def masked(line):
    return " ".join(NUMBER.sub("#", BAR.sub("||", line)).split())


def main():
    forksim, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    failed = number = 0
    for name in sys.argv[3:]:
        path = root / name
        text = path.read_text(encoding="utf-8")
        fresh = text
        for block in shown(text):
            number += 1
            command, *lines = lines_of(block[0])
            output = subprocess.run([forksim, *command[len(PROMPT):].split()], cwd=root, capture_output=True,
                                    text=True, check=False)
            printed = [line.rstrip() for line in output.stdout.rstrip("\n").split("\n")]
            good = output.returncode == 0 and find(parts_of(lines), printed, str.__eq__) is not None
            if not good and os.environ.get("FORKSIM_REGENERATE"):
                found = find(parts_of(lines), printed, lambda a, b: masked(a) == masked(b))
                if found is not None:
                    again = [command, *"\n...\n".join("\n".join(part) for part in found).strip("\n").split("\n")]
                    fresh = fresh.replace(block[0], "".join(f"    {line}".rstrip() + "\n" for line in again))
            print(f"{'ok' if good else 'not ok'} {number} - {name} shows what `{command[2:]}` prints")
            if not good:
                failed += 1
                for line in printed + output.stderr.split("\n"):
                    print(f"# {line}")
        if fresh != text:
            path.write_text(fresh, encoding="utf-8")
    print(f"1..{number}")
    if number == 0:
        print("# no document shows the output of a command")
    return 1 if failed or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
