#!/usr/bin/env python3
"""Check recorded runs without any of Locard's code: python3 verify.py [--unsealed] RUN [RUN ...]

Written from docs/run-format.md alone; needs Python 3.9 with SQLite 3.37; writes nothing. It checks the database's
header and integrity, stored types, places of events, canonical JSON, both hash chains, payloads and who names
them, the order of invocations, claims and verdicts, the form of outputs, each fact against its record (kind,
locator, placement, values, spans, `at`), stated texts of the tiers `exact` and `typed`, quotations, the seal and
the manifest. It does not check whether verdicts are right under the rules of the run, derivations, absences,
statements, sentences, the tiers `normalised` and (but for its quotation) `quoted`, whether replies led to the calls and
tools to the outputs, or whether the run was made up as a whole.
Exit code: 0 all runs hold, 1 some run does not hold, 2 some run cannot be read.
"""
import datetime, hashlib, ipaddress, json, pathlib, re, sqlite3, sys
try:
    from compression import zstd  # Python 3.14
except ImportError:
    zstd = None

class Text(bytes):
    """A text as the database stores it: perhaps invalid UTF-8, and no blob."""
class Damage(Exception):
    """Something does not hold."""

APPLICATION_ID, MOST_FINDINGS, LATEST_MINOR = 1280262980, 20, 29
COLUMNS = {
    "events": dict(position=int, stream=int, sequence=int, name=Text, event=Text, circumstance=Text, stream_hash=bytes,
                   run_hash=bytes),
    "payloads": dict(digest=bytes, encoding=Text, length=int, body=bytes)}
DECIMALS = dict(nanosecond=9, filetime=7, microsecond=6, millisecond=3, centisecond=2, second=0, two_seconds=0, day=0)
MOMENT = r"([0-9]{4}-[0-9]{2}-[0-9]{2})%s([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?"
UTC = re.compile(MOMENT % "T" + "Z")
STATED_TIME = re.compile(MOMENT % "[Tt ]" + " ?(?:Z|z|UTC|GMT|([+-])([0-9]{2}):?([0-9]{2}))")
# How many decimals of a second a count of so many digits has; one of 18 digits counts from 1601.
COUNT_DECIMALS, SECONDS_FROM_1601_TO_1970 = {9: 0, 10: 0, 12: 3, 13: 3, 15: 6, 16: 6, 18: 7}, 11644473600
# Behind the stated values of a count stands what bounds it: no text was stated for these.
COPIES = 22  # the behaviour with which a gateway copies values
KINDS_WITH_ADDED_VALUES = ("record_count", "scheduled_job", "scheduled_task")

# Forms of JSON values. A form is a type, a value, a range of integers, a pattern of texts, a tuple of
# alternatives (ABSENT: the member may be missing), a list with the form of its items, or an object
# with the forms of its members, where the name None stands for all other names.
ABSENT, OTHERS = object(), {None: object}

def fits(value, form):
    if isinstance(form, tuple):
        return any(fits(value, one) for one in form)
    if value is ABSENT or form is ABSENT:
        return value is form
    if isinstance(form, list):
        return type(value) is list and all(fits(item, form[0]) for item in value)
    if isinstance(form, dict):
        return type(value) is dict and all(fits(value.get(name, ABSENT), form.get(name, form.get(None, ())))
                                           for name in {*form, *value} - {None})
    if isinstance(form, range):
        return type(value) is int and value in form
    if isinstance(form, re.Pattern):
        return type(value) is str and form.fullmatch(value) is not None
    if isinstance(form, type):
        return form is object or type(value) is form  # not isinstance: Python's bool is an int
    return value == form

STRING_TYPES = ("text", "name", "path", "registry_path", "sid", "guid", "hash", "bytes")
TIME = {"clock": str, "precision": str, "raw": str, "utc": (None, UTC), "zone": (ABSENT, str)}
VALUE = tuple({"type": kind, "value": form} for form, *kinds in (
    (int, "integer", "size"), (str, *STRING_TYPES), (TIME, "time"), ([str], "list"), (bool, "flag")) for kind in kinds)
PLACE = {"length": range(2**64), "offset": range(2**64)}
RECORD = {"defects": list, "fields": {None: {"at": (None, PLACE), "value": VALUE}}, "id": int, "kind": str,
          "locator": dict, "placement": (ABSENT, object)}
