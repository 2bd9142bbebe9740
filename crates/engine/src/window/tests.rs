//! Tests that the least possible is left out, in the order of the layers.

use super::*;

const WINDOW: Window = Window { context: 1_000, reply: 0 };

fn weights(messages: &[(u64, u64)]) -> Vec<Weight> {
    messages.iter().map(|(whole, noted)| Weight { whole: *whole, noted: *noted }).collect()
}

fn planned(messages: &[(u64, u64)], newest: &[(u64, u64)], before: Plan) -> Result<Plan, TooSmall> {
    let (messages, newest) = (weights(messages), weights(newest));
    let weights = Weights { fixed: 100, distilled: 50, brief: 10, messages: &messages, newest: &newest };
    plan(&weights, before, WINDOW, 1_000, |weight| weight)
}

#[test]
fn old_answers_become_notes_first_and_no_more_of_them_than_needed() {
    let conversation =
        [(20, 20), (10, 10), (400, 20), (10, 10), (400, 20), (10, 10), (90, 20), (10, 10), (90, 20)];
    let plan = planned(&conversation, &[], Plan::default()).unwrap();
    assert_eq!(plan, Plan { cut: 5, ..Plan::default() });
    let goes_on = planned(&conversation, &[], Plan { cut: 3, ..Plan::default() }).unwrap();
    assert_eq!(goes_on.cut, 5);
}

#[test]
fn then_old_turns_are_left_out_from_a_message_of_the_models() {
    let mut conversation = vec![(20, 20)];
    conversation.extend([(150, 150), (60, 30)].repeat(6));
    let plan = planned(&conversation, &[], Plan::default()).unwrap();
    assert_eq!((plan.head, plan.cut), (9, 9));
    let later = planned(&conversation, &[], Plan { head: 7, cut: 7, ..Plan::default() }).unwrap();
    assert!(later.head >= 7);
}

#[test]
fn the_newest_turn_stays_whole_as_long_as_it_fits_at_all() {
    let conversation = [(20, 20), (10, 10), (300, 20), (10, 10), (790, 20)];
    let plan = planned(&conversation, &[(700, 10)], Plan::default()).unwrap();
    assert_eq!((plan.head, plan.cut, plan.squeezed), (3, 3, 0));
}

#[test]
fn of_a_newest_turn_that_does_not_fit_the_longest_answers_become_notes() {
    let conversation = [(20, 20), (10, 10), (1_500, 60)];
    let plan = planned(&conversation, &[(900, 20), (500, 20), (100, 20)], Plan::default()).unwrap();
    assert_eq!((plan.head, plan.squeezed, plan.brief), (0, 1, false));
}

#[test]
fn what_cannot_fit_is_told_with_what_it_would_take() {
    let small = planned(&[(20, 20), (2_000, 2_000), (10, 10)], &[], Plan::default()).unwrap_err();
    assert_eq!(small, TooSmall { context: 1_000, needed: 2_130, most: 1_000 });
    assert!(planned(&[(900, 900)], &[], Plan::default()).is_ok());
    assert!(planned(&[(901, 901)], &[], Plan::default()).is_err());
}
