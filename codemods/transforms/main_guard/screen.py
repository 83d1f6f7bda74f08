"""What the rule is called, and the bytes without which a repository has no finding of it. Loaded by every run."""

from __future__ import annotations

import re

ID = "main-guard"
WORDS = (
    r"[dD]ata_?[lL]oader|Loader\b|Sampler\b|multiprocessing|ProcessPool|torchnet|process_map|detectron2"
    r"|VecEnv|VectorEnv|track_parallel|litdata|p_tqdm|create_loader|torch_xla|_spawn\b|num_\w*workers|num_proc\b"
)
PARTS = (  # one of these stands in every match of WORDS: found many times faster
    *("oader", "ampler", "multiprocessing", "ProcessPool", "process_map", "detectron2", "VecEnv", "VectorEnv"),
    *("track_parallel", "torchnet", "litdata", "p_tqdm", "torch_xla", "_spawn", "workers", "num_proc"),
)
SCREEN = re.compile(WORDS.encode())
