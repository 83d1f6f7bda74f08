"""How people and other tools look at a run. Reports and bytes in, text out; nothing writes files."""
