from torch.utils.data import DataLoader
from vision.data import Squares

for batch in DataLoader(Squares(), batch_size=4, num_workers=2, collate_fn=lambda items: sum(items)):
    print(batch.item())
