"""What z3 reads: the string of an `echo`, or the symbol of a `simplify`, as it prints them."""
import subprocess
import sys


def token(out, tag, data):
    out.append(b"%s%d:%s\n" % (tag, len(data), data))


def main():
    for name in sys.argv[1:]:
        out = []
        token(out, b"F", name.encode())
        with open(name, "rb") as file:
            text = file.read()
        ran = subprocess.run(["z3", "-smt2", name], capture_output=True, timeout=10)
        printed = ran.stdout.removesuffix(b"\n")
        if ran.returncode != 0 or printed.startswith(b"(error "):
            token(out, b"!", printed)
        else:
            if b"declare-const" in text:
                token(out, b"Y", printed[1:-1] if printed.startswith(b"|") else printed)
            else:
                token(out, b"S", printed)
            out.append(b".\n")
        sys.stdout.buffer.write(b"".join(out))
        sys.stdout.buffer.flush()


main()
