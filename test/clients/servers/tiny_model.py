"""Writes a tiny language model with random weights: it answers nonsense, but as llama.cpp does."""
import sys

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT = 64, 1, 4, 128, 2048
LIKELY = 8

# How conversations and tools are written for the model. llama.cpp reads the form of a tool call
# from it, and once a call has begun, lets the model write nothing else.
TEMPLATE = """{%- for message in messages %}{{ message.role }}: {{ message.content or "" }}
{%- for call in message.tool_calls or [] -%}
{"name": "{{ call.function.name }}", "parameters": {{ call.function.arguments | tojson }}}
{%- endfor %}
{% endfor %}
{%- if tools %}Answer with {"name": name, "parameters": parameters} for one of {{ tools | tojson }}
{% endif %}
{%- if add_generation_prompt %}assistant: {% endif %}"""



def vocabulary():
    """Three special tokens, every byte, and the printable characters."""
    kinds = gguf.TokenType
    tokens = [("<unk>", kinds.UNKNOWN), ("<s>", kinds.CONTROL), ("</s>", kinds.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", kinds.BYTE) for byte in range(256)]
    tokens += [("▁", kinds.NORMAL)]
    tokens += [(chr(code), kinds.NORMAL) for code in range(33, 127)]
    return tokens


def main(path: str) -> None:
    random = np.random.default_rng(7)
    tokens = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_chat_template(TEMPLATE)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text.encode() for text, _ in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)

    def weights(*shape: int) -> np.ndarray:
        return random.normal(0, 0.5, shape).astype(np.float32)

    def norm(name: str) -> None:
        writer.add_tensor(name, np.ones(WIDTH, dtype=np.float32))

    # The first number is the same for every token, so that one token can be made likely: the brace
    # with which a tool call begins.
    embeddings = weights(len(tokens), WIDTH)
    embeddings[:, 0] = 2
    output = weights(len(tokens), WIDTH)
    output[:, 0] = 0
    output[[text for text, _ in tokens].index("{"), 0] = LIKELY
    writer.add_tensor("token_embd.weight", embeddings)
    writer.add_tensor("output.weight", output)
    norm("output_norm.weight")
    for layer in range(LAYERS):
        parts = {part: (WIDTH, WIDTH) for part in ("attn_q", "attn_k", "attn_v", "attn_output")}
        parts |= {"ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}
        for part, shape in parts.items():
            tensor = weights(*shape)
            if part in ("attn_output", "ffn_down"):
                tensor[0] = 0
            writer.add_tensor(f"blk.{layer}.{part}.weight", tensor)
        norm(f"blk.{layer}.attn_norm.weight")
        norm(f"blk.{layer}.ffn_norm.weight")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(sys.argv[1])
