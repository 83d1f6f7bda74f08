class Reader:
    def __init__(self, table, **options):
        self.table = table
        self.connection = options.get("connection")

    def show(self, number):
        query = f"SELECT text FROM {self.table} WHERE id = ?"
        print(self.connection.execute(query, (number,)).fetchone()[0], flush=True)