BOUND = {"field": str, "value": dict, "span": PLACE, "tier": ("exact", "typed", "normalised", "quoted"),
         "at": (ABSENT, PLACE), "quotation": (ABSENT, str), **OTHERS}
FACT = {"invocation": str, "output": str, "record": range(2**64), "predicate": str, "subject": BOUND,
        "values": [BOUND], **OTHERS}
READING = {"reading": {"invocation": str, "predicate": str, "record": (ABSENT, None, str), "subject": str,
                       "values": [{"field": (ABSENT, None, str), "value": str}], "fields": (ABSENT, [str])}}
VERDICTS = ("claim_accepted", "claim_rejected", "claim_repeated", "absence_accepted", "derivation_accepted",
            "sentence_accepted", "statement_told")
EVENTS_OF_THE_RUN = {
    "run_opened": {"format": {"major": range(2, 3), "minor": range(65536)}}, "task_assigned": {"task": range(1, 65536)},
    "run_sealed": {"heads": [{"task": int, "events": int, "head": object}], "payloads": int,
                   "connections": (ABSENT, {"rules": int, "entities": int, "relations": int, "digest": object})}}
EVENTS = {
    **EVENTS_OF_THE_RUN, **dict.fromkeys(VERDICTS, {"claim": str}), "turn_replied": {"reply": str},
    "invocation_started": {"invocation": str, "tool": str, "arguments": object},
    "invocation_ended": {"invocation": str, "outcome": ("ok", "empty", "failed", "timeout", "denied"),
                         "output": (None, str), "bytes": object, "records": object},
    "claim_submitted": {"claim": str, "stated": object},
    "claim_accepted": {"claim": str, "fact": FACT, "healing": (None, dict)}}

def need(condition, text):
    if not condition:
        raise Damage(text)

def integer(text):
    if len(text) > 20 or not -2**63 <= int(text) < 2**64:  # converting millions of digits takes minutes
        raise ValueError("out of range, or a fraction")
    return int(text)

def once(members):
    if len({name for name, _ in members}) < len(members):
        raise ValueError("a name twice")
    return dict(members)

