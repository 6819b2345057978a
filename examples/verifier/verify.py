"""Derives scores on chain again from their replays. Written from docs/rules.md, docs/replays.md and docs/signing.md only;
the standard library is enough (Python 3.9 or later).

usage: verify.py --rewards ADDRESS (--rpc URL [--from BLOCK] | --events FILE) --replays DIR

--from: the first block to search, such as the deployment's startBlock; 0 by default.
--events: a JSON object {"chainId": N, "logs": […]}, the logs as eth_getLogs answers them. Prints one JSON line for each
file and for each score without one. Exit code 1 when any of them is not REPRODUCED or SIGNED_BY_PLAYER.
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys

from crypto import checksum_address, hash_typed, keccak256, recover, word
from node import ask_node, find_host, read_logs
from rules import play

EVENT = "0x" + keccak256(b"ScoreSnapshot(address,bytes32,bytes32,uint256,uint256)").hex()
CORE = "v slug rulesVersion tickHz seed ticks inputs finalScore endReason".split()
CORE += "serverSeed seedCommitment entropy rulesHash pauses".split()
REASONS = "lives_lost exit ended_by_player heartbeat_timeout never_joined disconnect_timeout".split()
REASONS += "max_duration server_restart yielded".split()
# The codes that act. 0 of flappybots (NOOP) is never recorded.
ACTING = {"shellrunners": {0, 1, 2}, "flappybots": {1}}
PAUSE, RESUME, EXIT = 10, 11, 12
BUDGETS_MS = {0: 60_000, 1: 60_000}
HEX_32 = r"0x[0-9a-f]{64}"


class Diverged(Exception):
    """What differs, in words."""


def need(holds, what):
    if not holds:
        raise Diverged(what)


def is_count(value):
    return type(value) is int and 0 <= value < 2**53


def has_form(pattern):
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


def is_address(value):
    return has_form("0x[0-9a-fA-F]{40}")(value) and checksum_address(value) == value


def is_list_of(length):
    return lambda value: isinstance(value, list) and all(
        isinstance(row, list) and len(row) == length and all(map(is_count, row)) for row in value
    )


FORMS = {
    "v": lambda value: value == 2 and is_count(value),
    "slug": lambda value: value in ACTING,
    "rulesVersion": lambda value: value == 2 and is_count(value),
    "tickHz": lambda value: is_count(value) and value in (10, 12, 15, 20, 30, 60),
    **{name: has_form(HEX_32) for name in ("seed", "serverSeed", "seedCommitment", "rulesHash")},
    "entropy": has_form("0x([0-9a-f]{2}){0,32}"),
    "pauses": is_list_of(3),
    "inputs": is_list_of(2),
    **{name: is_count for name in ("ticks", "finalScore", "chainId")},
    "endReason": lambda value: value in REASONS,
    "sessionId": has_form("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "wallet": is_address,
    "rewards": is_address,
    "sequence": has_form("0|[1-9][0-9]{0,19}"),
}
SIGNATURE = has_form("0x[0-9a-f]{130}")


def parse(data):
    """A replay of a file: JSON in UTF-8 with these fields, each once and in its form."""

    def refuse(text):
        raise Diverged(f"file: {text} is not an integer")

    def unique(pairs):
        need(len(dict(pairs)) == len(pairs), "file: a field stands twice")
        return dict(pairs)

    try:
        replay = json.loads(data.decode(), parse_float=refuse, parse_constant=refuse, object_pairs_hook=unique)
    except ValueError as error:
        raise Diverged(f"file: not JSON in UTF-8 ({error})") from None
    need(isinstance(replay, dict), "file: not an object")
    for name in replay:
        need(name in FORMS or name == "transcriptSignature", f"{name}: no such field")
    for name, fits in FORMS.items():
        need(name in replay and fits(replay[name]), f"{name}: missing, or not in its form")
    need("transcriptSignature" not in replay or SIGNATURE(replay["transcriptSignature"]), "transcriptSignature: not 65 bytes")
    return replay


def digest_replay(replay):
    core = {name: replay[name] for name in CORE}
    return keccak256(json.dumps(core, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())


def hash_session(replay, digest):
    """What is on chain for the session: 24 bytes over its facts, 8 bytes of its sequence."""
    game_id = replay["slug"].encode().ljust(32, b"\0")
    session_id = bytes.fromhex(replay["sessionId"].replace("-", "")).ljust(32, b"\0")
    facts = [replay["chainId"], replay["rewards"], game_id, replay["wallet"], session_id, digest, replay["finalScore"]]
    sequence = int(replay["sequence"])
    need(sequence < 2**64, "sequence: more than 8 bytes")
    return keccak256(b"".join(map(word, facts)))[:24] + sequence.to_bytes(8, "big")


def check_seed(replay):
    server, entropy = bytes.fromhex(replay["serverSeed"][2:]), bytes.fromhex(replay["entropy"][2:])
    need(replay["seedCommitment"] == "0x" + hashlib.sha256(server).hexdigest(), "seedCommitment: not sha256 of serverSeed")
    seed = hashlib.sha256(server + entropy).digest() if entropy else server
    need(replay["seed"] == "0x" + seed.hex(), "seed: not that of serverSeed and entropy")


def check_pauses(replay):
    spent, last = {}, 0
    for tick, reason, ms in replay["pauses"]:
        need(last <= tick <= replay["ticks"] and reason in (0, 1, 2), "pauses: not ascending, or an unknown reason")
        last, spent[reason] = tick, spent.get(reason, 0) + ms
        need(reason not in BUDGETS_MS or spent[reason] <= BUDGETS_MS[reason] + 10_000, "pauses: above the budget")
    need(sum(spent.values()) <= 15 * 60_000, "pauses: above 15 minutes")


def check_inputs(replay):
    """Returns the inputs that reach the game: commands never do."""
    ticks, acting = replay["ticks"], ACTING[replay["slug"]]
    game, last, pauses, is_paused, seen = [], 0, 0, False, set()
    for index, (tick, code) in enumerate(replay["inputs"]):
        need(tick >= max(last, 1), "inputs: not ascending")
        need(tick <= (ticks + 1 if code in (PAUSE, RESUME, EXIT) else ticks), "inputs: after the end")
        seen = seen if tick == last else set()
        last = tick
        if code == PAUSE:
            pauses += 1
            need(not is_paused and pauses <= 3, "inputs: a pause too many")
            is_paused = True
        elif code == RESUME:
            need(is_paused, "inputs: a resume without a pause")
            is_paused = False
        elif code == EXIT:
            need(index == len(replay["inputs"]) - 1 and tick == ticks + 1, "inputs: exit is not the last")
        else:
            need(code in acting and not seen, "inputs: an unknown code, or two in a tick")
            seen.add(code)
            game.append((tick, code))
    return game


def check_run(replay):
    need(replay["ticks"] <= 1801 * replay["tickHz"], "ticks: more than a session lasts")
    check_pauses(replay)
    run = {**replay, "seed": replay["seed"][2:], "inputs": check_inputs(replay)}
    result = play(run)
    need(result["ticks"] == replay["ticks"], "ticks: the run ends earlier")
    need(result["score"] == replay["finalScore"], "finalScore: the run gives another one")
    need((result["lives"] == 0) == (replay["endReason"] == "lives_lost"), "endReason: does not fit the lives")
    exited = bool(replay["inputs"]) and replay["inputs"][-1][1] == EXIT
    need(exited == (replay["endReason"] == "exit"), "endReason: does not fit the last input")
    need(replay["endReason"] != "never_joined" or replay["ticks"] == 0, "endReason: nobody joined, and there are ticks")


def check_signature(replay, digest):
    """Whether the wallet signed; another key's signature is a difference."""
    if "transcriptSignature" not in replay:
        return False
    text = "Transcript(address wallet,string sessionId,bytes32 replayDigest)"
    values = [replay["wallet"], keccak256(replay["sessionId"].encode()), digest]
    signed = hash_typed("AgentArcadeReplay", replay["chainId"], text, values)
    signer = recover(signed, bytes.fromhex(replay["transcriptSignature"][2:]))
    need(signer == replay["wallet"], "transcriptSignature: not by the wallet")
    return True


