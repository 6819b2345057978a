"""JSON-RPC of a chain's node, with the standard library."""

import http.client
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

# Public nodes search no more blocks in one request.
RANGE_BLOCKS = 10_000


def find_host(url):
    """The host of a URL that urllib can open, without a key; None for others."""
    try:
        parts = urllib.parse.urlsplit(url)
        is_fit = parts.scheme in ("http", "https") and "@" not in parts.netloc and parts.port != 0
        return parts.hostname if is_fit else None
    except ValueError:
        return None


def ask_node(url, method, *params):
    """The result of a method. Ends the program if there is none."""

    def fail(reason):
        place = urllib.parse.urlsplit(url).netloc
        sys.exit(f"the node at {place} does not answer {method}: {reason}; try another node with --rpc")

    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    # A proxy elsewhere cannot reach a node on this machine.
    is_here = find_host(url) in ("localhost", "127.0.0.1", "::1")
    proxies = {} if is_here else urllib.request.getproxies()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies))
    try:
        with opener.open(request, timeout=30) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        fail(f"status {error.code}")
    except (OSError, ValueError, http.client.HTTPException) as error:
        fail(getattr(error, "reason", None) or type(error).__name__)
    if not isinstance(answer, dict) or answer.get("result") is None:
        fault = answer.get("error") if isinstance(answer, dict) else None
        fail(fault.get("message") if isinstance(fault, dict) else answer)
    return answer["result"]


def read_logs(url, rewards, event, first):
    """The logs of an event from the block `first` to the latest one."""
    last = int(ask_node(url, "eth_blockNumber"), 16)
    logs = []
    for start in range(first, last + 1, RANGE_BLOCKS):
        end = min(start + RANGE_BLOCKS - 1, last)
        query = {"address": rewards, "topics": [event], "fromBlock": hex(start), "toBlock": hex(end)}
        logs += ask_node(url, "eth_getLogs", query)
    return logs
