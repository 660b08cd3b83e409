"""The optional maker of BERT's maps: its rule, and its word when something is missing."""

import builtins
import json

import pytest

from tools import real_attention

TOKENS = ["[CLS]", "el", "ban", "##co", "de", "jardín", ".", "[SEP]"]


def maps(*tops):
    """One layer of heads; in head k, rows 2 and 3 (ban, ##co) put 0.5 on the place tops[k]."""
    made = []
    for top in tops:
        row = [0.5 if j == top else 0.5 / 7 for j in range(8)]
        made.append([row if i in (2, 3) else [1 / 8] * 8 for i in range(8)])
    return [made]


def test_pieces_of_a_word_are_found_together():
    assert real_attention.places(TOKENS, "banco") == [2, 3]
    assert real_attention.places(TOKENS, "JARDÍN") == [5]
    with pytest.raises(real_attention.Missing, match="río"):
        real_attention.places(TOKENS, "río")
    with pytest.raises(real_attention.Missing):
        real_attention.places(TOKENS, "co")


def test_the_rule_on_maps_made_by_hand():
    judged = real_attention.judged(TOKENS, maps(5, 0, 6, 1), "banco", "jardín")
    assert judged["tops"] == [[5, 0, 6, 1]]
    assert judged["heads_on_a_mark"] == 2
    assert judged["noun_weight"][0] == pytest.approx([0.5, 0.5 / 7, 0.5 / 7, 0.5 / 7])
    assert real_attention.qualifying(judged) == [(0, 0)]


def test_of_two_heads_that_qualify_the_one_with_more_weight_is_chosen(monkeypatch):
    strong = maps(5, 5, 0)
    strong[0][1] = [[0.01] * 5 + [0.9, 0.03, 0.02] if i in (2, 3) else row for i, row in enumerate(strong[0][1])]
    judged = {"tokens": TOKENS, "maps": strong} | real_attention.judged(TOKENS, strong, "banco", "jardín")
    monkeypatch.setattr(real_attention, "loaded", lambda source: (None, None))
    monkeypatch.setattr(real_attention, "run", lambda *arguments: judged)
    made = real_attention.maps_of(real_attention.SOURCES[0])
    assert made["head"] == [1, 2]
    assert made["qualifying"] == [[1, 1], [1, 2]]
    assert made["sentences"][0]["noun_weight"] == pytest.approx(0.9)


def test_no_head_qualifies(monkeypatch):
    none = {"tokens": TOKENS, "maps": maps(0, 1)} | real_attention.judged(TOKENS, maps(0, 1), "banco", "jardín")
    monkeypatch.setattr(real_attention, "loaded", lambda source: (None, None))
    monkeypatch.setattr(real_attention, "run", lambda *arguments: none)
    made = real_attention.maps_of(real_attention.SOURCES[0])
    assert made["head"] is None
    assert made["qualifying"] == []


def test_without_transformers_it_says_so_and_writes_nothing(tmp_path, monkeypatch, capsys):
    real_import = builtins.__import__

    def refuse(name, *arguments, **keywords):
        if name.split(".")[0] == "transformers":
            raise ImportError("No module named 'transformers'")
        return real_import(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refuse)
    out = tmp_path / "maps.json"
    out.write_text("as it was", encoding="utf-8")
    assert real_attention.main(["--out", str(out)]) == 1
    assert out.read_text(encoding="utf-8") == "as it was"
    assert "pip install torch transformers" in capsys.readouterr().err


@pytest.mark.torch
def test_a_tiny_model_from_end_to_end(tmp_path, monkeypatch):
    """A two-layer BERT-shaped encoder of torch alone, in the place of what transformers would load."""
    import torch

    words = ["[CLS]", "[SEP]", ".", "i", "sat", "down", "on", "the", "bank", "of", "river", "keep", "my", "money", "in"]

    class Tokenizer:
        def __call__(self, sentence, return_tensors):
            spelled = ["[CLS]", *sentence.lower().replace(".", " .").split(), "[SEP]"]
            return {"input_ids": torch.tensor([[words.index(word) for word in spelled]])}

        def convert_ids_to_tokens(self, numbers):
            return [words[number] for number in numbers]

    class Tiny(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(len(words), 8)
            self.layers = torch.nn.ModuleList(torch.nn.MultiheadAttention(8, 2, batch_first=True) for _ in range(2))

        def forward(self, input_ids, output_attentions):
            x, attentions = self.table(input_ids), []
            for layer in self.layers:
                found, weights = layer(x, x, x, average_attn_weights=False)
                x = x + found
                attentions.append(weights)
            return type("Output", (), {"attentions": attentions})()

    torch.manual_seed(1)
    tiny = Tiny().eval()
    monkeypatch.setattr(real_attention, "loaded", lambda source: (Tokenizer(), tiny))
    out = tmp_path / "maps.json"
    assert real_attention.main(["--model", str(tmp_path), "--out", str(out)]) == 0
    (made,) = json.loads(out.read_text(encoding="utf-8"))["models"]
    assert made["heads"] == 4
    first = made["sentences"][0]
    assert first["tokens"][6] == "bank"
    with torch.no_grad():
        maps = torch.cat(tiny(Tokenizer()(first["text"], "pt")["input_ids"], True).attentions)
    on_noun = [bool(maps[layer, head, 6].argmax() == first["tokens"].index("river")) for layer in (0, 1) for head in (0, 1)]
    qualifying = real_attention.run(Tokenizer(), tiny, first["text"], "bank", "river")
    assert [(layer, head) in real_attention.qualifying(qualifying) for layer in (0, 1) for head in (0, 1)] == on_noun
