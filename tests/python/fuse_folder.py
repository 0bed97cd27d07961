"""fuse_folder.py KIND BACKING MOUNT COMMAND...: the command, with BACKING mounted at MOUNT as a network's folder is.

KIND: `memory`: without shared memory, `locks`: with locks that are refused, `plain`. The kernel's FUSE protocol, as far
as SQLite asks; needs /dev/fuse, and the right to mount (a namespace).
"""

import ctypes
import errno
import os
import stat
import struct
import subprocess
import sys

DIRECT_IO, POSIX_LOCKS = 1, 2
ENTRY_HEAD = struct.Struct("<QQQQII")
ATTRIBUTES = struct.Struct("<QQQQQQIIIIIIIIII")


class Folder:
    def __init__(self, kind, backing):
        self.kind = kind
        self.paths = {1: backing}
        self.nodes = {backing: 1}

    def attributes(self, path):
        seen = os.lstat(path)
        return ATTRIBUTES.pack(
            seen.st_ino, seen.st_size, seen.st_blocks, int(seen.st_atime), int(seen.st_mtime), int(seen.st_ctime),
            seen.st_atime_ns % 10**9, seen.st_mtime_ns % 10**9, seen.st_ctime_ns % 10**9, seen.st_mode, seen.st_nlink,
            0, 0, seen.st_rdev, 4096, 0,
        )  # fmt: skip

    def entry(self, path):
        attributes = self.attributes(path)
        node = self.nodes.setdefault(path, len(self.paths) + 1)
        self.paths[node] = path
        return ENTRY_HEAD.pack(node, 0, 0, 0, 0, 0) + attributes

    def below(self, node, name):
        return os.path.join(self.paths[node], os.fsdecode(name.rstrip(b"\0")))

    def opened(self, path, flags, *mode):
        flags &= ~(os.O_EXCL if not mode else 0)
        fd = os.open(path, flags & ~os.O_NOFOLLOW, *mode)
        return struct.pack("<QII", fd, DIRECT_IO if self.kind == "memory" else 0, 0)

    def moved(self, old, new):
        os.rename(old, new)
        node = self.nodes.pop(old, None)
        self.nodes.pop(new, None)
        if node:
            self.nodes[new], self.paths[node] = node, new
        return b""

    def listed(self, path, offset):
        out = b""
        names = [".", "..", *sorted(os.listdir(path))]
        for at, name in enumerate(names[offset:], offset + 1):
            raw = os.fsencode(name)
            kind = stat.S_IFMT(os.lstat(os.path.join(path, name)).st_mode) >> 12
            one = struct.pack("<QQII", at, at, len(raw), kind) + raw
            out += one.ljust(-(-len(one) // 8) * 8, b"\0")
        return out[:4000] if len(out) <= 4000 else b""

    def answer(self, operation, node, body):
        """The body of the reply; None: there is none. Raises OSError."""
        path = self.paths.get(node)
        if operation == 26:  # INIT
            _, _, ahead, flags = struct.unpack_from("<IIII", body)
            wanted = POSIX_LOCKS if self.kind == "locks" else 0
            return struct.pack(
                "<IIIIHHIIHHI28x", 7, 31, ahead, flags & wanted, 16, 12, 1 << 17, 1, 32, 0, 0
            )
        if operation in (2, 36, 42):  # FORGET, INTERRUPT, BATCH_FORGET
            return None
        if operation == 1:  # LOOKUP
            return self.entry(self.below(node, body))
        if operation == 3:  # GETATTR
            return struct.pack("<QII", 0, 0, 0) + self.attributes(path)
        if operation == 4:  # SETATTR
            (valid,) = struct.unpack_from("<I", body)
            if valid & 8:
                os.truncate(path, struct.unpack_from("<Q", body, 16)[0])
            if valid & 1:
                os.chmod(path, stat.S_IMODE(struct.unpack_from("<I", body, 68)[0]))
            return struct.pack("<QII", 0, 0, 0) + self.attributes(path)
        if operation == 14:  # OPEN
            return self.opened(path, struct.unpack_from("<I", body)[0])
        if operation == 35:  # CREATE
            flags, mode = struct.unpack_from("<II", body)
            made = self.below(node, body[16:])
            handle = self.opened(made, flags | os.O_CREAT, stat.S_IMODE(mode))
            return self.entry(made) + handle
        if operation == 15:  # READ
            fd, offset, size = struct.unpack_from("<QQI", body)
            return os.pread(fd, size, offset)
        if operation == 16:  # WRITE
            fd, offset, size = struct.unpack_from("<QQI", body)
            return struct.pack("<II", os.pwrite(fd, body[40 : 40 + size], offset), 0)
        if operation == 18:  # RELEASE
            os.close(struct.unpack_from("<Q", body)[0])
            return b""
        if operation == 20:  # FSYNC
            os.fsync(struct.unpack_from("<Q", body)[0])
            return b""
        if operation in (25, 29, 30, 38):  # FLUSH, RELEASEDIR, FSYNCDIR, DESTROY
            return b""
        if operation == 27:  # OPENDIR
            return struct.pack("<QII", 0, 0, 0)
        if operation == 28:  # READDIR
            return self.listed(path, struct.unpack_from("<QQ", body)[1])
        if operation == 17:  # STATFS
            return struct.pack(
                "<QQQQQIIII24x", 1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, 4096, 255, 4096, 0
            )
        if operation == 10:  # UNLINK
            gone = self.below(node, body)
            os.unlink(gone)
            self.nodes.pop(gone, None)
            return b""
        if operation == 9:  # MKDIR
            made = self.below(node, body[8:])
            os.mkdir(made)
            return self.entry(made)
        if operation == 11:  # RMDIR
            os.rmdir(self.below(node, body))
            return b""
        if operation in (12, 45):  # RENAME, RENAME2
            (folder,) = struct.unpack_from("<Q", body)
            old, new = body[8 if operation == 12 else 16 :].split(b"\0")[:2]
            return self.moved(self.below(node, old), self.below(folder, new))
        if operation in (31, 32, 33):  # GETLK, SETLK, SETLKW
            raise OSError(errno.ENOLCK, "no locks")
        raise OSError(errno.ENOSYS, "not known")

    def serve(self, device):
        while True:
            try:
                request = os.read(device, 1 << 18)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.ENOENT):
                    continue
                return  # it is unmounted
            size, operation, unique, node = struct.unpack_from("<IIQQ", request)
            try:
                reply, code = self.answer(operation, node, request[40:size]), 0
            except OSError as error:
                reply, code = b"", -(error.errno or errno.EIO)
            if reply is None:
                continue
            try:
                os.write(device, struct.pack("<IiQ", 16 + len(reply), code, unique) + reply)
            except OSError:
                pass  # the one who asked is gone


def main():
    kind, backing, place, *command = sys.argv[1:]
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = "fd=%d,rootmode=40000,user_id=%d,group_id=%d" % (device, os.getuid(), os.getgid())
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(b"seamark", os.fsencode(place), b"fuse", 6, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    if os.fork() == 0:
        for fd in (1, 2):
            os.dup2(os.open("/dev/null", os.O_RDWR), fd)
        Folder(kind, os.path.realpath(backing)).serve(device)
        os._exit(0)
    os.close(device)
    code = subprocess.call(command)
    library.umount2(os.fsencode(place), 2)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
