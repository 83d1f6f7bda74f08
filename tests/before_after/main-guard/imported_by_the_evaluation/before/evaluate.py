from train import model

if __name__ == "__main__":
    print(model)
