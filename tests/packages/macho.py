#!/usr/bin/env python3
"""macho.py PROGRAM...: what macOS asks of a program before it starts it, checked on any system.

macOS ends a program for arm64 without a valid signature. The linker makes one, without a certificate, and a
later change of the file, such as removing symbols, breaks it.
"""

import hashlib
import struct
import sys

LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION = 0xC, 0x1D, 0x32
ARM64 = 0x0100000C


def is_signed(data, start):
    """Whether the hashes of all pages are those of the code directory, the first part of the signature."""
    (offset,) = struct.unpack_from(">I", data, start + 16)
    directory = start + offset
    hashes, _, _, count, limit, size, _, _, page = struct.unpack_from(">5I4B", data, directory + 16)
    page = 1 << page
    for i in range(count):
        expected = data[directory + hashes + i * size :][:size]
        if hashlib.sha256(data[i * page : min((i + 1) * page, limit)]).digest() != expected:
            return False
    return limit == start


def check(path):
    with open(path, "rb") as file:
        data = file.read()
    _, processor, _, _, count = struct.unpack_from("<5I", data)
    at = 32
    signed = processor != ARM64
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, at)
        (value,) = struct.unpack_from("<I", data, at + (12 if command == BUILD_VERSION else 8))
        if command == LOAD_DYLIB:
            library = data[at + value : at + size].rstrip(b"\0").decode()
            assert library.startswith("/usr/lib/"), f"{path} needs {library}"
        if command == BUILD_VERSION:
            assert value == 11 << 16, f"{path} is not for macOS 11.0"
        if command == CODE_SIGNATURE:
            signed = is_signed(data, value)
        at += size
    assert signed, f"{path} has no valid signature"


for name in sys.argv[1:]:
    check(name)
