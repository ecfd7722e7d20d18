#!/usr/bin/env python3
"""Creates vectors.json with test vectors that are independent of Postern's code.

Uses only Python's hashlib, hmac, base64, struct, and decimal, and for argon2id the reference implementation in C
(libargon2.so.1, Debian package libargon2-1). Run it after a change of the protocol (it takes a few
seconds) and commit both files. The tests read only the JSON file.

BLAKE2b: RFC 7693. argon2id: RFC 9106. HMAC-SHA-256: RFC 2104, FIPS 180-4, test cases of RFC 4231. Base64: RFC 4648.
"""

import base64
import ctypes
import hashlib
import hmac
import json
import pathlib
import struct
from decimal import ROUND_FLOOR, Decimal, getcontext

getcontext().prec = 60

SECRET = bytes(range(100, 132))


def b64(data):
    return base64.b64encode(data).decode()


def blake2b(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def argon2id(block):
    """16 MiB, one pass, one lane, 32 bytes; the salt is the start of the block. The library implements version 0x13."""
    tag = ctypes.create_string_buffer(32)
    error = ctypes.CDLL("libargon2.so.1").argon2id_hash_raw(1, 16384, 1, block, len(block), block[:16], 16, tag, 32)
    if error != 0:
        raise RuntimeError(f"argon2id_hash_raw returned {error}")
    return tag.raw


def argon2id_tags():
    blocks = [bytes(128), bytes(range(128)), bytes(255 - i for i in range(128))]
    return [{"block": block.hex(), "tag": argon2id(block).hex()} for block in blocks]


def hashes():
    """Lengths around the block size of 128 bytes, and the 'abc' of RFC 7693's appendix A."""
    inputs = [b"abc"] + [bytes(i % 251 for i in range(n)) for n in (0, 1, 47, 127, 128, 129, 255, 256, 257)]
    return [{"input": data.hex(), "hash": blake2b(data).hex()} for data in inputs]


def hashwx_seed(index, nonce, block):
    """The hash of the block in which the solution has nonce 0."""
    puzzle = bytes(range(48))
    seed = blake2b(puzzle.ljust(120, b"\0") + struct.pack("<BBHI", index, 0, 0, block))
    return {
        "puzzle": puzzle.hex(),
        "solution": struct.pack("<BBHI", index, 0, nonce, block).hex(),
        "seed": seed.hex(),
    }


def macs():
    """RFC 4231, test cases 1 and 2, then a key and a message of the sizes that Postern uses."""
    cases = [(b"\x0b" * 20, b"Hi There"), (b"Jefe", b"what do ya want for nothing?"), (SECRET, bytes(range(80)))]
    return [
        {"key": key.hex(), "message": message.hex(), "mac": hmac.new(key, message, hashlib.sha256).hexdigest()}
        for key, message in cases
    ]


def threshold(difficulty):
    """floor(2 ** ((255.999999999 - difficulty) / 8)) in 60 decimal digits, no floating point."""
    exponent = (Decimal("255.999999999") - difficulty) / 8
    return int((Decimal(2) ** exponent).to_integral_value(rounding=ROUND_FLOOR))


def puzzle_bytes(property_id, puzzle_id, difficulty, solutions, expires_at, user_data):
    return struct.pack("<B16s8sBBI16s", 1, property_id, puzzle_id, difficulty, solutions, expires_at, user_data)


def puzzle_v2_bytes(property_id, puzzle_id, difficulty, solutions, expires_at, user_data):
    fields = (2, 1, property_id, puzzle_id, difficulty, solutions, expires_at, user_data)
    return struct.pack("<BB16s8sBBI16s", *fields)


def signature(puzzle, host, issued_at):
    fingerprint = hashlib.sha256(SECRET).digest()[:4]
    head = struct.pack("<BB4sIB", 1, 0, fingerprint, issued_at, len(host)) + host
    signed = b"postern puzzle 1\0" + bytes([len(puzzle)]) + puzzle + head
    return head + hmac.new(SECRET, signed, hashlib.sha256).digest()


def solve(puzzle, difficulty, count, digest):
    """Solution i: its index as a u32, then the first counter, a u32, whose hash is at most the threshold."""
    block = bytearray(puzzle.ljust(128, b"\0"))
    limit = threshold(difficulty)
    solutions, attempts = b"", 0
    for index in range(count):
        counter = 0
        while True:
            block[120:128] = struct.pack("<II", index, counter)
            counter += 1
            attempts += 1
            if struct.unpack("<I", digest(bytes(block))[:4])[0] <= limit:
                break
        solutions += bytes(block[120:128])
    return solutions, attempts


def puzzle(difficulty, count, expires_at, host, issued_at, elapsed_ms, to_bytes=puzzle_bytes, digest=blake2b):
    property_id = bytes(range(16))
    puzzle_id = bytes(range(0xF0, 0xF8))
    user_data = bytes(range(200, 216))
    data = to_bytes(property_id, puzzle_id, difficulty, count, expires_at, user_data)
    signed = signature(data, host.encode(), issued_at)
    solutions, attempts = solve(data, difficulty, count, digest)
    metadata = struct.pack("<BBBI", 1, 0, 1, elapsed_ms)
    text = b64(data) + "." + b64(signed)
    return {
        "propertyId": property_id.hex(),
        "puzzleId": puzzle_id.hex(),
        "difficulty": difficulty,
        "solutionCount": count,
        "expiresAtSeconds": expires_at,
        "userData": user_data.hex(),
        "host": host,
        "issuedAtSeconds": issued_at,
        "elapsedMs": elapsed_ms,
        "bytes": data.hex(),
        "signature": signed.hex(),
        "text": text,
        "solutions": solutions.hex(),
        "attempts": attempts,
        "payload": b64(metadata + solutions) + "." + text,
    }


def test_puzzle():
    property_id = bytes.fromhex("aaaaaaaabbbbccccddddeeeeeeeeeeee")
    return puzzle_bytes(property_id, bytes(8), 0, 16, 0, bytes(16)).hex()


VECTORS = {
    "hashes": hashes(),
    "argon2idTags": argon2id_tags(),
    "hashwxSeeds": [
        hashwx_seed(*solution)
        for solution in [(0, 0, 0), (7, 0, 0x04050607), (7, 0x0203, 0x04050607), (254, 0xFFFF, 0xFFFFFFFF)]
    ],
    "macs": macs(),
    "thresholds": [threshold(difficulty) for difficulty in range(256)],
    "signingSecret": SECRET.hex(),
    "puzzles": [
        puzzle(80, 16, 1_800_000_000, "example.com", 1_799_998_200, 1234),
        # Different bytes in every number, the maximum expiration, one solution, no host.
        puzzle(64, 1, 0xFFFFFFFF, "", 0x01020304, 0xFFFFFFFF),
        puzzle(0, 255, 0x01020304, "xn--mnchen-3ya.de", 0x01020000, 0),
    ],
    "argon2idPuzzle": puzzle(
        24, 8, 1_800_000_000, "example.com", 1_799_998_200, 1234, to_bytes=puzzle_v2_bytes, digest=argon2id
    ),
    "testPuzzle": test_puzzle(),
}

target = pathlib.Path(__file__).with_name("vectors.json")
target.write_text(json.dumps(VECTORS, indent=2) + "\n")
