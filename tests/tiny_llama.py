"""A tiny random Llama with a tokenizer of single letters: everything of a model but its size."""

from pathlib import Path
from typing import Any

from tests.unit.test_engine_chat import CHATML


def letter_tokenizer() -> Any:
    """Return a tokenizer of bytes with ChatML's template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = {letter: index + 3 for index, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    inner = Tokenizer(models.BPE(vocab={"<s>": 0, "</s>": 1, "<pad>": 2} | letters, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    tokenizer.chat_template = CHATML
    return tokenizer


def write_tiny_llama(folder: Path, hidden: int = 16) -> Path:
    """Write model and tokenizer, the same each time, and return the folder."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=260, hidden_size=hidden, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=4096, bos_token_id=0, eos_token_id=1, pad_token_id=2,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    letter_tokenizer().save_pretrained(folder)
    return folder
