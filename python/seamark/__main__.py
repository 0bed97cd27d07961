"""Becomes the executable: same process, same arguments, same signals."""

import os
import sys

from seamark.executable import executable_path


def main() -> None:
    try:
        path = executable_path()
        os.execv(path, [str(path), *sys.argv[1:]])
    except OSError as error:
        print(f"seamark: error: {error}", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
