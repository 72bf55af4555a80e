"""Chat templates as they are in the wild, written anew in their style and rendered by a real tokenizer."""

from typing import Any

import pytest

from raylib.engines.base import Message
from raylib.engines.chat import PromptRenderer
from raylib.engines.spec import ModelSpec
from raylib.errors import ConfigError, ModelError

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAMA3 = (
    "{{ bos_token }}{% for m in messages %}<|h|>{{ m.role }}<|/h|>\n\n{{ m.content | trim }}<|eot|>{% endfor %}"
    "{% if add_generation_prompt %}<|h|>assistant<|/h|>\n\n{% endif %}"
)
MISTRAL_V02 = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
    "{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% else %}{{ m.content }}{{ eos_token }}{% endif %}"
    "{% endfor %}"
)
GEMMA = (
    "{{ bos_token }}{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n"
    "{{ m.content | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
DROPS_SYSTEM = "{% for m in messages %}{% if m.role == 'user' %}U: {{ m.content }}\nA:{% endif %}{% endfor %}"


@pytest.fixture(scope="module")
def make_tokenizer() -> Any:
    pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    def make(template: str | None) -> Any:
        letters = {letter: index + 3 for index, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
        inner = Tokenizer(models.BPE(vocab={"<s>": 0, "</s>": 1, "<pad>": 2} | letters, merges=[]))
        inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        inner.decoder = decoders.ByteLevel()
        # As Llama's: the tokenizer puts a BOS in front of every text unless it is told not to.
        inner.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=inner, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
        )
        tokenizer.chat_template = template
        return tokenizer

    return make


def render(tokenizer: Any, *turns: tuple[Any, str], **spec: Any) -> tuple[str, list[int], bool]:
    renderer = PromptRenderer(tokenizer, ModelSpec("/models/m", **spec))
    prompt = renderer.render([Message(role, content) for role, content in turns])
    return prompt.text, prompt.token_ids, renderer.system_folded


@pytest.mark.parametrize("template", [CHATML, LLAMA3])
def test_a_template_with_a_system_role_gets_the_system_turn(make_tokenizer: Any, template: str) -> None:
    text, _, folded = render(make_tokenizer(template), ("user", "Hi"), system_prompt="Be brief.")
    assert text.index("system") < text.index("Be brief.") < text.index("user") < text.index("Hi")
    assert not folded


@pytest.mark.parametrize("template", [MISTRAL_V02, GEMMA, DROPS_SYSTEM])
def test_without_a_system_role_the_system_text_goes_before_the_first_user_turn(
    make_tokenizer: Any, template: str
) -> None:
    text, _, folded = render(make_tokenizer(template), ("system", "Be brief."), ("user", "Hi"))
    assert "Be brief.\n\nHi" in text
    assert folded


def test_mistral_reads_exactly_as_its_makers_mean_it(make_tokenizer: Any) -> None:
    turns = (("user", "Hi"), ("assistant", "Yes?"), ("user", "A story."))
    text, _, _ = render(make_tokenizer(MISTRAL_V02), *turns, system_prompt="Be brief.")
    assert text == "<s>[INST] Be brief.\n\nHi [/INST]Yes?</s>[INST] A story. [/INST]"


def test_a_system_turn_of_the_request_replaces_the_models_own(make_tokenizer: Any) -> None:
    text, _, _ = render(make_tokenizer(CHATML), ("system", "Judge."), ("user", "Hi"), system_prompt="Be brief.")
    assert "Judge." in text
    assert "Be brief." not in text


def test_no_system_prompt_means_no_system_turn(make_tokenizer: Any) -> None:
    assert "system" not in render(make_tokenizer(CHATML), ("user", "Hi"))[0]


def test_an_empty_system_prompt_is_an_empty_system_turn_and_folds_to_nothing(make_tokenizer: Any) -> None:
    assert "<|im_start|>system\n<|im_end|>" in render(make_tokenizer(CHATML), ("user", "Hi"), system_prompt="")[0]
    assert render(make_tokenizer(MISTRAL_V02), ("user", "Hi"), system_prompt="")[0] == "<s>[INST] Hi [/INST]"


@pytest.mark.parametrize("template", [LLAMA3, MISTRAL_V02, GEMMA])
def test_a_template_that_writes_the_bos_gets_no_second_one(make_tokenizer: Any, template: str) -> None:
    _, ids, _ = render(make_tokenizer(template), ("user", "Hi"))
    assert ids.count(0) == 1
    assert ids[0] == 0


def test_a_template_without_bos_gets_none(make_tokenizer: Any) -> None:
    assert 0 not in render(make_tokenizer(CHATML), ("user", "Hi"))[1]


def test_plain_text_gets_the_tokenizers_bos_once_even_if_the_frame_writes_it(make_tokenizer: Any) -> None:
    tokenizer = make_tokenizer(None)
    for frame in ("{prompt}", "<s>{prompt}"):
        _, ids, _ = render(tokenizer, ("user", "Hi"), chat_template="none", prompt_format=frame)
        assert ids.count(0) == 1


def test_a_base_model_without_a_frame_is_an_error_that_says_what_to_write(make_tokenizer: Any) -> None:
    with pytest.raises(ModelError, match=r"write `chat_template: none` and `prompt_format: '\{prompt\}'`"):
        PromptRenderer(make_tokenizer(None), ModelSpec("/models/m"))


def test_a_base_model_with_a_frame_gets_plain_text(make_tokenizer: Any) -> None:
    frame = "Title: {system}\n\n{prompt}\n\nStory:"
    text, _, folded = render(make_tokenizer(None), ("user", "A cook."), prompt_format=frame, system_prompt="News")
    assert text == "Title: News\n\nA cook.\n\nStory:"
    assert not folded


def test_a_frame_without_system_folds_it_and_braces_in_prompts_stay(make_tokenizer: Any) -> None:
    turns = ("user", "{system} {0} %s {prompt}")
    text, _, folded = render(make_tokenizer(None), turns, chat_template="none", system_prompt="Be brief.")
    assert text == "Be brief.\n\n{system} {0} %s {prompt}"
    assert folded


def test_a_frame_without_a_place_for_the_prompt_is_an_error(make_tokenizer: Any) -> None:
    with pytest.raises(ModelError, match=r"holds no \{prompt\}"):
        PromptRenderer(make_tokenizer(None), ModelSpec("/models/m", prompt_format="Story:"))


def test_a_configured_template_wins_over_the_models_own(make_tokenizer: Any) -> None:
    text, _, _ = render(make_tokenizer(CHATML), ("user", "Hi"), chat_template=DROPS_SYSTEM)
    assert text == "U: Hi\nA:"


def test_turns_that_a_template_refuses_are_a_configuration_error(make_tokenizer: Any) -> None:
    with pytest.raises(ConfigError, match="refuses turns of the roles user, user: Conversation roles must alternate"):
        render(make_tokenizer(MISTRAL_V02), ("user", "Hi"), ("user", "Hi"))


def test_a_template_that_cannot_render_a_user_turn_is_an_error(make_tokenizer: Any) -> None:
    with pytest.raises(ModelError, match="cannot render one user turn"):
        PromptRenderer(make_tokenizer("{{ raise_exception('no') }}"), ModelSpec("/models/m"))
