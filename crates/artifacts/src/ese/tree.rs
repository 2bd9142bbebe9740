//! B+ trees of pages: from the root to the entries of its leaves.

use super::page::{Entry, MOST_DAMAGE, Page, Pages};
use crate::damage::{Damage, DamageKind};
use crate::fields::u32_at;

/// The entries of the leaves below a root, from left to right.
pub(super) struct Entries<'b, 'd> {
    pages: &'b Pages<'d>,
    /// Pages to visit, the next one last.
    stack: Vec<u32>,
    /// Which pages were found: a tree leads to each once.
    found: Vec<bool>,
    /// The leaf that is read, and its next tag.
    leaf: Option<(Page<'d>, usize)>,
    damage: Vec<Damage>,
}

impl<'b, 'd> Entries<'b, 'd> {
    pub(super) fn below(pages: &'b Pages<'d>, root: u32) -> Entries<'b, 'd> {
        let mut entries = Entries {
            pages,
            stack: Vec::new(),
            found: vec![false; pages.count()],
            leaf: None,
            damage: Vec::new(),
        };
        entries.child(root, 0);
        entries
    }

    /// What is wrong with the pages that were visited since this was last asked.
    pub(super) fn take_damage(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damage)
    }

    /// Goes on to the next leaf; false behind the last one.
    fn next_leaf(&mut self) -> bool {
        while let Some(number) = self.stack.pop() {
            if !self.pages.visits.take(1) {
                let limit = self.pages.count();
                self.damaged(Damage::at(0, DamageKind::TooMany { what: "visits of pages", limit }));
                return false;
            }
            let Some((page, damage)) = self.pages.page(number) else { continue };
            damage.into_iter().for_each(|damage| self.damaged(damage));
            if page.is_space_tree() {
                continue;
            }
            if page.is_leaf() {
                self.leaf = Some((page, 1));
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

    /// A page that the tree leads to.
    fn child(&mut self, number: u32, offset: usize) {
        match self.found.get_mut(number as usize) {
            Some(found) if !*found => {
                *found = true;
                self.stack.push(number);
            }
            Some(_) => self.damaged(Damage::at(offset, DamageKind::Twice { what: "a page of a tree" })),
            None => self.outside(offset, "a page of a tree"),
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
            let Some((page, index)) = self.leaf.as_mut().filter(|(page, index)| *index < page.tags) else {
                if self.next_leaf() {
                    continue;
                }
                self.leaf = None;
                return None;
            };
            *index += 1;
            match page.entry(*index - 1) {
                Ok(Some(entry)) => return Some(entry),
                Ok(None) => {}
                Err(damage) => self.damaged(damage),
            }
        }
    }
}