def check_file(data, chain_id, rewards, events):
    """The verdict on one file, the reason, and the hash of its event."""
    session = None
    try:
        replay = parse(data)
        check_seed(replay)
        digest = digest_replay(replay)
        session = "0x" + hash_session(replay, digest).hex()
        need(session in events, "gameSessionHash: no score on chain has the hash of this replay")
        need(replay["chainId"] == chain_id and replay["rewards"].lower() == rewards, "chainId, rewards: another chain")
        wallet, game_id, score = events[session]
        need(int(replay["wallet"], 16) == int(wallet, 16), "wallet: the event names another one")
        need(replay["slug"].encode().ljust(32, b"\0").hex() == game_id[2:], "slug: the event names another game")
        need(replay["finalScore"] == score, "finalScore: the event has another one")
        check_run(replay)
        signed = check_signature(replay, digest)
    except Diverged as difference:
        return "DIVERGED", str(difference), session
    return ("SIGNED_BY_PLAYER" if signed else "REPRODUCED"), f"{replay['finalScore']} points", session


def read_events(logs, rewards):
    """Wallet, game and score by gameSessionHash."""
    events = {}
    for log in logs:
        if log["address"].lower() == rewards and log["topics"][0] == EVENT:
            _, wallet, game_id, session = log["topics"]
            events[session] = (wallet, game_id, int(log["data"][2:66], 16))
    return events


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rewards", required=True)
    parser.add_argument("--replays", required=True, type=pathlib.Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--rpc")
    source.add_argument("--events", type=pathlib.Path)
    parser.add_argument("--from", dest="first", metavar="BLOCK", type=int, default=0)
    given = parser.parse_args()
    rewards = given.rewards.lower()
    if not re.fullmatch("0x[0-9a-f]{40}", rewards):
        parser.error(f"--rewards: expected an address, received {given.rewards}")
    if given.rpc and find_host(given.rpc) is None:
        parser.error("--rpc: expected http:// or https:// and a host without a user, received a value that is not shown")
    if given.first < 0:
        parser.error(f"--from: expected a block, received {given.first}")
    if not given.replays.is_dir():
        parser.error(f"--replays: expected a folder, received {given.replays}")
    if given.rpc:
        chain_id = int(ask_node(given.rpc, "eth_chainId"), 16)
        if ask_node(given.rpc, "eth_getCode", rewards, "latest") == "0x":
            sys.exit(f"--rewards: there is no contract at {rewards} on chain {chain_id}")
        logs = read_logs(given.rpc, rewards, EVENT, given.first)
    else:
        stored = json.loads(given.events.read_text())
        chain_id, logs = stored["chainId"], stored["logs"]
    events = read_events(logs, rewards)
    missing, failed = set(events), False
    for path in sorted(given.replays.glob("*.json")):
        if path.name == "index.json":
            continue
        verdict, reason, session = check_file(path.read_bytes(), chain_id, rewards, events)
        missing.discard(session)
        failed |= verdict == "DIVERGED"
        print(json.dumps({"file": path.name, "verdict": verdict, "reason": reason}))
    for session in sorted(missing):
        print(json.dumps({"gameSessionHash": session, "verdict": "CANNOT_RECOMPUTE", "reason": "there is no replay"}))
    sys.exit(failed or bool(missing))


if __name__ == "__main__":
    main()
