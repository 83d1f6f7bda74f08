"""What speaks against moving a function or class: where a program could tell that it was moved."""
