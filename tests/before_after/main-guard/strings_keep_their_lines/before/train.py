from concurrent.futures import ProcessPoolExecutor


def shout(text):
    return text.upper()


executor = ProcessPoolExecutor(2)
REPORT = """
first line
    second line
"""
name = "it"
summary = f"""
{name}:
  {
name}
"""
joined = "one \
two"
total = 1 + \
    2
# a comment at the margin
futures = [
    executor.submit(shout, text)
    for text in (REPORT, summary, joined)
]

for future in futures:
    print(repr(future.result()), total)
executor.shutdown()
