"""What csexpr reads, an implementation of RFC 9804: one form a file."""
import importlib.metadata
import sys

import csexpr


def token(out, tag, data):
    out.append(b"%s%d:%s\n" % (tag, len(data), data))


def show(out, text):
    """Takes the canonical form apart."""
    at, hint = 0, False
    while at < len(text):
        byte = text[at:at + 1]
        if byte in b"()[]":
            hint = byte == b"["
            if byte in b"()":
                out.append(byte)
            at += 1
        else:
            colon = text.index(b":", at)
            end = colon + 1 + int(text[at:colon])
            token(out, b"H" if hint else b"A", text[colon + 1:end])
            at = end


def main():
    if sys.argv[1:] == ["--version"]:
        print(importlib.metadata.version("csexpr"))
        return
    for name in sys.argv[1:]:
        out = []
        token(out, b"F", name.encode())
        with open(name, "rb") as file:
            text = file.read()
        try:
            show(out, csexpr.to_canonical(csexpr.parse(text)))
            out.append(b".\n")
        except Exception as error:
            token(out, b"!", str(error).encode())
        sys.stdout.buffer.write(b"".join(out))


main()
