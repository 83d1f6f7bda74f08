"""Many repositories in one run: a list in, one row each in a ledger, a report out."""
