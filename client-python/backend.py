"""Builds the wheel, for pip and for `npm run pack:python`: the package, and the games' rules as one file for Node."""

import base64
import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NAME = "agent_arcade"
METADATA = """\
Metadata-Version: 2.1
Name: agent-arcade
Version: {version}
Summary: Train agents for Agent Arcade, and play its games until they are paid.
License: MIT
Requires-Python: >=3.9
Provides-Extra: gymnasium
Requires-Dist: gymnasium>=1.1; extra == "gymnasium"
Provides-Extra: public
Requires-Dist: eth-account; extra == "public"
Requires-Dist: websockets; extra == "public"
Description-Content-Type: text/markdown

{readme}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: agent-arcade\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
SCRIPTS = """\
[console_scripts]
agent-arcade = agent_arcade.agent:main
agent-arcade-verify = agent_arcade.verify:main
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip. The rules come from the repository, so run `npm ci` there first."""
    command = ["npm", "run", "--silent", "pack:python", "--", "--out", str(Path(wheel_directory).resolve()), "--json"]
    try:
        ended = subprocess.run(command, cwd=FOLDER.parent, stdout=subprocess.PIPE)
    except FileNotFoundError:
        raise SystemExit("npm was not found: building the wheel needs the repository of Agent Arcade, with Node and npm")
    if ended.returncode != 0:
        raise SystemExit("the wheel was not built: run `npm ci` in the repository of Agent Arcade, then try again")
    return Path(json.loads(ended.stdout)["file"]).name


def write_wheel(folder, version):
    """Writes the wheel from this folder's files; rules.mjs is among them. The same files give the same bytes."""
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in (FOLDER / NAME).iterdir() if path.suffix in (".py", ".mjs")}
    # The verifier is written to import nothing of the product, so the wheel takes it as it is.
    verifier = (FOLDER.parent / "examples/verifier").glob("*.py")
    files.update({f"{NAME}/verifier/{path.name}": path.read_bytes() for path in verifier})
    info = f"{NAME}-{version}.dist-info"
    readme = (FOLDER / "README.md").read_text("utf-8")
    files[f"{info}/METADATA"] = METADATA.format(version=version, readme=readme).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = SCRIPTS.encode()
    files[f"{info}/LICENSE"] = (FOLDER.parent / "LICENSE").read_bytes()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = [f"{path},sha256={digest(data)},{len(data)}" for path, data in sorted(files.items())]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    target = Path(folder) / f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in sorted(files.items()):
            wheel.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return target


if __name__ == "__main__":
    print(write_wheel(sys.argv[1], sys.argv[2]))