def canonical(value):
    """The canonical bytes. Python sorts by code points, which is the order of the UTF-8 bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
def same(one, other):  # Python's own equality takes true for 1
    return canonical(one) == canonical(other)

def read_json(data, form, what, fraction=integer):
    """JSON of a form. It must be canonical, unless fractions are allowed."""
    try:
        value = json.loads(data.decode(), parse_int=integer, parse_float=fraction, parse_constant=integer,
                           object_pairs_hook=once)
        # Written again, every deviation shows: blanks, order, repeated names, escapes, `-0`.
        canonically = fraction is not integer or canonical(value) == data
    except (ValueError, RecursionError):
        raise Damage(f"{what}: no JSON that can be read") from None
    need(canonically and fits(value, form), f"{what}: JSON that is not canonical, or with other members")
    return value
def digest_of_parts(*parts):
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "little") + part for part in parts)).digest()

def read_output(body):
    """Check an output; returns its records as places and lines without line feed."""
    lines = body.split(b"\n")
    need(lines.pop() == b"" and lines, "the last line of the output has no end")
    need(lines[0] == canonical({"locard_output": 1, "records": len(lines) - 1}), "wrong first line of the output")
    records, place = [], len(lines[0]) + 1
    for number, line in enumerate(lines[1:]):
        record = read_json(line, RECORD, f"record {number} of the output")
        need(record["id"] == number, f"record {number} of the output has another id")
        records.append((place, line))
        place += len(line) + 1
    return records

def time_text(time):
    if time["utc"] is None:
        return time["raw"]
    date, clock, fraction = UTC.fullmatch(time["utc"]).groups(default="")
    decimals = DECIMALS.get(time["precision"])
    need(decimals is not None, "a precision that the page does not know")
    text = f"{date}T{clock}" + ("." + fraction.ljust(decimals, "0")[:decimals] if decimals else "")
    if "zone" not in time:
        return text + "Z"
    return (date if time["precision"] == "day" else text) + " local"

def nanoseconds(date, clock, fraction, sign="", hours="", minutes=""):  # since 1970; None: no such day or hour
    try:
        since = datetime.datetime.fromisoformat(f"{date}T{clock}") - datetime.datetime(1970, 1, 1)
    except ValueError:
        return None
    east = int(sign + "1") * (int(hours) * 60 + int(minutes)) * 60 if sign else 0
    return (since.days * 86400 + since.seconds - east) * 10**9 + int(fraction.ljust(9, "0"))

def same_time(text, time):
    """A stated instant or count against `utc`, both cut to as many decimals as the text has."""
    count, stated = re.fullmatch("[0-9]+", text), STATED_TIME.fullmatch(text)
    if count and text == time["raw"]:
        return True
    utc = time["utc"] and nanoseconds(*UTC.fullmatch(time["utc"]).groups(default=""))
    if count and len(text) in COUNT_DECIMALS:
        decimals = COUNT_DECIMALS[len(text)]
        there = int(text) * 10**(9 - decimals) - (SECONDS_FROM_1601_TO_1970 * 10**9 if len(text) == 18 else 0)
    elif stated and len(stated[3] or "") <= DECIMALS.get(time["precision"], -1):
        decimals, there = len(stated[3] or ""), nanoseconds(*stated.groups(default=""))
    else:
        return False
    return utc is not None and there is not None and utc // 10**(9 - decimals) == there // 10**(9 - decimals)

def same_number(text, kind, number):
    if kind == "size":
        text = re.sub(r" (?:bytes|byte|B)\Z", "", text)
        text = text.replace(",", "") if re.fullmatch("[0-9]{1,3}(?:,[0-9]{3})+", text) else text
    if re.fullmatch("0x[0-9A-Fa-f]{1,40}", text):
        return int(text, 16) == number
    return bool(re.fullmatch("-?[0-9]{1,40}", text)) and int(text) == number

def same_address(text, value):
    try:
        return "%" not in text + value and ipaddress.IPv6Address(text) == ipaddress.IPv6Address(value)
    except ValueError:
        return False

def text_forms(value):
    """The texts that match a value exactly: one, but of a list each item."""
    kind, inner = value["type"], value["value"]
    if kind == "time":
        return [time_text(inner)]
    return inner if kind == "list" else [inner if kind in STRING_TYPES else canonical(inner).decode()]

def typed_match(text, value):
    kind, inner = value["type"], value["value"]
    if kind == "time":
        return text in (time_text(inner), inner["raw"]) if "zone" in inner else same_time(text, inner)
    if kind in ("integer", "size"):
        return same_number(text, kind, inner)
    return any(same_address(text, item) for item in text_forms(value))

def freed(text):
    """The text, and the same without blanks and quotes around it and without JSON's escapes."""
    trimmed = text.strip(" \t\n\r\f")
    quoted = re.fullmatch("([\"'`])(.*)\\1", trimmed, re.DOTALL)
    for one in [text, trimmed] + ([quoted[2]] if quoted else []):
        yield one
        try:
            yield json.loads(f'"{one}"', strict=False)
        except ValueError:
            pass  # not written with escapes

def check_match(text, bound):  # of the tiers, the page describes these two
    if bound["tier"] == "exact":
        need(text in text_forms(bound["value"]), f"{text!a} is not exactly the value")
    if bound["tier"] == "typed":
        need(any(typed_match(one, bound["value"]) for one in freed(text)), f"{text!a} is not the value")

def check_bound(bound, record, place, line):
    """A bound value against the record whose line stands at a place in the output."""
    name, field = bound["field"], record["fields"].get(bound["field"])
    need(field, f"the record has no field {name!a}")
    need(same(bound["value"], field["value"]), f"{name!a} has not the record's value")
    need(same(bound.get("at"), field["at"]), f"`at` of {name!a} is not the record's")
    # What stands before the value tells it from an equal value of another field.
    before, value = canonical(name) + b':{"at":' + canonical(field["at"]) + b',"value":', canonical(field["value"])
    start = bound["span"]["offset"] - place - len(before)
    need(start >= 0 and bound["span"]["length"] == len(value) and line.startswith(before + value, start),
         f"the span of {name!a} is another place")
    if bound["tier"] == "quoted":
        need(fits(field["value"]["value"], (str, [str])) and fits(bound.get("quotation"), str)
             and any(bound["quotation"] in text for text in text_forms(field["value"])), "other words are quoted")

