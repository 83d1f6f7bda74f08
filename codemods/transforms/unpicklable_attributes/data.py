"""Loads names.toml: what the libraries' functions and classes are, by name."""

from __future__ import annotations

from ...name_tables import names_of

names = names_of(__name__)
