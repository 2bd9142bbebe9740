//! B+ trees of pages: from the root to the entries of its leaves.

use super::page::{Entry, MOST_DAMAGE, Page, Pages};
use crate::damage::{Damage, DamageKind};
use crate::fields::u32_at;
use std::collections::HashSet;

/// The leaf being read.
struct Leaf<'d> {
    page: Page<'d>,
    /// Its next tag.
    next: usize,
    /// Bytes that its entries may still have: values on a page do not overlap, unless it is damaged.
    room: usize,
}

/// The entries of the leaves below a root, from left to right.
pub(super) struct Entries<'b, 'd> {
    pages: &'b Pages<'d>,
    /// Pages to visit, the next one last.
    stack: Vec<u32>,
    /// The pages found so far: a tree leads to each page once.
    found: HashSet<u32>,
    /// The leaf being read.
    leaf: Option<Leaf<'d>>,
    damage: Vec<Damage>,
}

impl<'b, 'd> Entries<'b, 'd> {
    pub(super) fn below(pages: &'b Pages<'d>, root: u32) -> Entries<'b, 'd> {
        let mut entries =
            Entries { pages, stack: Vec::new(), found: HashSet::new(), leaf: None, damage: Vec::new() };
        entries.child(root, 0);
        entries
    }

    /// Returns the damage in the pages visited since the last request.
    pub(super) fn take_damage(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damage)
    }

    /// Moves to the next leaf; false after the last one.
    fn next_leaf(&mut self) -> bool {
        while let Some(number) = self.stack.pop() {
            if !self.pages.visits.take(1) {
                let limit = self.pages.count();
                self.damaged(Damage::at(0, DamageKind::TooMany { what: "visits of pages", limit }));
                return false;
            }
            let Some((page, damage)) = self.pages.page(number) else {
                self.outside(self.pages.bytes.len(), "a page of a tree");
                continue;
            };
            damage.into_iter().for_each(|damage| self.damaged(damage));
            if page.is_space_tree() {
                continue;
            }
            if page.is_leaf() {
                self.leaf = Some(Leaf { page, next: 1, room: self.pages.size });
                return true;
            }
            self.children(&page);
        }
        false
    }

    fn children(&mut self, page: &Page<'d>) {
        let from = self.stack.len();
        for index in 1..page.tags {
            match page.entry(index) {
                Ok(Some(entry)) => match u32_at(entry.data, 0) {
                    Some(child) => self.child(child, entry.offset),
                    None => self.outside(entry.offset, "the number of a page"),
                },
                Ok(None) => {}
                Err(damage) => self.damaged(damage),
            }
        }
        if let Some(children) = self.stack.get_mut(from..) {
            children.reverse();
        }
    }

    /// Adds a page that the tree points to.
    fn child(&mut self, number: u32, offset: usize) {
        if number as usize >= self.pages.count() {
            self.outside(offset, "a page of a tree");
        } else if self.found.insert(number) {
            self.stack.push(number);
        } else {
            self.damaged(Damage::at(offset, DamageKind::Twice { what: "a page of a tree" }));
        }
    }

    fn outside(&mut self, offset: usize, what: &'static str) {
        let (length, available) = (self.pages.size, self.pages.bytes.len());
        self.damaged(Damage::at(offset, DamageKind::Outside { what, length, available }));
    }

    fn damaged(&mut self, damage: Damage) {
        if self.damage.len() < MOST_DAMAGE {
            self.damage.push(damage);
        }
    }
}

impl<'d> Iterator for Entries<'_, 'd> {
    type Item = Entry<'d>;

    fn next(&mut self) -> Option<Entry<'d>> {
        loop {
            let Some(leaf) = self.leaf.as_mut().filter(|leaf| leaf.next < leaf.page.tags) else {
                if self.next_leaf() {
                    continue;
                }
                self.leaf = None;
                return None;
            };
            leaf.next += 1;
            match leaf.page.entry(leaf.next - 1) {
                Ok(Some(entry)) => match leaf.room.checked_sub(entry.data.len()) {
                    Some(room) => {
                        leaf.room = room;
                        return Some(entry);
                    }
                    None => {
                        leaf.next = leaf.page.tags;
                        let limit = self.pages.size;
                        let what = DamageKind::TooMany { what: "bytes of the entries of a page", limit };
                        self.damaged(Damage::at(entry.offset, what));
                    }
                },
                Ok(None) => {}
                Err(damage) => self.damaged(damage),
            }
        }
    }
}
