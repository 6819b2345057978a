"""From an empty wallet to a payout, over the plain protocol.

ARCADE_AGENT_KEY is the wallet's key; without it the agent makes a new one. ARCADE_RPC_URL is the chain's node; without
it the agent uses the service's.

On the local chain the standard library is enough. The packages websockets and eth-account are used if installed; the
first lines of the output show which parts run. To play your own bot: `run(Service(url), choose)`.
"""

import argparse
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from .channel import PART as CHANNEL_PART
from .channel import open_channel
from .wallet import LOCAL_CHAIN_ID, WalletError, make_wallet


class ArcadeError(Exception):
    """A request, a call or the chain's node failed. `code` is the service's (docs/errors.md), None for other failures."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


def bypass_proxy_locally():
    """Exempts this machine from the proxies of the environment: a proxy elsewhere cannot reach the service here."""
    proxies = urllib.request.getproxies_environment()
    exempt = proxies.get("no", "")
    if proxies and exempt != "*" and "[::1]" not in exempt:
        os.environ["no_proxy"] = ",".join([exempt, "localhost", "127.0.0.1", "::1", "[::1]"])


def find_host(url):
    """The host of a URL with its port. Any other text after the colon may be a key."""
    parts = urlsplit(url)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    name = parts.hostname or "an address without http://"
    return (f"[{name}]" if parts.hostname and ":" in name else name) + port


def fetch(url, body=None, headers={}, advice="is this the right address?"):
    """Returns the JSON of a response (also of a failure) and its headers. Sends a POST if there is a body."""
    data = None if body is None else json.dumps(body).encode()
    try:
        request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            return json.load(error), error.headers
    except (OSError, ValueError, http.client.HTTPException) as error:
        # Host and reason only: the address of a node may hold a key, and some messages repeat the address.
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
        advice = "is it http:// there, without TLS?" if "WRONG_VERSION_NUMBER" in str(reason) else advice
        raise ArcadeError(f"{find_host(url)}: no answer in JSON ({reason}); {advice}") from None


def parse_service_url(text):
    """The origin of a service's URL. Raises ArcadeError; its message contains no credentials."""
    try:
        parts = urlsplit(text.strip().rstrip("/"))
        is_origin = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_origin = False
    expected = "expected the origin of a service, like"
    if is_origin and "@" in parts.netloc:
        raise ArcadeError(f"{expected} http://127.0.0.1:4100, received a URL with a user or a password: remove it")
    if not is_origin:
        received = "a value that is not shown" if "@" in text else repr(text)
        raise ArcadeError(f"{expected} http://127.0.0.1:4100, received {received}")
    origin = f"{parts.scheme}://{parts.netloc}"
    if parts.path or parts.query or parts.fragment:
        raise ArcadeError(f"{expected} {origin}, received {text!r}: remove {text.strip()[len(origin) :]!r}")
    return origin


class Service:
    """A running service."""

    def __init__(self, url):
        bypass_proxy_locally()
        self.url = parse_service_url(url)
        # The latest block seen. Every server of the service must answer as of this block or later.
        self.seen_block = 0

    def see_block(self, number):
        """Remembers the block of a response or a receipt."""
        self.seen_block = max(self.seen_block, number)

    def call(self, path, body=None, token=None):
        """One request; a GET if there is no body. Repeats retryable failures for 30 s and raises others."""
        give_up_at = time.monotonic() + 30
        while True:
            headers = {"Arcade-Min-Block": str(self.seen_block)}
            if token is not None:
                headers["Authorization"] = f"Bearer {token}"
            answer, received = fetch(self.url + path, body, headers)
            if not answer.get("retryable") or time.monotonic() > give_up_at:
                break
            time.sleep(1)
        if not answer.get("ok"):
            code = answer.get("code", "no answer of Agent Arcade")
            raise ArcadeError(f"{path}: {code}: {answer.get('error', answer)}", answer.get("code"))
        self.see_block(int(received.get("Arcade-Block") or 0))
        return answer


