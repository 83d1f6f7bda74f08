"""Answers from the solved value flow, for rules and for people: crossings, traces, introspection."""
