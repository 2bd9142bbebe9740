//! Places everything in a picture: rows below each other at fixed distances, so that labels never overlap and opening a row
//! moves only what is below it.

use super::super::sight::Way;
use super::plan::{Plan, What};

/// A width for which a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// For 1,024 pixels and more: relations to the first entity are on its left, relations from it on its right.
    Wide,
    /// For less: everything is below the first entity.
    Narrow,
}

impl Form {
    pub(super) const ALL: [Form; 2] = [Form::Wide, Form::Narrow];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Form::Wide => "broad",
            Form::Narrow => "slim",
        }
    }

    const fn width(self) -> i32 {
        match self {
            Form::Wide => 1160,
            Form::Narrow => 360,
        }
    }

    const fn step(self) -> i32 {
        match self {
            Form::Wide => 24,
            Form::Narrow => 16,
        }
    }
}

/// The height of the first entity's box.
pub(super) const BOX: i32 = 54;
/// The width of a shape.
pub(super) const SHAPE: i32 = 18;
/// The distance from a shape to its label.
const GAP: i32 = 8;
/// The maximum depth of indentation.
const DEEPEST: usize = 8;
/// The maximum width of a character in a name, in tenths of a pixel: a monospaced typeface at 13 pixels.
const NAME: i32 = 80;
/// The width of a character in other text, in tenths of a pixel: slightly more than the average.
const TEXT: i32 = 74;

/// The position of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// The centre of its shape.
    pub(super) x: i32,
    /// The vertical position of its shape.
    pub(super) y: i32,
    /// The start of its text, or the end if it is mirrored.
    pub(super) text: i32,
    /// Whether it is laid out from right to left, with the text to the left of the shape.
    pub(super) is_mirrored: bool,
    /// The start of its line: the middle of its parent, or the trunk.
    pub(super) trunk: (i32, i32),
    /// The number of characters of a name that fit.
    pub(super) name: usize,
    /// The number of characters of other text that fit.
    pub(super) words: usize,
    /// Its area: left, top, width and height.
    pub(super) area: (i32, i32, i32, i32),
}

/// A picture with all positions.
pub(super) struct Layout {
    pub(super) form: Form,
    pub(super) width: i32,
    pub(super) height: i32,
    /// The box of the first entity: left, top and width.
    pub(super) root: (i32, i32, i32),
    /// The number of characters of a name that fit into it.
    pub(super) root_name: usize,
    /// The positions, one for each row of the plan.
    pub(super) spots: Vec<Spot>,
}

/// One half of a picture, in which rows are below each other.
struct Column {
    /// The position of the first rows' shapes.
    base: i32,
    /// The limit for text.
    edge: i32,
    is_mirrored: bool,
    /// The horizontal position of the line from which the first rows hang, and where it starts.
    trunk: (i32, i32),
}

pub(super) fn layout(plan: &Plan, form: Form) -> Layout {
    let width = form.width();
    let is_split = form == Form::Wide && has_two_sides(plan);
    let root_width = match form {
        Form::Wide => 300,
        Form::Narrow => width - 2,
    };
    let left = match (form, is_split) {
        (Form::Wide, true) => (width - root_width) / 2,
        _ => 1,
    };
    let right = left + root_width;
    let middle = 1 + BOX / 2;
    let column = |side: Way| match (form, is_split, side) {
        (Form::Wide, true, Way::In) => {
            Column { base: left - 54, edge: 2, is_mirrored: true, trunk: (left - 30, middle) }
        }
        (Form::Wide, _, _) => {
            Column { base: right + 54, edge: width - 2, is_mirrored: false, trunk: (right + 30, middle) }
        }
        (Form::Narrow, _, _) => {
            Column { base: 40, edge: width - 2, is_mirrored: false, trunk: (12, 1 + BOX) }
        }
    };
    let top = match form {
        Form::Wide => 14,
        Form::Narrow => BOX + 16,
    };
    let mut next = [top, top];
    let mut spots: Vec<Spot> = Vec::with_capacity(plan.rows.len());
    for row in &plan.rows {
        let column = column(row.side);
        let at = usize::from(is_split && row.side == Way::Out);
        let (before, height) = height(&row.what, row.depth);
        let Some(y) = next.get_mut(at) else { continue };
        *y += before;
        let sign = if column.is_mirrored { -1 } else { 1 };
        let indent = i32::try_from(row.depth.min(DEEPEST)).unwrap_or(0) * form.step();
        let x = column.base + sign * indent;
        let trunk = row.parent.and_then(|at| spots.get(at)).map(|spot| (spot.x, spot.y + SHAPE / 2));
        let text = x + sign * (SHAPE / 2 + GAP);
        let room = (column.edge - text) * sign;
        spots.push(Spot {
            x,
            y: *y + SHAPE / 2,
            text,
            is_mirrored: column.is_mirrored,
            trunk: trunk.unwrap_or(column.trunk),
            name: fitting(room, NAME),
            words: fitting(room, TEXT),
            area: (
                if column.is_mirrored { column.edge } else { x - SHAPE / 2 - 2 },
                *y - 4,
                room + SHAPE + GAP + 2,
                height - 2,
            ),
        });
        *y += height;
    }
    let bottom = next.into_iter().max().unwrap_or(top).max(BOX + 2);
    Layout {
        form,
        width,
        height: bottom + 6,
        root: (left, 1, root_width),
        root_name: fitting(root_width - 50, NAME),
        spots,
    }
}

/// Checks whether both sides have enough groups for halving the width to pay off, independent of what is open.
fn has_two_sides(plan: &Plan) -> bool {
    let heads = |side: Way| plan.rows.iter().filter(|row| row.depth == 0 && row.side == side).count();
    let (into, from) = (heads(Way::In), heads(Way::Out));
    into.min(from) * 4 >= into.max(from) && into.min(from) > 0
}

/// Returns how many characters of this width, in tenths of a pixel, fit.
fn fitting(room: i32, tenths: i32) -> usize {
    usize::try_from(room.max(0) * 10 / tenths).unwrap_or(0).max(4)
}

/// Returns the space before a row, and its height.
const fn height(what: &What, depth: usize) -> (i32, i32) {
    match what {
        What::Group { .. } | What::Readings { .. } => (if depth == 0 { 6 } else { 2 }, 26),
        What::Thing { .. } | What::Reading { .. } => (0, 42),
        What::More { .. } => (0, 28),
    }
}