class Chain:
    """The chain's node, over JSON-RPC."""

    def __init__(self, service, url, chain_id):
        if url is None:
            raise ArcadeError(f"the service publishes no node of chain {chain_id}; set one in ARCADE_RPC_URL")
        self.service, self.url, self.chain_id = service, url, chain_id
        served = int(self.ask("eth_chainId"), 16)
        if served != chain_id:
            raise ArcadeError(f"the node is on chain {served}, the service on {chain_id}; correct ARCADE_RPC_URL")

    def ask(self, method, *params):
        """The result of a method."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer, _ = fetch(self.url, request, advice="set another node of the chain in ARCADE_RPC_URL")
        if "result" not in answer:
            fault = answer.get("error", answer)
            raise ArcadeError(f"{method}: {fault['message'] if isinstance(fault, dict) and 'message' in fault else fault}")
        return answer["result"]

    def send(self, wallet, prepared, contract):
        """Checks where a prepared call goes, sends it, and waits for its block."""
        if prepared["chainId"] != self.chain_id or prepared["to"] != contract or prepared["value"] != "0":
            raise ArcadeError(f"the service prepared another call than expected: {prepared}")
        draft = {"from": wallet.address, "to": prepared["to"], "data": prepared["data"]}
        fee = 2 * int(self.ask("eth_gasPrice"), 16)
        transaction = {
            "chainId": self.chain_id,
            "nonce": int(self.ask("eth_getTransactionCount", wallet.address, "pending"), 16),
            "maxPriorityFeePerGas": fee // 2,
            "maxFeePerGas": fee,
            "gas": int(self.ask("eth_estimateGas", draft), 16) * 5 // 4,
            "to": prepared["to"],
            "value": 0,
            "data": prepared["data"],
        }
        tx_hash = self.ask("eth_sendRawTransaction", wallet.sign_transaction(transaction))
        while (receipt := self.ask("eth_getTransactionReceipt", tx_hash)) is None:
            time.sleep(0.2)
        if receipt["status"] != "0x1":
            raise ArcadeError(f"{prepared['functionName']} was reverted ({tx_hash})")
        self.service.see_block(int(receipt["blockNumber"], 16))
        print(f"{prepared['functionName']} {tx_hash}", flush=True)
        return tx_hash


def choose(frame):
    """A bot for shellrunners: steers to the nearest gap in the next row of obstacles, otherwise to food."""
    pawn = frame["pawn"]
    ahead = [e for e in frame["entities"] if e["y"] < pawn["y"] + pawn["h"]]
    obstacles = [e for e in ahead if e["class"] == "obstacle"]
    row_y = max((e["y"] for e in obstacles), default=None)
    row = [e for e in obstacles if e["y"] == row_y]
    is_free = lambda x: all(abs(e["x"] - x) > (e["w"] + pawn["w"]) / 2 + 8 for e in row)
    ways = [x for x in range(20, 470, 10) if is_free(x)]
    food = next((e["x"] for e in ahead if e["class"] == "food" and e["y"] > (row_y or 0)), pawn["x"])
    target = min(ways, key=lambda x: (abs(x - pawn["x"]) > 60, abs(x - food)), default=pawn["x"])
    direction = "none" if abs(target - pawn["x"]) < 8 else "left" if target < pawn["x"] else "right"
    return None if direction == pawn["dir"] else {"t": "input", "dir": direction}


def play(url, token, choose):
    """Plays to the `end` message: sends the token, then the move that `choose` returns for each frame, if any."""
    channel = open_channel(url)
    channel.send({"t": "auth", "token": token})
    while (message := channel.receive()) is not None:
        if message["t"] == "end":
            channel.close()
            return message
        if message["t"] == "frame" and message["frame"]["phase"] == "running":
            move = choose(message["frame"])
            if move is not None:
                channel.send(move)
    raise ArcadeError("the channel was closed before the end; request a new play token and connect again")


def run(service, choose=choose, slug="shellrunners", key=None):
    """Goes through identity, sign-in, a ranked session, snapshot and payout. Prints each step; returns the payout."""
    about = service.call("/api/agent-instructions")
    contracts, chain_id = about["contracts"], about["chainId"]
    wallet = make_wallet(chain_id, key)
    chain = Chain(service, os.environ.get("ARCADE_RPC_URL") or about["rpcUrl"], chain_id)
    print(f"python {sys.version.split()[0]}\nchannel: {CHANNEL_PART}\nwallet: {wallet.part}", flush=True)

    if chain_id == LOCAL_CHAIN_ID:
        service.call("/api/dev/faucet", {"address": wallet.address})
    owner = {"walletAddress": wallet.address}
    if not service.call("/api/agents/identity/ownership-status", owner)["owned"]:
        prepared = service.call("/api/identity/register", {**owner, "agentName": "Python agent"})
        chain.send(wallet, prepared["call"], contracts["identity"])

    message = service.call(f"/api/games/{slug}/auth/nonce", owner)["message"]
    signed = {"message": message, "signature": wallet.sign_message(message)}
    token = service.call(f"/api/games/{slug}/auth/verify", signed)["accessToken"]

    started = service.call(f"/api/games/{slug}/sessions/start", {"source": "agent_api"}, token)
    end = play(started["wsUrl"], started["playToken"], choose)
    print(f"played {end['score']} points, {end['endReason']}", flush=True)

    # The wallet vouches for the run within 10 minutes of its end: verifiers then answer SIGNED_BY_PLAYER.
    signature = wallet.sign_transcript(chain_id, started["sessionId"], end["replayDigest"])
    service.call(f"/api/games/{slug}/sessions/{started['sessionId']}/transcript", {"signature": signature}, token)
    print("replay signed", flush=True)

    session = {"sessionId": started["sessionId"]}
    tx_hash = chain.send(wallet, service.call("/api/rewards/snapshot", session, token)["call"], contracts["rewards"])
    service.call("/api/rewards/snapshot", {**session, "txHash": tx_hash}, token)

    # Waits for a cooldown for a minute at most; the points stay in the scorebank.
    give_up_at = time.monotonic() + 60
    while not (readiness := service.call("/api/rewards/readiness", {}, token))["ready"]:
        reasons, next_time = readiness["reasons"], readiness["nextEligibleAt"]
        if not set(reasons) <= {"COOLDOWN_ACTIVE", "IDENTITY_TOO_NEW"} or time.monotonic() > give_up_at:
            when = "" if next_time is None else f", next time {next_time}"
            raise ArcadeError(f"not ready to be paid: {', '.join(reasons)}{when}")
        time.sleep(1)
    payout = service.call("/api/rewards/payout", {}, token)
    while payout["status"] in ("pending", "sent"):
        time.sleep(0.5)
        payout = service.call(f"/api/rewards/payout/{payout['payoutId']}", token=token)
    print(f"payout {payout['status']}: {payout['score']} points, {payout['txHash']}")
    return payout


def main():
    """Plays one session at the service given on the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("agent-arcade", description=__doc__, formatter_class=form)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:4100", metavar="SERVICE_URL")
    given = parser.parse_args()
    try:
        run(Service(given.url), key=os.environ.get("ARCADE_AGENT_KEY"))
    except (ArcadeError, WalletError) as error:
        raise SystemExit(str(error))
    except KeyboardInterrupt:
        raise SystemExit(130)
