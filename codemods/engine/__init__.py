"""From files to findings, fixes and verified text."""
