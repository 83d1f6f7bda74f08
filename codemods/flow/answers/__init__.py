"""What rules and people ask the value flow: crossings, traces, introspection."""
