"""Turns a table of `seamark usage`, CSV on standard input, into Parquet on standard output.

Exit codes: 0; 3 there is no pyarrow.
"""

import os
import sys

NO_PYARROW = 3


def main():
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        print("no pyarrow: %s" % error, file=sys.stderr)
        return NO_PYARROW
    types = {
        "function": pyarrow.string(),
        "tier": pyarrow.string(),
        "calls": pyarrow.int64(),
        "references": pyarrow.int64(),
        "files": pyarrow.int64(),
        "repositories": pyarrow.int64(),
    }
    table = pyarrow.csv.read_csv(
        sys.stdin.buffer,
        convert_options=pyarrow.csv.ConvertOptions(column_types=types, include_columns=list(types)),
    )
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    sys.stdout.buffer.write(sink.getvalue())
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # Arrow's threads may abort a process that waits for them: apache/arrow#34314
