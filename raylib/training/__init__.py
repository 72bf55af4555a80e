"""Fine-tuning with LoRA: what a model is trained on, in which order, and how the result is checked."""
