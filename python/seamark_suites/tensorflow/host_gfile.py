"""tf.io.gfile.GFile: files and folders of the host, in memory and on disk."""

import os

from seamark_suites.case import case

WRITE = "tf.io.gfile.GFile.write"


@case("tf.io.gfile.GFile", host_only=True, reference="none")
def gfile_text(t):
    path = os.path.join(t.tmpdir(), "text")
    with open(path, "w", encoding="utf-8") as out:
        out.write("one\ntwo\u00e9\nthree")
    with t.call("tf.io.gfile.GFile", path) as file:
        lines = list(file)
    t.expect(lines == ["one\n", "two\u00e9\n", "three"], "the lines, got %r" % (lines,))


@case("tf.io.gfile.GFile", host_only=True, reference="none")
def gfile_bytes(t):
    path = os.path.join(t.tmpdir(), "bytes")
    with open(path, "wb") as out:
        out.write(bytes(range(256)))
    with t.call("tf.io.gfile.GFile", path, "rb") as file:
        t.expect(file.size() == 256 and file.read(3) == b"\0\1\2", "the size and the first bytes")
        file.seek(250)
        t.expect(file.tell() == 250 and file.read() == bytes(range(250, 256)), "the rest")


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_missing(t):
    path = os.path.join(t.tmpdir(), "missing")
    file = t.call("tf.io.gfile.GFile", path, "r")
    t.raises(t.fw.errors.NotFoundError, file.read)


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_wrong_mode(t):
    path = os.path.join(t.tmpdir(), "file")
    t.raises(
        (ValueError, t.fw.errors.OpError), lambda: t.call("tf.io.gfile.GFile", path, "q").write("x")
    )


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_bytes_by_lines(t):
    """Lines of bytes; places from the start, from here and from the end; bytes and text, added to what is there."""
    path = os.path.join(t.tmpdir(), "bytes")
    with t.call("tf.io.gfile.GFile", path, "wb") as file:
        file.write(b"ab\xff\n")
        file.write("t")
        t.expect(file.tell() == 5, "five bytes, got %d" % file.tell())
    with t.call("tf.io.gfile.GFile", path, "ab") as file:
        file.write(b"\xfe")
    with t.call("tf.io.gfile.GFile", path, "rb") as file:
        t.expect(list(file) == [b"ab\xff\n", b"t\xfe"], "two lines")
        file.seek(-1, 2)
        t.expect(file.read() == b"\xfe", "the last byte")
        file.seek(1)
        file.seek(1, 1)
        t.expect(file.read(1) == b"\xff" and file.seekable(), "the third byte")
        t.raises(t.fw.errors.InvalidArgumentError, file.seek, 0, 5)
        t.raises(TypeError, file.seek)
    t.raises(UnicodeDecodeError, t.call("tf.io.gfile.GFile", path).read)


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_closed(t):
    """What was written is there after close, a second close, an error within; it is read in parts, to its end."""
    path, errors = os.path.join(t.tmpdir(), "file"), t.fw.errors
    file = t.call("tf.io.gfile.GFile", path, "w")
    file.write("kept")
    file.close()
    file.close()
    with open(path) as back:
        t.expect(back.read() == "kept", "what was written")
    try:
        with t.call("tf.io.gfile.GFile", path, "w") as file:
            file.write("so far")
            raise KeyError("of the body")
    except KeyError:
        pass
    file = t.call("tf.io.gfile.GFile", path)
    t.expect(file.read(2) == "so" and file.read(0) == "" and file.read(-1) == " far", "in parts")
    t.raises(StopIteration, next, file)
    t.raises(errors.NotFoundError, t.call("tf.io.gfile.GFile", path + "s/x", "w").write, "x")
    t.raises(TypeError, t.call("tf.io.gfile.GFile", path, "w").write, 3)


@case("tf.io.gfile.GFile.write", host_only=True, reference="none", mode=["w", "wb"])
def gfile_write(t, mode):
    path = os.path.join(t.tmpdir(), "out")
    parts = [b"a\n", b"\xc3\xa9", b"end"]
    with t.fw.io.gfile.GFile(path, mode) as file:
        for part in parts:
            t.call("tf.io.gfile.GFile.write", file, part if mode == "wb" else part.decode("utf-8"))
    with open(path, "rb") as back:
        got = back.read()
    t.expect(got == b"a\n\xc3\xa9end", "what was written, got %r" % got)


@case("tf.io.gfile.GFile.write", host_only=True, reference="none", core=False)
def gfile_append(t):
    """Mode a adds to the end; mode w begins anew."""
    path = os.path.join(t.tmpdir(), "out")
    for mode, want in (("w", b"x"), ("a", b"xx"), ("w", b"x")):
        with t.fw.io.gfile.GFile(path, mode) as file:
            t.call("tf.io.gfile.GFile.write", file, "x")
        with open(path, "rb") as back:
            t.expect(back.read() == want, "%r after mode %s" % (want, mode))


@case("tf.io.gfile.GFile.write", host_only=True, reference="none", core=False)
def gfile_write_refused(t):
    """A file that is open for reading takes nothing."""
    path = os.path.join(t.tmpdir(), "out")
    open(path, "w").close()
    file = t.fw.io.gfile.GFile(path, "r")
    t.raises(t.fw.errors.PermissionDeniedError, t.call, "tf.io.gfile.GFile.write", file, "x")


