def banner(text):
    """A heading."""
    print("==>", text)
