//! What `--help` says after the options: examples, and exit codes where a command has its own.

pub(crate) const LOCARD: &str = "\
Examples:
  locard run cases/demo
  locard facts 2026

locard completions prints a completion script for a shell.

Exit codes:
  0   done; a run was sealed, refused claims and gaps included
  1   a defect of this program
  2   usage or configuration, or evidence that cannot be opened, has
      another hash than promised, or changed while it was examined
  3   standard output was closed
  31  a recording is unreadable or was tampered with
  32  to 37: other things that a verification found (verify --help)
  40  tools cannot be confined here
  50  the model failed
  60  a budget was spent before anything was recorded
  130 ended by SIGINT (Ctrl-C); 143 by SIGTERM
Several apply: the highest. locard run --fail-on adds 10, 20 and 25.";

pub(crate) const RUN: &str = "\
Examples:
  locard run disk.E01 collected.zip
      an image and an archive, each a case of its own; of a split image the
      first file
  locard run cases/* --jobs 4 --fail-on gaps,unmet --format json
      many cases, four at once; what one of them meets stops no other
  locard run disk.E01 --model openai:MODEL@http://localhost:11434/v1
      a language model of your own; --max-tokens bounds what it takes

Ctrl-C ends it in order: calls are cancelled, what was recorded stays readable,
nothing is sealed; locard resume goes on. A second Ctrl-C ends it at once.

Exit codes: 0 sealed; 2 usage or configuration, or evidence that cannot be
opened, is not what was promised, or changed during the run (not sealed);
40 tools cannot be confined here; 50 model failed, or cannot be reached or used
(not sealed); 60 budget spent before anything was recorded; 130 ended by SIGINT,
143 by SIGTERM; with --fail-on: 10 gaps, 20 refused, 25 unmet.
Of several cases the highest.";

pub(crate) const RESUME: &str = "\
Examples:
  locard resume latest
      go on with the last run where its log ends, and seal it
  locard resume latest --evidence /mnt/again/disk.E01
      the same evidence, mounted elsewhere

After Ctrl-C, a kill, a loss of power, a full disk or a model that could not be
reached. What is recorded is neither asked nor run again: the steps up to the
log's end are taken from it, and must come out as they stand there. A run that
is sealed stays as it is.

Exit codes as those of run; 30 where the recorded steps do not come out the same
in this version; 31 where the recording is damaged.";

pub(crate) const RUNS: &str = "\
Examples:
  locard runs
      every run under runs/
  locard runs 'laptop-*' --format json
      the runs of some cases, for programs";

pub(crate) const ANSWERS: &str = "\
Examples:
  locard answers latest:demo
      the newest run of the case demo
  locard answers 2026 --format json
      the run whose name begins so, for programs";

pub(crate) const HUNT: &str = "\
Examples:
  locard hunt cases/demo
      records of all sources that fit a rule, the highest level first
  locard hunt logs/ --level high --format csv > hunt.csv
      event logs alone, as a table for other programs
  locard hunt cases/demo --rules-sigma sigma/rules/windows
      by rules of your own, too
  locard hunt cases/demo --ioc feed.json bad.txt --known-good nsrl.txt
      what indicators name, and files that are known to be good lower

A rule says what such a trace is; whether it was an attack is for a person to
say. docs/detections.md lists the rules; docs/sigma.md has what is done with
those of others.";

pub(crate) const RULES: &str = "\
Examples:
  locard rules check sigma/rules/windows
      what is wrong with rules, and which of them no record here can fit
  locard rules check my.yml --format json
      the same for programs

It exits 2 where a rule cannot be used. docs/sigma.md has what is understood.";

pub(crate) const FACTS: &str = "\
Examples:
  locard facts latest:demo
      the newest run of the case demo
  locard facts runs/20260101T120000Z-demo --format json
      a run by its folder, for programs";

pub(crate) const VERIFY: &str = "\
Examples:
  locard verify latest --certificate latest.json --sign key.pem
      what was verified as a file, with a signature beside it
  locard verify 2026 --head latest.json --key pub.pem
      whether the run is still the one that the file was written of
  locard verify 2026 --evidence
      its tools again over the evidence, and the raw bytes of its facts
  locard verify --report report.json 2026
      whether the facts of a report, withheld ones too, are those of the run

Levels: the log is consistent; facts stand in stored outputs; outputs are
reproduced; raw spans are read again; and, apart from these, the head is
anchored outside. Nobody but a head kept elsewhere vouches for the folder;
without --head it is compared with the one that was noted at sealing, if any.

Exit codes: 0 all that was looked at holds; otherwise the first of
  31 the log is unreadable, or was tampered with; a report does not hold
  32 the run is not sealed (--unsealed accepts that)
  33 a fact, a verdict, a total or an edge does not hold
  34 tools gave other outputs
  35 the evidence has other bytes
  36 the head is not the one that is kept elsewhere, or was noted at sealing
and 37 before anything is looked at: the signature of --head does not verify.";

pub(crate) const REPLAY: &str = "\
Examples:
  locard replay latest
      every agent's run again: 0 when all comes out the same, otherwise 30
  locard replay latest --agent registry --rules other.toml
      what would have come of one agent's replies under other rules
  locard replay latest --agent registry --from-turn 9 --model sloppy:3
      a new run: as this one up to that turn, from there live by another model
  locard replay latest --tools live --evidence disk.E01
      its tool calls again, over the evidence: 0 when the tools say what is
      recorded and the evidence has the hash of the run, otherwise 34

Model replies and tool outputs come from the recording; every decision of the
engine and every verdict of the gateway is made again. The first event that
comes out otherwise is shown with both sides and what stood before it.

With --tools live no decision is made again: each recorded call is made once
more in the sandbox, and what differs is shown by record.

With --rules differences are the result, and the exit code is 0: which facts
would fall, which refused claims would stand. What comes of replies that the
agent gave before it would have been told something else is marked as an
estimate. With --step, on a terminal: Enter goes on, p goes back, a number goes
to that turn, q ends.";

pub(crate) const DIFF: &str = "\
Examples:
  locard diff 20260101T12 latest
      what the last run recorded that an earlier one did not, and the other way
  locard diff 20260101 20260102 --exit-code --format json
      everything that differs, for programs

Ids, seeds and numbers of records do not count, nor does which agent found a
thing: a fact is the same where it says the same of the same place.

Exit codes: 0; with --exit-code: 15 where facts, phenomena, absences or other
things of the graph differ. Refused claims and cost do not count.";

pub(crate) const EXPORT: &str = "\
Examples:
  locard export latest
      the run as <its name>.tar in this folder
  locard export 2026 -o - | ssh host tar xf -
      unpacked elsewhere, where locard verify and replay need nothing else
  locard export latest --as csv-timeline
      every time that facts state as a table; --as timesketch, case-uco and
      stix for other tools (docs/exchange.md)
  locard export latest --as in-toto --sign key.pem --subject report.md
      a signed statement about the run and a file made of it

The same run gives the same bytes, however its file came to lie on the disk.

Exit codes: 0; 2 the file exists or cannot be written; 31 the run is damaged;
32 it is not sealed and --unsealed was not given: nothing is written then.";

pub(crate) const REJECTIONS: &str = "\
Examples:
  locard rejections 2026
      what was refused, and each refused claim with what the agent was told
  locard rejections 20260101 20260102 --format json
      what was refused in two runs together, for programs";

pub(crate) const SCORE: &str = "\
Examples:
  locard score latest --truth cases/demo/truth.toml
      what the last run found of what is true, and what it missed
  locard score 20260101 20260102 --truth truth.json --fail-under 80
      two runs beside each other, with mean, least and most

Exit codes: 0; with --fail-under: 25 where a run finds less.";

pub(crate) const BENCH: &str = "\
Examples:
  locard bench gate latest
      what the gateway makes of 100,000 claims seeded into the last run
  locard bench gate latest --claims 5000 --examples 3
      fewer claims, with examples of each wrong answer

Exit codes: 0; 1 where a falsehood was accepted or a citation healed to a wrong
place.";

pub(crate) const BENCH_GATE: &str = "\
Examples:
  locard bench gate latest:demo --seed 7 --format json
      other claims, for programs
  locard bench gate latest --rulesets ours.toml
      with a column for each rule set of a file

Exit codes: 0; 1 where a falsehood was accepted or a citation healed to a wrong
place.";

pub(crate) const INIT: &str = "\
Examples:
  locard init /mnt/host1 /mnt/host2 --case cases/intrusion
      a case of two hosts; nothing is copied
  locard init disk.E01 --hash
      a case in the folder disk.E01-case, with the hash that a run will check";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  locard completions bash > ~/.local/share/bash-completion/completions/locard
      for bash
  locard completions zsh > ~/.zfunc/_locard
      for zsh";

pub(crate) const REPORT: &str = "\
Examples:
  locard report 2026 > report.md
      the report for people
  locard report 2026 --format json > report.json
      everything that is known of the run
  locard report 2026 --redact people -o report.html
      without accounts, people, hosts and addresses (docs/redaction.md)";

pub(crate) const VIEW: &str = "\
Examples:
  locard view
      all runs under runs/, at the address that is printed
  locard view latest --open
      the run that was begun last, in the browser
  locard view latest
      while locard run works elsewhere: its log grows as it is recorded

Exit codes:
  0  ended by Ctrl-C (SIGINT) or SIGTERM";

pub(crate) const MCP: &str = "\
Examples:
  locard mcp --case cases/demo
      for a client that starts the program: the protocol is spoken over
      standard input and output
  locard mcp --case disk.E01 --http 127.0.0.1:8020
      for clients that connect; they bear the token that is printed

Exit codes:
  0   the client went away, or SIGINT or SIGTERM came; every run is sealed
  2   the case cannot be opened, or nothing can listen there
  32  a run could not be sealed; `locard resume` seals it";

pub(crate) const TOOL: &str = "\
Examples:
  locard tool
      every tool and its arguments
  locard tool list_hives --evidence cases/demo
      one call, of which nothing is recorded";

pub(crate) const SQL: &str = "\
Examples:
  locard sql cases/demo
      the tables that have rows, and how many
  locard sql cases/demo run_key_entry
      the columns of a table, and what each means
  locard sql cases/demo \"SELECT * FROM timeline WHERE time >= '2025-09-16T09:4' ORDER BY time\"
      what happened from that minute on
  locard sql cases/demo --format csv \"SELECT * FROM prefetch\" > prefetch.csv
      a table for a spreadsheet

What a statement returns is printed and proves nothing: a run records facts.
docs/tables.md has every table and column.";

pub(crate) const DOCTOR: &str = "\
Examples:
  locard doctor
      each layer of confinement, and whether it holds
  locard doctor > confinement.txt
      the same, to be kept beside a run";
