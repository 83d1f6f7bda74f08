def center_crop(image, image_size):
    start = (len(image) - image_size) // 2
    return image[start : start + image_size]


def load_image(path, is_training, scale=1):
    rows = list(range(len(path) * scale))
    return rows[::-1] if is_training else rows


class Batch:
    def __init__(self, rows):
        self.rows = rows

    @staticmethod
    def from_rows(rows):
        return Batch([sum(row) for row in rows])
