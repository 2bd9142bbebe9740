//! The timeline as a picture: how many facts of each kind of source state a time, and when.
//!
//! It is drawn for the window with most of the story's times. When a reader moves the window, the script redraws it with the same dimensions.

use super::Scene;
use super::times::{Times, lanes, times};
use ledger::{Precision, Utc};
use maud::{Markup, html};

/// The dimensions of the picture, in its own units; `line.js` has the same.
const LEFT: f64 = 130.0;
const WIDE: f64 = 860.0;
const LANE: f64 = 26.0;
const TOP: f64 = 8.0;
/// The number of bars in a lane.
const BARS: usize = 215;
/// The number of marks on the axis.
const MARKS: i64 = 4;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let times = times(scene);
    html! {
        section #timeline aria-labelledby="timeline-title" {
            h2 #timeline-title { "Timeline" }
            @if times.range().is_none() {
                p { "No fact of this run states a time." }
            } @else {
                (picture(scene, &times))
            }
        }
    }
}

fn picture(scene: &Scene<'_>, times: &Times<'_>) -> Markup {
    let (names, lane_of) = lanes(scene);
    let (from, to) = times.window;
    let bars = counted(times, &lane_of, names.len());
    let most = bars.iter().flatten().copied().max().unwrap_or(1).max(1);
    let height = TOP + LANE * names.len() as f64 + 26.0;
    let wide = WIDE / BARS as f64;
    html! {
        p.note {
            "Each bar counts times that facts state, by the kind of source. The first window covers where most of them lie, and times far away do not stretch it. "
            @if times.left_out > 0 {
                (times.left_out) " times are left out: they are local times without a known time zone, or the examined computer did not keep them. "
            }
            "The same as a list: locard export --as csv-timeline."
        }
        p #caption role="status" aria-live="polite" { (caption(times, (from, to))) }
        div #overview hidden {}
        form #span hidden aria-label="Time shown" {}
        svg #line.line viewBox=(format!("0 0 1000 {height}")) role="img" aria-label="Times that facts state, by kind of source" {
            @for (lane, (kind, bars)) in names.iter().zip(&bars).enumerate() {
                @let y = TOP + LANE * lane as f64;
                text.lane x=(LEFT - 8.0) y=(y + 17.0) text-anchor="end" { (kind.name()) }
                line.rule x1=(LEFT) x2=(LEFT + WIDE) y1=(y + LANE - 2.0) y2=(y + LANE - 2.0) {}
                @for (place, number) in bars.iter().enumerate().filter(|(_, number)| **number > 0) {
                    @let tall = tall(*number, most);
                    rect.bar x=(format!("{:.1}", LEFT + wide * place as f64)) y=(format!("{:.1}", y + LANE - 2.0 - tall))
                        width=(format!("{:.1}", wide - 0.6)) height=(format!("{tall:.1}")) { title { (number) } }
                }
            }
            @for mark in 0..=MARKS {
                @let x = LEFT + WIDE * mark as f64 / MARKS as f64;
                text.mark.odd[mark % 2 == 1] x=(x) y=(height - 6.0) text-anchor=(if mark == MARKS { "end" } else if mark == 0 { "start" } else { "middle" }) {
                    (text(from + (to - from) / MARKS * mark))
                }
            }
        }
        noscript { p.note { "With its script the picture can be moved, zoomed and filtered." } }
    }
}

/// Describes what is shown; the script uses the same words for other windows.
fn caption(times: &Times<'_>, (from, to): (i64, i64)) -> String {
    let earlier = times.events.iter().filter(|event| event.at < from).count();
    let later = times.events.iter().filter(|event| event.at > to).count();
    let all = times.events.len();
    format!(
        "Shown: {} to {} (UTC), {} of {all} times; {earlier} lie before and {later} after.",
        text(from),
        text(to),
        all - earlier - later
    )
}

/// Counts the times in the window by lane and bar.
fn counted(times: &Times<'_>, lane_of: &[usize], lanes: usize) -> Vec<[u32; BARS]> {
    let (from, to) = times.window;
    let mut bars = vec![[0; BARS]; lanes];
    for event in times.events.iter().filter(|event| (from..=to).contains(&event.at)) {
        let place = i128::from(event.at - from) * BARS as i128 / i128::from(to - from).max(1);
        let place = usize::try_from(place).unwrap_or(0).min(BARS - 1);
        let lane = lane_of.get(event.fact).and_then(|lane| bars.get_mut(*lane));
        if let Some(bar) = lane.and_then(|lane| lane.get_mut(place)) {
            *bar += 1;
        }
    }
    bars
}

/// Returns the height of a bar: logarithmic, so that one event is visible next to a thousand.
fn tall(number: u32, most: u32) -> f64 {
    let scale = f64::from(most).ln_1p();
    4.0 + (LANE - 8.0) * f64::from(number).ln_1p() / scale
}

fn text(milliseconds: i64) -> String {
    let utc = Utc::from_unix_nanoseconds(i128::from(milliseconds) * 1_000_000);
    utc.map_or_else(String::new, |utc| utc.to_text(Precision::Second))
}
