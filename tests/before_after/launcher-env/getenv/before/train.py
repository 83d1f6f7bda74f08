import os


def get_device_index():
    return int(
        os.getenv(
            "LOCAL_RANK",
        )
    )


if __name__ == "__main__":
    index = get_device_index()
    print("device", index + 1, "of 8")
