"""What a replay is hashed and signed with, on the standard library: keccak256, the curve secp256k1, EIP-55 and EIP-712."""

MASK = (1 << 64) - 1
ROUNDS = []
_lfsr = 1
for _ in range(24):
    _constant = 0
    for _j in range(7):
        if _lfsr & 1:
            _constant |= 1 << ((1 << _j) - 1)
        _lfsr = (_lfsr << 1) ^ (0x171 if _lfsr & 0x80 else 0)
    ROUNDS.append(_constant)
# The lane that each step of rho and pi moves on, and by how many bits.
MOVES = []
_x, _y = 1, 0
for _t in range(24):
    _x, _y = _y, (2 * _x + 3 * _y) % 5
    MOVES.append((_x + 5 * _y, ((_t + 1) * (_t + 2) // 2) % 64))


def permute(a):
    for constant in ROUNDS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        for x in range(5):
            right = c[(x + 1) % 5]
            d = c[(x + 4) % 5] ^ (((right << 1) | (right >> 63)) & MASK)
            for y in range(x, 25, 5):
                a[y] ^= d
        lane = a[1]
        for to, bits in MOVES:
            a[to], lane = ((lane << bits) | (lane >> (64 - bits))) & MASK, a[to]
        for y in range(0, 25, 5):
            r = a[y : y + 5]
            for x in range(5):
                a[y + x] = r[x] ^ (~r[(x + 1) % 5] & r[(x + 2) % 5] & MASK)
        a[0] ^= constant


def keccak256(data):
    """Keccak with the padding of Ethereum, which is older than that of SHA-3."""
    padded = bytearray(data) + b"\x01" + bytes(-(len(data) + 1) % 136)
    padded[-1] |= 0x80
    state = [0] * 25
    for start in range(0, len(padded), 136):
        for lane in range(17):
            at = start + 8 * lane
            state[lane] ^= int.from_bytes(padded[at : at + 8], "little")
        permute(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


def checksum_address(address):
    """EIP-55: the letters' case is a checksum."""
    digits = address[2:].lower()
    marks = keccak256(digits.encode()).hex()
    return "0x" + "".join(d.upper() if int(m, 16) > 7 else d for d, m in zip(digits, marks))


P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)


def double(a):
    x, y, z = a
    s, m = 4 * x * y * y % P, 3 * x * x % P
    x2 = (m * m - 2 * s) % P
    return x2, (m * (s - x2) - 8 * y**4) % P, 2 * y * z % P


def add(a, b):
    """Points in Jacobian coordinates; None is the point at infinity."""
    if a is None or b is None:
        return a or b
    (x1, y1, z1), (x2, y2, z2) = a, b
    u1, u2 = x1 * z2 * z2 % P, x2 * z1 * z1 % P
    s1, s2 = y1 * z2**3 % P, y2 * z1**3 % P
    if u1 == u2:
        return double(a) if s1 == s2 else None
    h, r = u2 - u1, s2 - s1
    h2, h3 = h * h % P, h**3 % P
    x3 = (r * r - h3 - 2 * u1 * h2) % P
    return x3, (r * (u1 * h2 - x3) - s1 * h3) % P, h * z1 * z2 % P


def multiply(point, factor):
    product = None
    for bit in bin(factor)[2:]:
        product = double(product) if product else None
        if bit == "1":
            product = add(product, point)
    return product


def recover(digest, signature):
    """The address that signed a digest with r, s and v (65 bytes, the smaller s), or None."""
    r, s, v = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big"), signature[64] - 27
    if v not in (0, 1) or not 0 < r < N or not 0 < s <= N // 2:
        return None
    y = pow(r**3 + 7, (P + 1) // 4, P)
    if (y * y - r**3 - 7) % P != 0:
        return None
    if y % 2 != v:
        y = P - y
    inverse = pow(r, -1, N)
    point = add(
        multiply((r, y, 1), s * inverse % N),
        multiply(G, -int.from_bytes(digest, "big") * inverse % N),
    )
    if point is None:
        return None
    z = pow(point[2], -1, P)
    x, y = point[0] * z * z % P, point[1] * z**3 % P
    return checksum_address("0x" + keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:].hex())


def word(value):
    """One word of the ABI: a number, an address or 32 bytes."""
    if isinstance(value, str):
        value = int(value, 16)
    return value if isinstance(value, bytes) else value.to_bytes(32, "big")


def hash_typed(domain_name, chain_id, type_text, values):
    """EIP-712: the digest of a message in a domain without a contract."""
    domain_type = keccak256(b"EIP712Domain(string name,string version,uint256 chainId)")
    parts = [domain_type, keccak256(domain_name.encode()), keccak256(b"1"), word(chain_id)]
    struct = b"".join([keccak256(type_text.encode()), *map(word, values)])
    return keccak256(b"\x19\x01" + keccak256(b"".join(parts)) + keccak256(struct))
