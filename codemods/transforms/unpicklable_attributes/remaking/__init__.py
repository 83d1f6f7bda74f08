"""How what an attribute holds is made again in the copy of the object: by state methods, or on demand."""
