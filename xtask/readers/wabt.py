"""What wat2wasm reads: the strings of the data segments, as they stand in the module that it makes."""
import os
import subprocess
import sys
import tempfile


def token(out, tag, data):
    out.append(b"%s%d:%s\n" % (tag, len(data), data))


def leb(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def segments(module):
    """The bytes of the active data segments of memory 0, in order."""
    at = 8
    while at < len(module):
        section, (size, at) = module[at], leb(module, at + 1)
        end = at + size
        if section == 11:
            count, at = leb(module, at)
            for _ in range(count):
                # Flags 0, then `i32.const N`, `end`.
                assert module[at] == 0 and module[at + 1] == 0x41
                _, at = leb(module, at + 2)
                assert module[at] == 0x0B
                size, at = leb(module, at + 1)
                yield module[at:at + size]
                at += size
        at = end


def main():
    with tempfile.TemporaryDirectory() as scratch:
        target = os.path.join(scratch, "module.wasm")
        for name in sys.argv[1:]:
            out = []
            token(out, b"F", name.encode())
            ran = subprocess.run(["wat2wasm", name, "-o", target], capture_output=True, timeout=10)
            if ran.returncode != 0:
                token(out, b"!", ran.stderr[:300])
            else:
                with open(target, "rb") as file:
                    for segment in segments(file.read()):
                        token(out, b"S", segment)
                out.append(b".\n")
            sys.stdout.buffer.write(b"".join(out))
            sys.stdout.buffer.flush()


main()