class Run:
    """One run: what was read of it so far, and what does not hold."""

    def __init__(self, folder, findings):
        self.folder, self.findings = pathlib.Path(folder).absolute(), findings
        self.lengths, self.named, self.outputs = {}, set(), {}  # by digests in hex
        self.payloads = self.events = self.facts = 0
        self.tasks, self.streams = set(), {}  # stream -> (events, last hash)
        self.invocations, self.claims, self.judged = {}, {}, set()  # by ids
        self.format = self.name = self.seal = self.head = self.copies = None
        if not (self.folder / "run.db").is_file():
            raise OSError("there is no file run.db")
        # Immutable: SQLite neither locks nor writes, and plays back no journal.
        self.database = sqlite3.connect((self.folder / "run.db").as_uri() + "?mode=ro&immutable=1", uri=True)
        self.database.text_factory = Text

    def add(self, text, position=None):
        if len(self.findings) < MOST_FINDINGS:  # a hostile run may have millions
            self.findings.append((text if position is None else f"position {position}: {text}")[:200])

    def ask(self, query, *values):
        return self.database.execute(query, values).fetchall()

    def check_database(self):
        self.ask("PRAGMA trusted_schema = OFF")
        need(self.ask("PRAGMA application_id") == [(APPLICATION_ID,)], "application_id is not that of a run")
        for (text,) in set(self.ask("PRAGMA integrity_check(5)")) - {(b"ok",)}:
            self.add(f"integrity_check: {text!a}")
        tables = {name for (name,) in self.ask("SELECT name FROM sqlite_master WHERE type = 'table'")}
        need(tables <= {name.encode() for name in COLUMNS}, "a table more than those of a run")
        for table, columns in COLUMNS.items():
            # Only a real table: a hostile view could compute for ever.
            roots = self.ask("SELECT rootpage FROM sqlite_master WHERE name = ? AND type = 'table'", table)
            need(len(roots) == 1 and fits(roots[0][0], range(1, 2**32)), f"there is no table {table}")
            found = [(column[1], column[6]) for column in self.ask(f"PRAGMA table_xinfo({table})")]
            need(found == [(name.encode(), 0) for name in columns], f"table {table} has other columns")

    def rows(self, table, order=""):  # each with what is wrong with its stored types
        for row in self.database.execute(f"SELECT {', '.join(COLUMNS[table])} FROM {table} NOT INDEXED {order}"):
            wrong = [name for (name, kind), value in zip(COLUMNS[table].items(), row) if type(value) is not kind]
            yield row, "columns of another type: " + ", ".join(wrong) if wrong else ""

    def check_payloads(self):
        for (digest, encoding, length, body), wrong in self.rows("payloads"):
            self.payloads += 1
            try:
                need(not wrong, f"a payload: {wrong}")
                name = digest.hex()
                need(len(digest) == 32 and name not in self.lengths, f"payload {name[:64]}: wrong or repeated digest")
                self.lengths[name] = length
                body = self.unpack(encoding, length, body)
                right = len(body) == length and hashlib.sha256(body).digest() == digest
                need(right, f"payload {name} has another length or digest")
            except Damage as damage:
                self.add(str(damage))

    def unpack(self, encoding, length, body):
        if encoding == b"raw":
            return body
        need(encoding == b"zstd", "a payload of an unknown encoding")
        if zstd is None:
            raise OSError("payloads are compressed, this Python has no zstd: use `locard export --plain`")
        try:
            unpacker = zstd.ZstdDecompressor()
            # At most one byte too many: enough to see that it is too long, too little for a bomb.
            unpacked = unpacker.decompress(body, max_length=max(0, min(length, 2**40)) + 1)
        except zstd.ZstdError:
            raise Damage("a payload whose zstd frame is damaged") from None
        need(unpacker.eof and not unpacker.unused_data, "a payload that is not one zstd frame of its length")
        return unpacked

    def check_events(self):
        for row, wrong in self.rows("events", "ORDER BY position"):
            number = self.events
            self.events += 1
            try:
                need(not wrong and row[0] == number, wrong or f"here stands the position {row[0]}")
                self.check_chains(*row)
                self.check_event(*row[:6])
            except (Damage, RecursionError) as damage:
                self.add(str(damage), number)
        need(self.events, "there are no events")
        for digest in sorted(self.named.symmetric_difference(self.lengths)):
            self.add(f"payload {digest!a} is {'not stored' if digest in self.named else 'named by no event'}")

    def check_chains(self, position, stream, sequence, name, event, circumstance, stream_hash, run_hash):
        count, last = self.streams.get(stream, (0, b""))
        need(0 <= stream <= 65535 and sequence == count, f"sequence {sequence} of stream {stream}: not the next")
        head, place = self.head or b"", position.to_bytes(8, "little")
        self.streams[stream], self.head = (count + 1, stream_hash), run_hash
        numbers = stream.to_bytes(2, "little") + sequence.to_bytes(4, "little")
        if stream_hash != digest_of_parts(b"locard stream", last, numbers, event):
            self.add("stream_hash does not follow", position)
        if run_hash != digest_of_parts(b"locard run", head, place, stream_hash, circumstance):
            self.add("run_hash does not follow", position)

    def check_event(self, position, stream, sequence, name, event, circumstance):
        surroundings = read_json(circumstance, {"run": str, **OTHERS} if position == 0 else dict, "circumstance")
        value = read_json(event, {"event": str, "fields": (ABSENT, dict)}, "event")
        kind, fields = value["event"], value.get("fields", {})
        need(kind.encode() == name, "the column name is not the event's name")
        need((kind == "run_opened") == (position == 0), "run_opened does not stand first, or something else does")
        need(self.seal is None, "an event behind run_sealed")
        need(stream == 0 or stream in self.tasks, f"task {stream} was not assigned before")
        if kind in EVENTS:
            need((stream == 0) == (kind in EVENTS_OF_THE_RUN), f"{kind} in a wrong stream")
            need(fits(fields, {**EVENTS[kind], **OTHERS}), f"{kind}: other members than those of the page")
        if kind == "run_opened":
            self.name, self.format = surroundings["run"], fields["format"]
            self.copies = COPIES in fields.get("behaviour", [])
            need(self.format["minor"] <= LATEST_MINOR, "a later format than that of the page")
            need(self.ask("PRAGMA user_version") == [(2 * 65536 + self.format["minor"],)], "user_version is another")
        elif kind == "task_assigned":
            need(fields["task"] not in self.tasks, "a task is assigned twice")
            self.tasks.add(fields["task"])
        elif kind == "turn_replied":
            self.named.add(fields["reply"])
        elif kind == "invocation_started":
            need(fields["invocation"] not in self.invocations, "an invocation starts twice")
            self.invocations[fields["invocation"]] = [stream, None]
        elif kind == "invocation_ended":
            self.invocation_ended(stream, fields)
        elif kind == "claim_submitted":
            need(fields["claim"] not in self.claims, "a claim is stated twice")
            self.claims[fields["claim"]] = (stream, fields["stated"])
        elif kind in VERDICTS:
            self.verdict(kind, stream, fields)
        elif kind == "run_sealed":
            self.seal = fields

    def invocation_ended(self, stream, fields):
        known, output = self.invocations.get(fields["invocation"], [None, None]), fields["output"]
        need(known[0] == stream and known[1] is None, "an invocation ends that is not running in this stream")
        known[1] = fields
        need((output is None) == (fields["outcome"] not in ("ok", "empty")), "output does not go with outcome")
        if output is not None:
            self.named.add(output)
            need(output in self.lengths, "the output is not stored")
            if output not in self.outputs:
                self.outputs[output] = []  # stays so where it is damaged
                found = self.ask("SELECT encoding, length, body FROM payloads WHERE digest = ?", bytes.fromhex(output))
                need(found and type(found[0][2]) is bytes, "the output cannot be found")
                self.outputs[output] = read_output(self.unpack(*found[0]))
            need(same(fields["bytes"], self.lengths[output]), "bytes is not the length of the output")
            need(same(fields["records"], len(self.outputs[output])), "records is not the number of the output's")
            need((fields["records"] > 0) == (fields["outcome"] == "ok"), "records do not go with outcome")
        else:
            need(same([fields["bytes"], fields["records"]], [0, 0]), "bytes or records without an output")

    def verdict(self, kind, stream, fields):
        claim = fields["claim"]
        need(self.claims.get(claim, [None])[0] == stream and claim not in self.judged,
             f"claim {claim!a} was not stated in this stream before, or has a verdict")
        self.judged.add(claim)
        if kind == "claim_accepted":
            self.check_fact(stream, fields["fact"], self.claims[claim][1], fields["healing"])

    def check_fact(self, stream, fact, stated, healing):
        known, ended = self.invocations.get(fact["invocation"], [None, None])
        need(known == stream and ended and ended["outcome"] == "ok" and fact["output"] == ended["output"],
             "no invocation of this stream ended before with this output and the outcome ok")
        records, number = self.outputs.get(fact["output"], []), fact["record"]
        need(number < len(records), f"the output has no record {number}")
        record = read_json(records[number][1], RECORD, f"record {number}")
        for name in ("kind", "locator", "placement"):
            need((name in fact) == (name in record) and same(fact.get(name), record.get(name)),
                 f"{name} is not that of record {number}")
        for bound in [fact["subject"]] + fact["values"]:
            check_bound(bound, record, *records[number])
        need(fits(stated, READING), "the claim of a fact is not of the form of a reading")
        self.check_stated(stated["reading"], fact, healing)
        self.facts += 1

    def check_stated(self, reading, fact, healing):
        need(fact["predicate"] == reading["predicate"], "predicate is not the stated one")
        cited = reading["invocation"].strip() == fact["invocation"] and reading.get("record") in (None, f"r{fact['record']}")
        need(cited or healing is not None, "the claim cites another record, and there is no healing")
        if reading["subject"]:
            check_match(reading["subject"], fact["subject"])
        added = len(fact["values"]) - len(reading["values"])
        may_add = fact["kind"] in KINDS_WITH_ADDED_VALUES or self.copies and (
            reading.get("record") or reading.get("fields"))
        need(added == 0 or added > 0 and may_add, f"{added:+} values against the claim")
        copied = fact["values"][len(reading["values"]):]
        need(all(bound["tier"] == "exact" and "quotation" not in bound for bound in copied), "an added value is not exact")
        for claim, bound in zip(reading["values"], fact["values"]):
            need(claim.get("field") in (None, bound["field"]), f"{bound['field']!a} is not the stated field")
            check_match(claim["value"], bound)

    def check_seal(self):
        manifest = self.folder / "manifest.json"
        need(manifest.exists() == (self.seal is not None), "manifest.json is there exactly where a run is sealed")
        beside = [self.folder / f"run.db-{end}" for end in ("wal", "shm", "journal")]
        need(not any(path.exists() and path.stat().st_size for path in beside), "a journal beside run.db is not empty")
        if self.seal is None:
            return
        ends = sorted(self.streams.items())
        heads = [{"task": task, "events": count, "head": end.hex()} for task, (count, end) in ends if task != 0]
        # The page does not say whether a task without events has an entry: it may.
        stated = [entry for entry in self.seal["heads"] if entry["events"] != 0 or entry["task"] not in self.tasks]
        need(same(stated, heads), "heads of run_sealed is not that of the streams")
        need(self.seal["payloads"] == self.payloads, "payloads of run_sealed is not their number")
        right = {"head": self.head.hex(), "events": self.events, "payloads": self.payloads,
                 "format": self.format, "run": self.name}
        found = read_json(manifest.read_bytes(), {**dict.fromkeys(right, object), **OTHERS}, "manifest.json", float)
        wrong = [name for name, value in right.items() if not same(found[name], value)]
        need(not wrong, f"manifest.json: not those of the run: {', '.join(wrong)}")

def verify(folder, unsealed_holds):
    """Check one run and print what was found; returns the exit code."""
    findings = []
    try:
        run = Run(folder, findings)
        run.check_database()
        run.check_payloads()
        run.check_events()
        run.check_seal()
        need(run.seal or findings or unsealed_holds, "not sealed; apart from that it holds (--unsealed)")
    except Damage as damage:
        findings.append(str(damage)[:200])
    except (OSError, sqlite3.Error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        print(*(f"{folder}: {text}" for text in findings + [f"cannot be read: {str(error)!a}"[:200]]), sep="\n")
        return 2
    for text in findings[:MOST_FINDINGS]:
        print(f"{folder}: {text}")
    if not findings:
        print(f"{folder}: holds: {run.events} events, {run.payloads} payloads, {run.facts} facts, "
              f"{'sealed' if run.seal else 'not sealed'}, head {run.head.hex()}")
    return 1 if findings else 0

def main():
    sys.stdout.reconfigure(errors="backslashreplace")
    runs = [argument for argument in sys.argv[1:] if argument != "--unsealed"]
    if not runs:
        print(__doc__)
    return max([verify(folder, "--unsealed" in sys.argv) for folder in runs], default=2)

if __name__ == "__main__":
    sys.exit(main())
