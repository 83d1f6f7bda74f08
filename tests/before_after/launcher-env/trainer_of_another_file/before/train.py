from engine import Trainer


def main(total_epochs):
    trainer = Trainer(total_epochs)
    trainer.train()


if __name__ == "__main__":
    main(2)
