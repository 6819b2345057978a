"""A wallet: eth-account if it is installed, else enough of secp256k1, Keccak and RLP for the local chain.

The built-in part takes time that depends on the key, so it refuses every chain but 31337, where nothing has a value.
"""

import hashlib
import hmac
import re
import secrets

try:
    from eth_account import Account
    from eth_account.messages import encode_defunct, encode_typed_data
except ImportError:
    Account = None

LOCAL_CHAIN_ID = 31337
DOMAIN = "AgentArcadeReplay"
TRANSCRIPT = (("wallet", "address"), ("sessionId", "string"), ("replayDigest", "bytes32"))


class WalletError(Exception):
    """The wallet cannot be used on this chain, or its key is not one."""


def make_wallet(chain_id, key=None):
    """The wallet of a private key (0x and 64 hex digits); without one, of a new key."""
    key = (key or "0x" + secrets.token_hex(32)).strip()
    if not re.fullmatch("(0x)?[0-9a-fA-F]{64}", key):
        raise WalletError(f"expected a private key of 64 hex digits, with or without 0x; received {len(key)} characters")
    if Account is not None:
        return PackageWallet(key)
    if chain_id != LOCAL_CHAIN_ID:
        raise WalletError(f"chain {chain_id}: install eth-account; the built-in wallet is for chain {LOCAL_CHAIN_ID} only")
    return BuiltInWallet(key)


class PackageWallet:
    """The wallet of the package eth-account, for every chain."""

    part = "eth-account"

    def __init__(self, key):
        self.account = Account.from_key(key)
        self.address = self.account.address

    def sign_message(self, text):
        return "0x" + self.account.sign_message(encode_defunct(text=text)).signature.hex().removeprefix("0x")

    def sign_transcript(self, chain_id, session_id, replay_digest):
        """The message `Transcript` of docs/signing.md (EIP-712)."""
        types = {"Transcript": [{"name": name, "type": form} for name, form in TRANSCRIPT]}
        domain = {"name": DOMAIN, "version": "1", "chainId": chain_id}
        message = {"wallet": self.address, "sessionId": session_id, "replayDigest": bytes.fromhex(replay_digest[2:])}
        signed = self.account.sign_message(encode_typed_data(domain, types, message))
        return "0x" + signed.signature.hex().removeprefix("0x")

    def sign_transaction(self, transaction):
        signed = self.account.sign_transaction({"type": 2, **transaction})
        raw = getattr(signed, "raw_transaction", None) or signed.rawTransaction
        return "0x" + raw.hex().removeprefix("0x")


class BuiltInWallet:
    """A wallet for the local chain only."""

    part = "built in (eth-account is not installed)"

    def __init__(self, key):
        self.secret = int(key, 16)
        x, y = multiply(GENERATOR, self.secret)
        self.address = checksum(keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[-20:].hex())

    def sign_message(self, text):
        """EIP-191, version 0x45 (personal_sign)."""
        data = text.encode()
        return self.sign_digest(keccak256(b"\x19Ethereum Signed Message:\n" + str(len(data)).encode() + data))

    def sign_digest(self, digest):
        r, s, parity = sign(self.secret, digest)
        return "0x" + r.to_bytes(32, "big").hex() + s.to_bytes(32, "big").hex() + bytes([27 + parity]).hex()

    def sign_transcript(self, chain_id, session_id, replay_digest):
        """The message `Transcript` of docs/signing.md (EIP-712)."""
        type_text = "Transcript(" + ",".join(f"{form} {name}" for name, form in TRANSCRIPT) + ")"
        domain_type = b"EIP712Domain(string name,string version,uint256 chainId)"
        domain = [keccak256(domain_type), keccak256(DOMAIN.encode()), keccak256(b"1"), chain_id.to_bytes(32, "big")]
        wallet = bytes(12) + bytes.fromhex(self.address[2:])
        values = [wallet, keccak256(session_id.encode()), bytes.fromhex(replay_digest[2:])]
        struct = keccak256(keccak256(type_text.encode()) + b"".join(values))
        return self.sign_digest(keccak256(b"\x19\x01" + keccak256(b"".join(domain)) + struct))

    def sign_transaction(self, transaction):
        """EIP-1559: 0x02 and the RLP of the fields, an empty access list and the signature."""
        names = ("chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas")
        fields = [number(transaction[name]) for name in names]
        to, data = bytes.fromhex(transaction["to"][2:]), bytes.fromhex(transaction["data"][2:])
        fields += [to, number(transaction["value"]), data, []]
        r, s, parity = sign(self.secret, keccak256(b"\x02" + rlp(fields)))
        return "0x" + (b"\x02" + rlp(fields + [number(parity), number(r), number(s)])).hex()


