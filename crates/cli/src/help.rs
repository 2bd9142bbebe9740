//! The text that `--help` prints after the options: examples, and the exit codes of commands that have special ones.

pub(crate) const LOCARD: &str = "\
Examples:
  locard run cases/demo
  locard facts 2026

locard completions prints a completion script for a shell.

Exit codes:
  0   success; a sealed run may have refused claims and gaps
  1   a bug in this program
  2   wrong usage or configuration, or evidence that cannot be opened, has
      another hash than the case gives, or changed while it was examined
  3   standard output was closed
  31  a recording is unreadable or was tampered with
  32  to 37: other results of a verification (verify --help)
  40  tools cannot be confined here
  50  the model failed
  60  a budget ran out before anything was recorded
  130 ended by SIGINT (Ctrl-C); 143 by SIGTERM
Where several apply, the highest. locard run --fail-on adds 10, 20 and 25.";

pub(crate) const RUN: &str = "\
Examples:
  locard run disk.E01 collected.zip
      an image and an archive, each as its own case; for a split image, name
      the first file
  locard run cases/* --jobs 4 --fail-on gaps,unmet --format json
      many cases, four at once; a failed case does not stop the others
  locard run disk.E01 --model openai:MODEL@http://localhost:11434/v1
      a language model of your own; --max-tokens limits what it uses

Ctrl-C stops it cleanly: calls are cancelled, what was recorded stays readable,
and nothing is sealed; locard resume continues. A second Ctrl-C stops at once.

Exit codes: 0 sealed; 2 wrong usage or configuration, or evidence that cannot be
opened, has another hash than the case gives, or changed during the run (not
sealed); 40 tools cannot be confined here; 50 the model failed, or cannot be
reached or used (not sealed); 60 a budget ran out before anything was recorded;
130 ended by SIGINT, 143 by SIGTERM; with --fail-on: 10 gaps, 20 refused,
25 unmet or open. For several cases, the highest.";

pub(crate) const RESUME: &str = "\
Examples:
  locard resume latest
      continue the last run where its log ends, and seal it
  locard resume latest --evidence /mnt/again/disk.E01
      the same evidence, mounted elsewhere

Use it after Ctrl-C, a kill, a power loss, a full disk or an unreachable model.
Recorded replies and tool calls are not repeated: the steps up to the end of the
log are taken from it, and must come out as recorded. A sealed run is left as it
is.

Exit codes: as for run; also 30 if the recorded steps do not come out the same in
this version, and 31 if the recording is damaged.";

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
      the run whose name begins with this, for programs";

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
  locard facts latest --level high --since 2025-09-16 --text svchost
      what stands out, of that day or later, with that text
  locard facts runs/20260101T120000Z-demo --predicate executed --format jsonl
      a run by its folder, what it says was executed, a line each for programs";

pub(crate) const GRAPH: &str = "\
X is an id, or a name or a part of one; several that fit alike are listed (code 2).
Relations are made by code from facts alone; docs/graph.md has all of them.

Examples:
  locard graph latest
      how many entities and relations there are, by kind
  locard graph latest node svchost.exe
      what it is called, and everything that is related to it
  locard graph latest path mara 10.20.4.12 -k 3
      how the two are connected, in the three ways with the best evidence
  locard graph 2026 story setup.exe --since 2025-09-16
      what it came from, what became of it, and what was done after it
  locard graph run1 --with run2 where-else E0D55EA574BCF3A1
      the hosts of two runs on which a device was met
  locard graph latest neighbours mara --depth 2 --format dot | dot -Tsvg";

pub(crate) const VERIFY: &str = "\
Examples:
  locard verify latest --certificate latest.json --sign key.pem
      write a certificate of what was verified, with a signature beside it
  locard verify 2026 --head latest.json --key pub.pem
      check that the run is still the one that the certificate describes
  locard verify 2026 --evidence
      run its tools again on the evidence, and read the raw bytes of its facts
  locard verify --report report.json 2026
      check that the facts of a report, even withheld ones, are the run's

Levels: the log is consistent; facts stand in stored outputs; outputs are
reproduced; raw spans are read again; and, separately, the head is anchored
outside. Only a head kept elsewhere vouches for the whole folder; without --head
the head is compared with the one noted at sealing, if there is one.

Exit codes: 0 everything that was checked holds; otherwise the first of
  31 the log is unreadable, or was tampered with; a report does not hold
  32 the run is not sealed (--unsealed accepts that)
  33 a fact, a verdict, a total or an edge does not hold
  34 tools gave different outputs
  35 the evidence has different bytes
  36 the head is not the one kept elsewhere, or noted at sealing
and 37, before anything is checked: the signature of --head does not verify.";

pub(crate) const REPLAY: &str = "\
Examples:
  locard replay latest
      repeat every agent's steps: 0 if all comes out the same, otherwise 30
  locard replay latest --agent registry --rules other.toml
      what one agent's replies would have led to under other rules
  locard replay latest --agent registry --from-turn 9 --model sloppy:3
      a new run: the same up to that turn, then live with another model
  locard replay latest --tools live --evidence disk.E01
      repeat its tool calls on the evidence: 0 if the tools give the recorded
      outputs and the evidence has the run's hash, otherwise 34

Model replies and tool outputs come from the recording; every decision of the
engine and every verdict of the gateway is made again. The first event that
differs is shown in both versions, after the events before it.

With --tools live no decision is made again: each recorded call is made once
more in the sandbox, and differences are shown record by record.

With --rules differences are the result, and the exit code is 0: which facts
would be refused, which refused claims would be accepted. Where the agent would
have been told something else before it replied, the result is marked as an
estimate. With --step, on a terminal: Enter goes to the next turn, p back, a
number to that turn, q quits.";

pub(crate) const DIFF: &str = "\
Examples:
  locard diff 20260101T12 latest
      what the last run recorded that an earlier one did not, and vice versa
  locard diff 20260101 20260102 --exit-code --format json
      everything that differs, for programs

Ids, seeds and record numbers do not count, nor does which agent found a thing:
facts are the same if they say the same about the same place.

Exit codes: 0; with --exit-code: 15 if facts, phenomena, absences or other parts
of the graph differ. Refused claims and cost do not count.";

pub(crate) const ASK: &str = "\
Examples:
  locard ask cases/demo \"When was setup.exe started for the first time?\"
      begins a run with the one question, and answers from its facts
  locard ask latest \"Welche Dienste wurden am 16.09.2025 installiert?\"
      the last run: its facts where they are enough, or else a branch of it
  locard ask latest \"Was the System log cleared?\" --format json
      the answer for programs

docs/ask.md says which questions are understood.

Exit codes: 0 answered; 2 the case or run cannot be opened; 26 not determinable,
with the reason, or a question back.";

pub(crate) const CONSOLE: &str = "\
Examples:
  locard console cases/demo
      questions about a case, one after another; their facts are in one run
  locard console latest
      about the last run; what is new is recorded in a branch of it
  locard console runs/20260101T120000Z-demo
      continues a session that was killed
  locard console cases/demo < questions.txt
      a question or command on each line, for scripts

A question may refer to the last one: \"and before that?\", \"no, the other user\".
/help lists the commands. Ctrl-C ends the question under way; twice at an empty
prompt, or Ctrl-D, leaves: the run is sealed then. docs/console.md has more.

Exit codes: 0 left, and what was recorded is sealed; 2 the case or run cannot be
opened, or its evidence changed (not sealed); 130, 143 ended by a signal.";

pub(crate) const EXPORT: &str = "\
Examples:
  locard export latest
      the run as <its name>.tar in this folder
  locard export 2026 -o - | ssh host tar xf -
      unpack it elsewhere: locard verify and replay need nothing else
  locard export latest --as csv-timeline
      a table of every time that facts state; --as timesketch, case-uco and
      stix for other tools (docs/exchange.md)
  locard export latest --as in-toto --sign key.pem --subject report.md
      a signed statement about the run and a file made from it

The same run always gives the same bytes.

Exit codes: 0; 2 the file exists (--force) or cannot be written; 31 the run is damaged;
32 it is not sealed and --unsealed was not given: nothing is written then.";

pub(crate) const REJECTIONS: &str = "\
Examples:
  locard rejections 2026
      what was refused, and each refused claim with what the agent was told
  locard rejections 20260101 20260102 --format json
      what was refused in two runs together, for programs; --format jsonl has
      a line for each refused claim";

pub(crate) const AUDIT: &str = "\
Examples:
  locard audit
      every run under runs/: what was refused, corrected and recovered, and what
      it cost
  locard audit --by agent --since 2026-01-01
      the same for each agent, from that day on
  locard audit archive/2025 latest --format json
      all runs of a folder and the last run, for programs

Runs that are not sealed are counted apart. docs/audit.md explains each figure.

Exit codes: 0; 2 there is no such run or folder; 31 a run cannot be read: it is
named, and the others are counted.";

pub(crate) const SCORE: &str = "\
Examples:
  locard score latest --truth cases/demo/truth.toml
      what the last run found of the ground truth, and what it missed
  locard score 20260101 20260102 --truth truth.json --fail-under 80
      two runs side by side, with mean, minimum and maximum

Exit codes: 0; with --fail-under: 25 if a run finds less.";

pub(crate) const BENCH: &str = "\
Examples:
  locard bench gate latest
      how the gateway judges 100,000 claims seeded into the last run
  locard bench gate latest --claims 5000 --examples 3
      fewer claims, with examples of each wrong answer

Exit codes: 0; 1 if a false claim was accepted or a citation healed to a wrong
place.";

pub(crate) const BENCH_GATE: &str = "\
Examples:
  locard bench gate latest:demo --seed 7 --format json
      other claims, for programs
  locard bench gate latest --rulesets ours.toml
      with a column for each rule set of a file

Exit codes: 0; 1 if a false claim was accepted or a citation healed to a wrong
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
  locard report latest -o report.html --force
      the page of the last run that is sealed, over that of an earlier one
  locard report 2026 --redact people -o report.html
      without accounts, people, hosts and addresses (docs/redaction.md)";

pub(crate) const VIEW: &str = "\
Examples:
  locard view
      all runs under runs/, at the address that is printed
  locard view latest --open
      the run that was begun last, sealed or not, in the browser
  locard view latest
      while locard run works elsewhere: its log grows as it is recorded

Exit codes:
  0  ended by Ctrl-C (SIGINT) or SIGTERM";

pub(crate) const MCP: &str = "\
Examples:
  locard mcp --case cases/demo
      for a client that starts the program and talks to it over standard input
      and output
  locard mcp --case disk.E01 --http 127.0.0.1:8020
      for clients that connect, with the token that is printed

Exit codes:
  0   the client left, or SIGINT or SIGTERM came; every run is sealed
  2   the case cannot be opened, or nothing can listen there
  32  a run could not be sealed; `locard resume` seals it";

pub(crate) const TOOL: &str = "\
Examples:
  locard tool
      every tool and its arguments
  locard tool list_hives --evidence cases/demo
      a single call; nothing is recorded";

pub(crate) const SQL: &str = "\
Examples:
  locard sql cases/demo
      the tables that have rows, and how many
  locard sql cases/demo autostart
      the columns of a table, and what each means
  locard sql cases/demo \"SELECT * FROM timeline WHERE time >= '2025-09-16T09:4' ORDER BY time\"
      what happened from that minute on
  locard sql cases/demo --format csv \"SELECT * FROM prefetch\" > prefetch.csv
      a table for a spreadsheet

What a statement returns is printed but proves nothing: only a run records facts.
docs/tables.md has every table and column.";

pub(crate) const MEMORY: &str = "\
Examples:
  locard memory list
      the lessons, those that hold for all cases first
  locard memory search \"scheduled tasks\"
      the lessons about this, the best first; by outcome, tool or cause, too
  locard memory forget g-0123456789abcdef
      one lesson; --case KEY all lessons of one piece of evidence, --all everything
  locard memory export -o lessons.jsonl
      what holds for all cases; `locard memory import FILE` reads it elsewhere

What is of one case stays with its evidence, and is recalled for that alone.
docs/memory.md says what is stored.";

pub(crate) const MEMORY_LIST: &str = "\
Examples:
  locard memory list
  locard memory list --format json

Exit codes: 0 listed; 2 the memory cannot be read.";

pub(crate) const MEMORY_SHOW: &str = "\
Examples:
  locard memory show g-0123456789abcdef

Exit codes: 0 shown; 2 there is no such lesson, or the memory cannot be read.";

pub(crate) const MEMORY_SEARCH: &str = "\
Examples:
  locard memory search \"scheduled tasks\"
      by the words of questions, and by outcome, agent, tool or cause

Exit codes: 0 searched, also where nothing was found; 2 the memory cannot be
read.";

pub(crate) const MEMORY_FORGET: &str = "\
Examples:
  locard memory forget g-0123456789abcdef
  locard memory forget --case 4be1
      all lessons of one piece of evidence, by the beginning of its key
  locard memory forget --all

Exit codes: 0 forgotten; 2 there is no such lesson or case, or the memory cannot
be written.";

pub(crate) const MEMORY_EXPORT: &str = "\
Examples:
  locard memory export -o lessons.jsonl
      the lessons that hold for all cases; none that is of one case

Exit codes: 0 written; 2 the memory cannot be read, or the file not be written.";

pub(crate) const MEMORY_IMPORT: &str = "\
Examples:
  locard memory import lessons.jsonl
      lines that are no lessons are refused, and their numbers are told

Exit codes: 0 read; 2 the file cannot be read, or the memory not be written.";

pub(crate) const DOCTOR: &str = "\
Examples:
  locard doctor
      each layer of confinement, and whether it holds
  locard doctor > confinement.txt
      the same, to keep with a run";
