"""The VS Code extension is packed by its own packer, and the pack holds what it needs.

test_extension.py PATH/TO/tessera FOLDER; 77: npm cannot fetch the packer."""

import json
import shutil
import subprocess
import sys
import zipfile

import client
import npm

SECONDS_MAX = 500


def main():
    if shutil.which("npm") is None:
        npm.skip("there is no npm; on Debian: apt-get install npm")
    done = subprocess.run([client.ROOT / "scripts/pack-extension"], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    if "ENOTFOUND" in done.stderr or "EAI_AGAIN" in done.stderr or "ECONNREFUSED" in done.stderr:
        npm.skip("npm has nothing to fetch the packer from")
    if done.returncode != 0:
        sys.exit(done.stderr)
    with zipfile.ZipFile(client.ROOT / done.stdout.strip()) as pack:
        names = pack.namelist()
        for wanted in ("extension/package.json", "extension/extension.js", "extension/tessera.tmLanguage.json",
                       "extension/node_modules/vscode-languageclient/package.json", "extension.vsixmanifest"):
            if wanted not in names:
                sys.exit(f"the pack lacks {wanted}")
        about = json.loads(pack.read("extension/package.json"))
        for one in about["contributes"]["grammars"]:
            json.loads(pack.read("extension/" + one["path"].removeprefix("./")))
    print(f"{done.stdout.strip()}: {len(names)} files")


if __name__ == "__main__":
    main()
