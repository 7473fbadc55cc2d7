"""What libgcrypt reads: one form a file. It is asked element by element, so that what it prints plays no part."""
import ctypes
import sys

gcrypt = ctypes.CDLL("libgcrypt.so.20")
pointer, size = ctypes.c_void_p, ctypes.c_size_t
gcrypt.gcry_check_version.restype = ctypes.c_char_p
gcrypt.gcry_strerror.restype = ctypes.c_char_p
gcrypt.gcry_sexp_sscan.argtypes = [ctypes.POINTER(pointer), ctypes.POINTER(size), ctypes.c_char_p, size]
gcrypt.gcry_sexp_sprint.argtypes = [pointer, ctypes.c_int, ctypes.c_char_p, size]
gcrypt.gcry_sexp_sprint.restype = size
gcrypt.gcry_sexp_release.argtypes = [pointer]
CANONICAL = 1


def token(out, tag, data):
    out.append(b"%s%d:%s\n" % (tag, len(data), data))


def show(out, text):
    """Takes the canonical form apart, which is all octets, `(` and `)`."""
    at = 0
    while at < len(text):
        if text[at:at + 1] in (b"(", b")"):
            out.append(text[at:at + 1])
            at += 1
        else:
            colon = text.index(b":", at)
            end = colon + 1 + int(text[at:colon])
            token(out, b"A", text[colon + 1:end])
            at = end


def main():
    version = gcrypt.gcry_check_version(None)
    if sys.argv[1:] == ["--version"]:
        print(version.decode())
        return
    for name in sys.argv[1:]:
        out = []
        token(out, b"F", name.encode())
        with open(name, "rb") as file:
            text = file.read()
        form, offset = pointer(), size()
        error = gcrypt.gcry_sexp_sscan(ctypes.byref(form), ctypes.byref(offset), text, len(text))
        if error:
            token(out, b"!", gcrypt.gcry_strerror(error) + b" at %d" % offset.value)
        else:
            length = gcrypt.gcry_sexp_sprint(form, CANONICAL, None, 0)
            canonical = ctypes.create_string_buffer(length + 1)
            length = gcrypt.gcry_sexp_sprint(form, CANONICAL, canonical, length + 1)
            show(out, canonical.raw[:length])
            out.append(b".\n")
            gcrypt.gcry_sexp_release(form)
        sys.stdout.buffer.write(b"".join(out))


main()
