"""A WebSocket for JSON messages: by the package websockets if installed, otherwise by the standard library (RFC 6455)."""

import asyncio
import base64
import json
import os
import socket
import ssl
import struct
from urllib.parse import urlsplit

try:
    import websockets
except ImportError:
    websockets = None

PART = "built in (websockets is not installed)" if websockets is None else "websockets"


def open_channel(url):
    """An object with send(message), receive() for the next message (None once the channel is closed) and close()."""
    return BuiltInChannel(url) if websockets is None else PackageChannel(url)


class PackageChannel:
    """The channel over the package websockets."""

    def __init__(self, url):
        self.loop = asyncio.new_event_loop()
        self.socket = self.run(self.connect(url))

    async def connect(self, url):
        return await websockets.connect(url, max_size=None)

    def run(self, work):
        return self.loop.run_until_complete(work)

    def send(self, message):
        self.run(self.socket.send(json.dumps(message)))

    def receive(self):
        try:
            return json.loads(self.run(self.socket.recv()))
        except websockets.ConnectionClosed:
            return None

    def close(self):
        self.run(self.socket.close())
        self.loop.close()


class BuiltInChannel:
    """The channel over a socket, without the package."""

    def __init__(self, url):
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "wss" else 80)
        raw = socket.create_connection((parts.hostname, port), timeout=60)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        is_secure = parts.scheme == "wss"
        self.socket = ssl.create_default_context().wrap_socket(raw, server_hostname=parts.hostname) if is_secure else raw
        self.reader = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {parts.path}?{parts.query} HTTP/1.1", f"Host: {parts.hostname}:{port}", "Upgrade: websocket"]
        lines += ["Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        status = self.reader.readline().decode()
        while self.reader.readline().strip():
            pass
        if " 101 " not in status:
            raise ConnectionError(f"the service did not open the channel: {status.strip()}")

    def write(self, opcode, payload):
        """Sends one masked frame of at most 65,535 bytes."""
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        else:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def read(self):
        """One frame's opcode, whether it is the last of its message, and its payload."""
        head = self.reader.read(2)
        if len(head) < 2:
            return 8, True, b""  # The connection broke: treat it as a close frame.
        first, second = head
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", self.reader.read(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self.reader.read(8))
        return first & 0x0F, bool(first & 0x80), self.reader.read(size)

    def close(self):
        self.reader.close()
        self.socket.close()

    def send(self, message):
        self.write(1, json.dumps(message).encode())

    def receive(self):
        text = b""
        while True:
            opcode, is_last, payload = self.read()
            if opcode == 8:
                return None
            if opcode == 9:
                self.write(10, payload)
            if opcode in (0, 1):
                text += payload
                if is_last:
                    return json.loads(text)
