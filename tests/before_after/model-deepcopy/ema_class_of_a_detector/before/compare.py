import torch


def compare(model, ema):
    """Print all that a deep copy keeps."""
    ours, theirs = dict(ema.named_parameters()), dict(model.named_parameters())
    print("parameters", list(ours) == list(theirs), all(torch.equal(ours[n].cpu(), theirs[n].cpu()) for n in theirs))
    print("dtypes", sorted({str(p.dtype) for p in ours.values()}), [ours[n].dtype == theirs[n].dtype for n in theirs])
    print("requires_grad", [p.requires_grad for p in ours.values()])
    ours_buffers, buffers = dict(ema.named_buffers()), dict(model.named_buffers())
    print("buffers", [torch.equal(ours_buffers[n], buffers[n]) for n in buffers], len(ours_buffers))
    tensors = [*ours.values(), *ours_buffers.values()]
    sources = {t.data_ptr() for t in [*theirs.values(), *buffers.values()]}
    print("own storage", not any(t.data_ptr() in sources for t in tensors))
    print("training", [m.training for m in ema.modules()], [m.training for m in model.modules()])
    groups = [(vars(a).get("group"), vars(b).get("group")) for a, b in zip(ema.modules(), model.modules())]
    print("same groups", all(a is b for a, b in groups))
    print("random state", round(torch.rand(1).item(), 6))
