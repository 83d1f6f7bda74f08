"""Files that only the Python 2 grammar reads, and other people's Bowler queries: text in, text out."""
