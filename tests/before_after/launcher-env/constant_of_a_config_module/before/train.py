import config

if __name__ == "__main__":
    print(config.BATCH_SIZE, config.DEVICE)
