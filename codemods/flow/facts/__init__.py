"""What one file contributes to the value flow."""
