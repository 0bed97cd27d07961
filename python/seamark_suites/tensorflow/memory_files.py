"""Files and saved models that lie in memory, behind ram://."""

import os

from seamark_suites.case import case

WRITE, LOAD = "tf.io.gfile.GFile.write", "tf.saved_model.load"


def _folder(t):
    """Of this attempt alone: what lies in memory stays there as long as the process."""
    return "ram://seamark/%s/%d" % (os.path.basename(t.tmpdir()), id(t))


@case(WRITE, host_only=True, core=False, reference="none")
def gfile_write_in_memory(t):
    """One write behind another, behind the end that was sought, to append; a file of nothing; in folders that nobody
    made; a megabyte."""
    gfile, folder = t.fw.io.gfile, _folder(t)
    path = folder + "/a/b/c.txt"

    def put(path, mode, parts, seek=False):
        with gfile.GFile(path, mode) as file:
            if seek:
                file.seek(offset=0, whence=2)
            for part in parts:
                t.call(WRITE, file, part)

    def look(path, want):
        with gfile.GFile(path) as file:
            got = file.read()
        t.expect(got == want, "%r, got %r" % (want[-40:], got[-40:]))
        size = gfile.stat(path).length
        t.expect(size == len(want.encode()), "its bytes, got %d" % size)

    put(path, "w", ["Hello, ", "world."])
    look(path, "Hello, world.")
    put(path, "w+", [" Again"], True)
    look(path, "Hello, world. Again")
    put(path, "a", [" and", b" \xc3\xa9\n"])
    look(path, "Hello, world. Again and \u00e9\n")
    put(path + "2", "wb", ["x" * 2**20, b"y"])
    look(path + "2", "x" * 2**20 + "y")
    put(path + "3", "w", [""])
    look(path + "3", "")
    for n in range(3):
        with gfile.GFile("%s/many/%d.txt" % (folder, n), "w") as file:
            t.call(WRITE, file, "")
    found = sorted(gfile.listdir(folder + "/many"))
    t.expect(found == ["0.txt", "1.txt", "2.txt"], "three, got %s" % found)
    t.expect(gfile.exists(folder + "/a/b") and not gfile.exists(folder + "/a/c"), "its folder")


@case(LOAD, host_only=True, core=False, reference="none")
def loads_from_memory(t):
    """A model, its variable and its function; twice, each its own."""
    tf, folder, model = t.fw, _folder(t) + "/model", t.fw.Module()
    model.v = tf.Variable([1.0, 2.0])
    model.f = tf.function(lambda x: model.v * x, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(model, folder)
    one, other = t.call(LOAD, folder), t.call(LOAD, folder)
    one.v.assign([5.0, 7.0])
    got = [made.f(tf.constant(2.0)).numpy().tolist() for made in (one, other)]
    t.expect(got == [[10.0, 14.0], [2.0, 4.0]], "each its own, got %s" % got)
