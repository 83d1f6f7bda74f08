"""Launch lines: where a command starts ranks, with which program, flags and script, each word with its place.

`script` reads one shell text, `launch` turns its commands into launch lines. Nothing here decides what to rewrite.
"""
