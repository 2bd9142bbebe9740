//! Puts Locard's gateway under an agent: a true claim becomes a fact, an invented one is refused. `docs/embedding.md` explains the parts.

#[cfg(test)]
mod tests;
mod tool;

use ground::{Setting, Shelf, Verdict, judge};
use ledger::{ClaimedValue, Digest, FactId, GateRules, IdSpace, InvocationId, Output, Reading, Seed, TaskId};
use ledger::{Vocabulary, Writers};

type Failure = Box<dyn std::error::Error>;

#[expect(clippy::print_stdout, reason = "the example shows what it does")]
fn main() -> Result<(), Failure> {
    verdicts()?.iter().for_each(|verdict| println!("{verdict}"));
    Ok(())
}

/// Judges two claims about one call.
fn verdicts() -> Result<Vec<String>, Failure> {
    // Code assigns all ids. An agent can only cite them, and an id that it makes up belongs to no call.
    let (ids, task) = (IdSpace::new(Seed(Digest::of(b"case 17"))), TaskId(1));
    let call = InvocationId::assign(&ids, task, 0)?;

    // The output is stored before the agent sees any of it, and it holds records only. So nothing that the agent said can support a claim.
    let output = Output::new(vec![tool::record()])?;

    // The shelf has the calls of one task. The gateway searches nothing else, so no other task's output can support a claim either.
    let mut shelf = Shelf::default();
    shelf.push(tool::held(call, output));

    // What is a match, what proves what, and who could have written it: data of this version of Locard. Only the record types are yours.
    let (rules, vocabulary, writers) = (GateRules::default(), Vocabulary::shipped()?, Writers::shipped()?);
    let (rules, vocabulary, writers, types) = (&rules, &vocabulary, &writers, &tool::types());
    let setting = Setting { rules, vocabulary, types, writers, by_reference: true, dated: true };

    let mut verdicts = Vec::new();
    for (ordinal, time) in (0..).zip(["2025-09-16T09:47:31.1234567Z", "2025-09-16T03:12:00Z"]) {
        // A claim is text, as the agent wrote it: the predicate, the subject, the values, and the call and record that are said to hold them.
        let claim = Reading {
            predicate: "executed".into(),
            subject: "POWERSHELL.EXE".into(),
            values: vec![ClaimedValue { field: Some("last_run".into()), value: time.into() }],
            invocation: call.to_string(),
            record: Some("r0".into()),
            fields: Vec::new(),
        };
        verdicts.push(match judge(&claim, FactId::assign(&ids, task, ordinal)?, &shelf, &setting) {
            // Only the gateway can make a `Fact`. A function that takes one cannot be called with something that an agent made up.
            Verdict::Grounded { fact, .. } => tool::sentence(&fact),
            // The refusal goes back to the agent: it says what the record holds instead.
            Verdict::Refused(rejection) => format!("refused: {}. {}", rejection.reason, rejection.hint),
        });
    }
    Ok(verdicts)
}
