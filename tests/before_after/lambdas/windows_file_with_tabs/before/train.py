from multiprocessing import Pool

def run(rows, n):
	def add(row):
		# "ü" is two bytes
		text = """a
	b"""
		return row + n + len(text)

	with Pool(1) as pool:
		return pool.map(add, rows), pool.map(lambda row: ("ü", row), rows)

if __name__ == "__main__":
	print(*run([1, 2], 3))