import multiprocessing

def double(x):
	return 2 * x

with multiprocessing.Pool(2) as pool:
	result = pool.map_async(double, [1, 2, 3])
	for value in result.get(timeout=20):
		if value > 2:
			print('value', value)
print('done')