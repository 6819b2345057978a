"""Guests that take all they can, until their standard input ends: hoarders.py PLAN, a JSON list of kinds of guests.

A kind holds `connections` for each of its `addresses` (and the address that it claims) and sends `request` on each. It
opens one again `again` seconds after it was closed, and closes it itself after `hold` seconds. Unless it `reads`, its
receive window is small and it takes nothing; segments are small too, so that the service's own buffers fill at once.
"""

import heapq
import json
import resource
import secrets
import select
import socket
import sys
import time
from functools import partial

RECEIVE_BYTES = 1024
SEGMENT_BYTES = 536
RAMP_SECONDS = 8

resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
poll = select.epoll()
opened = {}
due = []
number = 0


def later(seconds, act, *values):
    global number
    number += 1
    heapq.heappush(due, (time.monotonic() + seconds, number, partial(act, *values)))


def connect(kind, address, forwarded):
    guest = socket.socket()
    guest.setblocking(False)
    if not kind["reads"]:
        guest.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)
    try:
        guest.bind((address, 0))
        guest.connect_ex(("127.0.0.1", kind["port"]))
    except OSError:
        guest.close()
        later(kind["again"], connect, kind, address, forwarded)
        return
    opened[guest.fileno()] = (guest, kind, address, forwarded)
    later(kind["hold"], leave, guest)
    poll.register(guest, select.EPOLLOUT | select.EPOLLRDHUP)


def fill(request, forwarded):
    """Each request of a wallet is another wallet's."""
    return request.replace("FORWARDED", forwarded).replace("WALLET", secrets.token_hex(20))


def close(descriptor):
    guest, kind, address, forwarded = opened.pop(descriptor)
    guest.close()
    later(kind["again"], connect, kind, address, forwarded)


def leave(guest):
    if guest.fileno() in opened:
        close(guest.fileno())


def serve(descriptor, events):
    guest, kind, _, forwarded = opened[descriptor]
    if events & (select.EPOLLERR | select.EPOLLHUP | select.EPOLLRDHUP):
        close(descriptor)
    elif events & select.EPOLLOUT:
        guest.send(fill(kind["request"], forwarded).encode())
        poll.modify(descriptor, select.EPOLLRDHUP | (select.EPOLLIN if kind["reads"] else 0))
    elif not guest.recv(65536):
        close(descriptor)


for kind in json.loads(sys.argv[1]):
    for address, forwarded in kind["addresses"]:
        for i in range(kind["connections"]):
            later(RAMP_SECONDS * (i + 1) / kind["connections"], connect, kind, address, forwarded)
poll.register(sys.stdin, select.EPOLLIN)
while True:
    while due and due[0][0] <= time.monotonic():
        heapq.heappop(due)[2]()
    for descriptor, events in poll.poll(0.05):
        if descriptor == sys.stdin.fileno():
            sys.exit()
        try:
            serve(descriptor, events)
        except OSError:
            close(descriptor)
