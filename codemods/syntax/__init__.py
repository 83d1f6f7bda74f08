"""Analyses of Python text for all rules; nothing here depends on a hazard."""
