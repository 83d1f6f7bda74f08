"""From verified text to a branch, a patch or rewritten files."""
