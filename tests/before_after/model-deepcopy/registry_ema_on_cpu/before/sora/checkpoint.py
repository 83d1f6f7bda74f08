def set_grad_checkpoint(model, use_fp32_attention=False, gc_step=1):
    def set_attr(module):
        module.grad_checkpointing = True
        module.fp32_attention = use_fp32_attention
        module.grad_checkpointing_step = gc_step

    model.apply(set_attr)
