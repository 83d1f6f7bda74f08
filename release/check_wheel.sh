#!/usr/bin/env bash
# Installs each file of dist/ in a clean environment and uses it there: `release/check_wheel.sh PYTHON`, in a checkout.
set -euo pipefail
python="${1:-python3}"
dist="$(pwd)/dist"
for file in "$dist"/*.whl "$dist"/*.tar.gz; do
    work="$(mktemp -d)"
    "$python" -m venv "$work/env"
    if [ -d "$work/env/Scripts" ]; then bin="$work/env/Scripts"; else bin="$work/env/bin"; fi
    "$bin/python" -m pip install --quiet "$file"
    mkdir -p "$work/repo/codemods"  # a folder of that name must not be taken for ours
    printf 'from torch.utils.data import DataLoader\n\n\ndef f(d):\n    return DataLoader(d, num_workers=2, collate_fn=lambda b: b)\n' \
        >"$work/repo/train.py"
    cd "$work/repo"
    "$bin/spawnfix" --version
    "$bin/spawnfix" rules >/dev/null
    status=0
    "$bin/python" -m spawnfix check . >/dev/null || status=$?
    [ "$status" = 1 ]
    "$bin/spawnfix" migrate . --no-git
    "$bin/spawnfix" check .
    "$bin/python" -c "import spawnfix; assert spawnfix.check('.').findings == ()"
    cd - >/dev/null
    rm -rf "$work"
done
