#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

OUT=$(mktemp -d)
for split in val; do
    time torchrun --nproc_per_node=2 --master_port="${PORT:-29511}" \
        eval/score.py --out "$OUT" > "$OUT/log.$split" 2>&1
    cat "$OUT"/rank*.txt
done
