"""How ranks are started: bash lines, containers, YAML, and which script can be reached from them."""
