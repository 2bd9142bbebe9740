"""Our own checks of exported files, by readers that are not ours.

validate.py FOLDER MANIFEST PUBLIC_KEY: FOLDER holds what .ci/validators exported, and the facts as `locard facts --format json` tells them.
Each fact and each time must stand in every file that can hold it.
"""

import base64
import csv
import datetime
import hashlib
import json
import pathlib
import subprocess
import sys
import uuid

import jsonschema
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement
import in_toto_attestation.v1.statement_pb2 as statement_pb2

folder, manifest, public = map(pathlib.Path, sys.argv[1:4])
csv.field_size_limit(sys.maxsize)
facts = json.loads((folder / "facts.json").read_text())["facts"]
ids = {it["fact"]["id"] for it in facts}


def times():
    """Each time of each fact: fact, field, time; a subject that is a value, too, once."""
    for it in facts:
        fact = it["fact"]
        values = [fact["subject"]]
        values += [v for v in fact["values"] if (v["field"], v["value"]) != (values[0]["field"], values[0]["value"])]
        for value in values:
            if value["value"]["type"] == "time":
                yield fact["id"], value["field"], value["value"]["value"]


def is_instant(time):
    return time["utc"] is not None and "zone" not in time and time["clock"] == "host"


def microseconds(text):
    """Of an RFC 3339 time in UTC, rounded down."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (since.days * 86400 + since.seconds) * 1_000_000 + int((fraction + "000000")[:6])


def inert(path):
    text = path.read_bytes().decode("utf-8")
    hidden = {c for c in text if c not in "\r\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")}
    assert not hidden, (path, hidden)
    return text


def table(name):
    text = inert(folder / name)
    assert text.endswith("\r\n") and text.count("\n") == text.count("\r\n")
    rows = list(csv.reader(text.split("\r\n")[:-1], strict=True))
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row):
        for piece in cell.split(";"):
            assert not piece.lstrip(' "').startswith(("=", "+", "-", "@", "\t")), cell
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def check_tables():
    rows = table("csv-facts.csv")
    assert len(rows) == len(facts) and {row["fact"] for row in rows} == ids
    rows = table("csv-timeline.csv")
    stated = sorted((fact, field, time["raw"].lstrip("'")) for fact, field, time in times())
    assert sorted((row["fact"], row["field"], row["raw"].lstrip("'")) for row in rows) == stated
    for row in rows:
        assert not (row["zone"].startswith("not known") and row["time"].endswith("Z")), row
    return len(rows)


def check_timesketch():
    lines = [json.loads(line) for line in inert(folder / "timesketch.jsonl").splitlines()]
    for line in lines:
        assert line["message"] and line["timestamp_desc"] and line["data_type"]
        moment = datetime.datetime.fromisoformat(line["datetime"])
        assert moment.utcoffset() == datetime.timedelta(0)
        assert microseconds(line["datetime"].removesuffix("+00:00")) == line["timestamp"]
        assert all(isinstance(v, (str, int)) or k == "tag" or k.startswith("value_") and isinstance(v, list) for k, v in line.items())
        assert isinstance(line["tag"], list) and all(isinstance(tag, str) for tag in line["tag"])
    stated = sorted((fact, field, microseconds(time["utc"])) for fact, field, time in times() if is_instant(time))
    assert sorted((line["fact"], line["time_field"], line["timestamp"]) for line in lines) == stated
    told = json.loads((folder / "timesketch.told").read_text())["written"]
    others = sum(not is_instant(time) for _, _, time in times())
    assert sum(told["left_out"].values()) == others and told["items"] == len(lines)
    return len(lines)


def check_stix():
    objects = json.loads(inert(folder / "stix.json"))["objects"]
    known = {it["id"] for it in objects}
    assert len(known) == len(objects)
    assert {it["external_references"][0]["external_id"] for it in objects if it["type"] == "observed-data"} == ids
    types = {it["type"] for it in objects}
    custom = types - {"identity", "report", "observed-data", "note", "attack-pattern", "relationship", "process"}
    assert custom <= {"file", "directory", "windows-registry-key", "user-account", "ipv4-addr", "ipv6-addr", "url"}, custom
    assert not any(name.startswith("x_") or name == "extensions" for it in objects for name in it)
    contributing = {
        "file": ["hashes", "name", "parent_directory_ref"],
        "directory": ["path"],
        "windows-registry-key": ["key"],
        "user-account": ["account_login", "account_type", "user_id"],
        "ipv4-addr": ["value"],
        "ipv6-addr": ["value"],
        "url": ["value"],
    }
    space = uuid.UUID("00abedb4-aa42-466c-9c01-fed23315a9b7")
    for it in (it for it in objects if it["type"] in contributing):
        digested = {name: it[name] for name in contributing[it["type"]] if name in it}
        if "hashes" in digested:
            first = next(name for name in ["MD5", "SHA-1", "SHA-256"] if name in digested["hashes"])
            digested["hashes"] = {first: digested["hashes"][first]}
        text = json.dumps(digested, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert it["id"] == f"{it['type']}--{uuid.uuid5(space, text)}", it
    return len(objects)


def check_case():
    graph = json.loads(inert(folder / "case-uco.jsonld"))["@graph"]
    named = {it["core:name"] for it in graph if it["@type"] == "investigation:ProvenanceRecord"}
    assert ids <= named, ids - named
    return len(graph)


def check_statement():
    envelope = json.loads(inert(folder / "in-toto.json"))
    payload = base64.b64decode(envelope["payload"], validate=True)
    [signature] = envelope["signatures"]
    kind = envelope["payloadType"].encode()
    assert kind == b"application/vnd.in-toto+json"
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    (folder / "signed").write_bytes(signed)
    (folder / "signature").write_bytes(base64.b64decode(signature["sig"], validate=True))
    check = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", folder / "signed", "-sigfile", folder / "signature"]
    subprocess.run(check, check=True, capture_output=True)
    (folder / "signed").write_bytes(signed.replace(b"locard", b"Locard", 1))
    assert subprocess.run(check, capture_output=True).returncode != 0, "another text has the same signature"
    der = subprocess.run(["openssl", "pkey", "-pubin", "-in", public, "-outform", "DER"], check=True, capture_output=True).stdout
    assert signature["keyid"] == hashlib.sha256(der).hexdigest()
    parsed = json_format.Parse(payload.decode(), statement_pb2.Statement())
    Statement.copy_from_pb(parsed).validate()
    digests = {it.name: dict(it.digest) for it in parsed.subject}
    run = parsed.predicate["run"]
    assert digests[f"{run}/manifest.json"]["sha256"] == hashlib.sha256(manifest.read_bytes()).hexdigest()
    assert digests[run]["locardHead"] == json.loads(manifest.read_text())["head"]
    assert digests["stix.json"]["sha256"] == hashlib.sha256((folder / "stix.json").read_bytes()).hexdigest()


def check_report():
    """The JSON report has the published form, and one with a member of another type has not."""
    report = json.loads((folder / "report.json").read_text())
    schema = json.loads((pathlib.Path(__file__).parent.parent / "docs/schema/report-1.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    problems = [(list(it.path), it.message[:200]) for it in validator.iter_errors(report)]
    assert not problems, problems[:10]
    assert {it["fact"]["id"] for it in report["facts"]} == ids
    report["facts"][0]["fact"]["output"] = "none"
    assert not validator.is_valid(report)


check_report()
rows, lines, objects, nodes = check_tables(), check_timesketch(), check_stix(), check_case()
check_statement()
print(f"{len(facts)} facts: {rows} times in the table, {lines} lines for Timesketch, {objects} objects of STIX, {nodes} nodes of CASE, a signed statement")