@case(WRITE, host_only=True, reference="none", core=False, mode=["w", "wb"])
def gfile_write_kinds(t, mode):
    """Text as UTF-8 and bytes as they are, in either mode; NumPy's text, an array of bytes, nothing; no line is ended anew."""
    path = os.path.join(t.tmpdir(), "out")
    parts = "\u00e9", b"\xff\0", t.np.str_("a"), bytearray(b"bc"), "", b"", "x\r\ny\n"
    with t.fw.io.gfile.GFile(path, mode) as file:
        for part in parts:
            t.expect(t.call(WRITE, file, part) is None, "nothing comes back")
        t.call(WRITE, file, file_content="end")
        t.expect(file.tell() == 15, "the place behind it, got %d" % file.tell())
    with open(path, "rb") as back:
        got = back.read()
    t.expect(got == b"\xc3\xa9\xff\0abcx\r\ny\nend", "what was written, got %r" % got)


@case(WRITE, host_only=True, reference="none", core=False)
def gfile_write_modes(t):
    """What was there goes in w+ and wb+ and stays in a+; it can be read back; a file of some megabytes; no new path before."""
    path, open_file = os.path.join(t.tmpdir(), "out"), t.fw.io.gfile.GFile
    for mode, want in (
        ("w", "one"),
        ("a+", "oneone"),
        ("w+", "one"),
        ("ab", "oneone"),
        ("wb+", "one"),
    ):
        with open_file(path, mode) as file:
            t.call(WRITE, file, "one")
        with open(path, encoding="utf-8") as back:
            got = back.read()
        t.expect(got == want, "%s after %s, got %s" % (want, mode, got))
    with open_file(path, "w+") as file:
        t.call(WRITE, file, "two\nthree")
        file.flush()
        file.seek(0)
        t.expect(file.readline() == "two\n" and file.read() == "three", "read back")
    blocks = [bytes([n]) * 100003 for n in range(40)]
    file = open_file(path, "wb")
    for block in blocks:
        t.call(WRITE, file, block)
    file.close()
    with open(path, "rb") as back:
        t.expect(back.read() == b"".join(blocks), "four megabytes in order")
    t.call(WRITE, file, b"anew")
    file.close()
    with open(path, "rb") as back:
        t.expect(back.read() == b"anew", "opened anew by a write behind the end")


@case(WRITE, host_only=True, reference="none", core=False)
def gfile_write_no_text(t):
    """No number, list or tensor; no folder that is missing, no folder for a file; what was written before an error is there."""
    folder, errors, open_file = t.tmpdir(), t.fw.errors, t.fw.io.gfile.GFile
    path = os.path.join(folder, "out")
    for wrong in (3, None, ["a"], t.fw.constant("text"), "\ud800"):
        t.raises((TypeError, ValueError), t.call, WRITE, open_file(path, "w"), wrong)
    t.raises(TypeError, t.call, WRITE, open_file(path, "w"))
    t.raises(
        errors.NotFoundError, t.call, WRITE, open_file(os.path.join(folder, "no", "out"), "w"), "x"
    )
    t.raises(errors.FailedPreconditionError, t.call, WRITE, open_file(folder, "w"), "x")

    def ended():
        with open_file(path, "w") as file:
            t.call(WRITE, file, "kept")
            raise KeyError("of the body")

    t.raises(KeyError, ended)
    with open(path, encoding="utf-8") as back:
        t.expect(back.read() == "kept", "what was written before")


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_for_both(t):
    """Written and read by one; places from each side, by the old name, too; what is told at each line."""
    path, make = os.path.join(t.tmpdir(), "\u6d4b\u8bd5"), "tf.io.gfile.GFile"
    with open(path, "w"):
        pass
    lines = ["testing1\n", "testing2\n", "\n", "last"]
    with t.call(make, path, "r+") as file:
        file.write("".join(lines))
    t.expect(file.size() == 23 and file.tell() == 0, "23 characters, at the first")
    told = []
    for line in lines:
        t.expect(file.readline() == line, "%r" % line)
        told.append(file.tell())
    t.expect(told == [9, 18, 19, 23] and file.readline() == "" and file.tell() == 23, "got %s" % told)  # fmt: skip
    file.seek(-file.size(), 2)
    t.expect(next(file) == lines[0] and list(file) == lines[1:], "all again")
    file.seek(position=9)
    file.seek(9, 1)
    t.expect(file.readlines() == lines[2:], "from the third line")
    t.raises(TypeError, file.seek, offset=0, position=0)
    t.raises(t.fw.errors.InvalidArgumentError, file.read, -2)
    t.expect(t.call(make, path).read(100) == "".join(lines), "no more than there is")
    t.raises(t.fw.errors.NotFoundError, t.call(make, "", "r").read)


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_of_archives(t):
    """NumPy reads its archives from it, which seeks; two megabytes of bytes in parts; many files at once."""
    path, make, np = os.path.join(t.tmpdir(), "file"), "tf.io.gfile.GFile", t.np
    whole = bytes(range(256)) * 9000
    with t.call(make, path, "wb") as file:
        for start in range(0, len(whole), 100000):
            file.write(whole[start : start + 100000])
    with t.call(make, path, "rb") as file:
        t.expect(file.size() == len(whole) and file.read(3) == b"\0\1\2", "all bytes")
        file.seek(1234567)
        t.expect(file.read() == whole[1234567:], "the rest")
    np.savez_compressed(path + ".npz", x=np.arange(5.0), y=np.ones((2, 3)))
    with t.call(make, path + ".npz", "rb") as file:
        held = np.load(file)
        t.expect(held["y"].shape == (2, 3) and held["x"].tolist() == [0, 1, 2, 3, 4], "two arrays")
    files = [t.call(make, "%s%d" % (path, n), "w+") for n in range(200)]
    for number, file in enumerate(files):
        file.write("%d" % number)
        file.flush()
    t.expect([file.read() for file in files] == ["%d" % n for n in range(200)], "each its own")
    for file in files:
        file.close()
