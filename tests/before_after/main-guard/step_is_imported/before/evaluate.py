from train import step, weights

if __name__ == "__main__":
    print(step(weights[0]))