# secp256k1 (https://www.secg.org/sec2-v2.pdf) and ECDSA with the nonces of RFC 6979.
PRIME = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def add(p, q):
    """The sum of two points of the curve; None is the point at infinity."""
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and (p[1] + q[1]) % PRIME == 0:
        return None
    if p == q:
        slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, PRIME) % PRIME
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, PRIME) % PRIME
    x = (slope * slope - p[0] - q[0]) % PRIME
    return x, (slope * (p[0] - x) - p[1]) % PRIME


def multiply(point, factor):
    """The point added to itself `factor` times."""
    result = None
    while factor:
        if factor & 1:
            result = add(result, point)
        point, factor = add(point, point), factor >> 1
    return result


def nonces(secret, digest):
    """The candidates for a signature's nonce, in order (RFC 6979, section 3.2)."""
    mac = lambda key, data: hmac.new(key, data, hashlib.sha256).digest()
    seed = secret.to_bytes(32, "big") + (int.from_bytes(digest, "big") % ORDER).to_bytes(32, "big")
    key, value = b"\0" * 32, b"\1" * 32
    for mark in (b"\0", b"\1"):
        key = mac(key, value + mark + seed)
        value = mac(key, value)
    while True:
        value = mac(key, value)
        yield int.from_bytes(value, "big")
        key = mac(key, value + b"\0")
        value = mac(key, value)


def sign(secret, digest):
    """r, s (the lower one of two, EIP-2) and the parity of the nonce point's y."""
    for nonce in nonces(secret, digest):
        if not 0 < nonce < ORDER:
            continue
        x, y = multiply(GENERATOR, nonce)
        r = x % ORDER
        s = pow(nonce, -1, ORDER) * (int.from_bytes(digest, "big") + r * secret) % ORDER
        if r and s:
            return (r, ORDER - s, (y & 1) ^ 1) if s > ORDER // 2 else (r, s, y & 1)


def keccak256(data):
    """Keccak-256 with the padding from before SHA-3, as Ethereum uses it."""
    rate, mask = 136, 2**64 - 1
    rotate = lambda lane, by: ((lane << by % 64) | (lane >> (64 - by % 64))) & mask if by % 64 else lane
    padded = bytearray(data) + b"\1" + b"\0" * (-(len(data) + 1) % rate)
    padded[-1] |= 0x80
    state = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), rate):
        for i in range(rate // 8):
            state[i % 5][i // 5] ^= int.from_bytes(padded[start + 8 * i : start + 8 * i + 8], "little")
        register = 1
        for _ in range(24):
            columns = [a ^ b ^ c ^ d ^ e for a, b, c, d, e in state]
            mixed = [columns[x - 1] ^ rotate(columns[(x + 1) % 5], 1) for x in range(5)]
            state = [[lane ^ mixed[x] for lane in state[x]] for x in range(5)]
            x, y, lane = 1, 0, state[1][0]
            for t in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                lane, state[x][y] = state[x][y], rotate(lane, (t + 1) * (t + 2) // 2)
            state = [[state[x][y] ^ (~state[(x + 1) % 5][y] & state[(x + 2) % 5][y]) for y in range(5)] for x in range(5)]
            for j in range(7):
                register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256
                if register & 2:
                    state[0][0] ^= 1 << ((1 << j) - 1)
    return b"".join(state[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


def checksum(hex_address):
    """EIP-55: a letter is upper case if the digit at its place in the address's hash is above 7."""
    digest = keccak256(hex_address.encode()).hex()
    return "0x" + "".join(c.upper() if int(d, 16) > 7 else c for c, d in zip(hex_address, digest))


def number(value):
    """An integer in RLP: big-endian, without leading zeros."""
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def rlp(item):
    """Bytes, or a list of items (https://ethereum.org/en/developers/docs/data-structures-and-encoding/rlp/)."""
    if isinstance(item, list):
        body, short, long = b"".join(map(rlp, item)), 0xC0, 0xF7
    elif len(item) == 1 and item[0] < 0x80:
        return item
    else:
        body, short, long = item, 0x80, 0xB7
    if len(body) < 56:
        return bytes([short + len(body)]) + body
    size = number(len(body))
    return bytes([long + len(size)]) + size + body
