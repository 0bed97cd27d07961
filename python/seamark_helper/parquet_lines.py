"""Writes the rows of a Parquet file as JSON lines, for `seamark usage` (docs/usage.md, "Inputs").

parquet_lines.py FILE CONTENT REPOSITORY PATH [URL]: the columns' names, of which only the first must be there; with
URL, FILE is a path in its file system (open_url.py).
Exit codes: 0; 3 there is no pyarrow; 4 the file cannot be read on, 5 the URL cannot, with the reason as the last line
of standard error.
"""

import json
import os
import sys

NO_PYARROW = 3
NOT_READABLE = 4
# Rows are decoded so many at a time: some MiB of source.
ROWS = 256


def text(value):
    """JSON of a cell: columns of bytes are text too, other types are given as they are."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return value


def fail(message):
    print(message, file=sys.stderr)
    return NOT_READABLE


def write_rows(parquet, columns, out):
    for batch in parquet.iter_batches(batch_size=ROWS, columns=columns):
        for row in batch.to_pylist():
            fields = {name: text(value) for name, value in row.items()}
            line = json.dumps(fields, ensure_ascii=False, default=str)
            out.write(line.encode("utf-8", "replace"))
            out.write(b"\n")


def main(arguments):
    path, content, *others = arguments[:4]
    url = arguments[4] if len(arguments) > 4 else None
    try:
        import pyarrow.parquet
    except ImportError as error:
        print("no pyarrow: %s" % error, file=sys.stderr)
        return NO_PYARROW
    source = path
    try:
        if url:
            import open_url

            source = open_url.Ranges(url, path)
        with pyarrow.parquet.ParquetFile(source) as parquet:
            present = set(parquet.schema_arrow.names)
            if content not in present:
                return fail('it has no column "%s", but %s' % (content, ", ".join(sorted(present))))
            columns = [name for name in (*others, content) if name in present]
            with open(1, "wb", buffering=1 << 20, closefd=False) as out:
                write_rows(parquet, columns, out)
    except BrokenPipeError:
        # Nobody reads on; what is left in the buffer must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return open_url.BROKE_OFF if url else 0  # it may as well have been the URL's connection
    except Exception as error:
        if url and (source is path or source.broken):
            fail(" ".join(str(open_url.failure(error)).split()))
            return open_url.BROKE_OFF
        return fail("cannot read on: %s" % (" ".join(str(error).split()) or type(error).__name__))
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # an event loop of fsspec might wait, or complain
