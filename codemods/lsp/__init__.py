"""The language server, `spawnfix lsp`: findings in an editor, with fixes, the trace, and why."""
