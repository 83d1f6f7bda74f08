import functools
from multiprocessing import Pool

def _run_add(n, row):
	# "ü" is two bytes
	text = """a
	b"""
	return row + n + len(text)

def _run_map(row):
	return ("ü", row)

def run(rows, n):
	add = functools.partial(_run_add, n)

	with Pool(1) as pool:
		return pool.map(add, rows), pool.map(_run_map, rows)

if __name__ == "__main__":
	print(*run([1, 2], 3))