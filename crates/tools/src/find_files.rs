//! `find_files`: finds entries by name, path, extension and size.

use crate::arguments::Arguments;
use crate::catalogue::{Call, Indexes};
use crate::error::{CallError, NO_STREAMS};
use crate::glob::{Glob, Resolved};
use crate::links::{self, Beside};
use crate::name_index::{Asked, KnownFolders, NameIndex, Sizes, ends_in};
use crate::normalise::bare;
use crate::page::Page;
use crate::returned::Return;
use crate::{dir_entry, drives, place, placing, spec};
use evidence::{EvidencePath, Node, NodeKind, Step, Tree, walk};
use ledger::pattern::{self, fold};
use ledger::{AbsenceForm, Defect, Gap, ToolSpec, placement};
use serde_json::{Value, json};
use std::ops::Range;

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        covers: vec![spec::covers(
            AbsenceForm::File,
            &[("name", "name"), ("under", "under"), ("evidence", "evidence")],
            &[("offset", json!(0))],
            &["limit"],
        )],
        ..described()
    }
}

fn described() -> ToolSpec {
    spec::tool(
        "find_files",
        "Finds files and folders by name, sorted by path; what is given must all hold. \
         An empty and complete answer means that nothing of the kind stands in that part of the evidence. \
         Times of evidence that is a copied folder are those of the copy and prove nothing about the examined host.",
        vec![
            (
                "name",
                spec::text(
                    "pattern of the name, letter case aside: * for any characters, ? for one, {a,b} for either. With a slash of either kind \
                     a pattern of the whole path from the root of the evidence, of a volume, or a drive letter, \
                     in which ** stands for any number of folders",
                ),
            ),
            ("under", spec::text_or("folder below which to search; empty for everything", "")),
            ("extension", spec::text("end of the name behind a dot, such as exe; letter case aside")),
            ("min_size", spec::optional_number("fewest bytes; only files have a size", 0, spec::MAX_EXACT)),
            ("max_size", spec::optional_number("most bytes; only files have a size", 0, spec::MAX_EXACT)),
            (
                "with_stream",
                spec::text(
                    "pattern of the name of an alternate stream that the entry must have: * for any characters, ? for one; letter case aside",
                ),
            ),
            (
                "place",
                spec::choice(
                    "only what stands where Windows keeps files of this kind, from the root of one of the host's drives, and no copy elsewhere",
                    &placement::kinds().collect::<Vec<_>>(),
                ),
            ),
            ("evidence", spec::text("label of the evidence to search; all when left out")),
            ("limit", spec::number("most entries to return", 1000, 1, 10_000)),
            ("offset", spec::offset()),
        ],
        &[],
        vec![dir_entry::record_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let wanted = Wanted::read(arguments)?;
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    let mut found = Found {
        page: Page::new(arguments.count("offset")?, arguments.count("limit")?),
        defects: Vec::new(),
        gaps: Vec::new(),
    };
    let mut patterns = Vec::new();
    let (mut searched, mut placed, mut nearest) = (false, false, Vec::new());
    for place in &scope.places {
        let (tree, start) = (place.tree, &place.node);
        if start.kind != NodeKind::Directory {
            return Err(CallError::NotAFolder { path: start.path.clone() });
        }
        let (resolved, unmapped, nowhere) = wanted.resolve(tree)?;
        let (stands, goes_below) =
            (nowhere.is_none(), resolved.as_ref().is_none_or(|it| it.goes_below(start)));
        placed |= stands && goes_below;
        let looked = if goes_below { nowhere.unwrap_or_default() } else { vec![start.path.clone()] };
        nearest.extend(drives::told(tree, looked));
        // Something that could not be searched is not absent.
        found.gaps.extend(unmapped.into_iter().map(|letter| drives::gap(tree, letter)));
        patterns.push(resolved.as_ref().and_then(|resolved| resolved.glob.as_ref()).map(Glob::written));
        if let Some(resolved) = resolved {
            searched = true;
            let place = arguments.optional_text("place");
            let place = place.map(|kind| Ok::<_, CallError>((kind, placing::layout(tree, call.in_place)?)));
            let ground = Ground { tree, start, wanted: &resolved, place: place.transpose()? };
            found.search(&ground, call.indexes)?;
        }
    }
    if !searched && !scope.places.is_empty() {
        let trees: Vec<_> = scope.places.iter().map(|place| place.tree).collect();
        return Err(drives::none(&trees, "name", arguments.text("name")?));
    }
    if !placed && !scope.places.is_empty() {
        let (argument, asked) = ("name".to_owned(), arguments.text("name")?.to_owned());
        return Err(CallError::Nowhere { argument, asked, looked: nearest });
    }
    let mut normalised = scope.normalised();
    normalised.extend(wanted.normalised(&patterns));
    let Found { page, defects, gaps } = found;
    let mut returned =
        Return { defects, gaps, ..Return::found(Vec::new(), arguments.normalised(&normalised)) };
    page.fill(&mut returned, "entries");
    if returned.records.is_empty() {
        wanted.glob.as_ref().map_or(Ok(()), |glob| no_other_language(glob, arguments))?;
    }
    if wanted.with_stream.is_some() {
        let keeps_none = scope.places.iter().map(|place| place.tree).filter(|tree| tree.layout().is_none());
        returned.notes.extend(keeps_none.map(|tree| format!("{}{NO_STREAMS}", tree.label())));
    }
    Ok(returned)
}

/// Refuses a pattern that matches no name and is written as for another program.
pub(crate) fn no_other_language(glob: &Glob, arguments: &Arguments) -> Result<(), CallError> {
    let Some(expected) = glob.otherwise() else { return Ok(()) };
    Err(CallError::Unfitting { argument: "name", expected, found: arguments.text("name")?.to_owned() })
}

/// What [`Wanted::resolve`] gives.
type ResolvedWanted = (Option<Wanted>, Vec<char>, Option<Vec<EvidencePath>>);

/// The conditions that an entry must meet.
#[derive(Clone)]
struct Wanted {
    glob: Option<Glob>,
    /// Without the dot, case-folded.
    extension: Option<String>,
    /// The allowed sizes of a file; `None` if the call sets no limit.
    sizes: Option<Sizes>,
    /// The pattern of a stream's name.
    with_stream: Option<String>,
}

impl Wanted {
    fn read(arguments: &Arguments) -> Result<Wanted, CallError> {
        let glob = arguments.optional_text("name").map(|text| Glob::read("name", text)).transpose()?;
        let extension = arguments.optional_text("extension").map(extension).transpose()?;
        let with_stream = arguments.optional_text("with_stream").map(stream_name).transpose()?;
        Ok(Wanted { glob, extension, sizes: sizes(arguments)?, with_stream })
    }

    /// Resolves the conditions for one tree; `None` if no drive of the pattern is in it.
    /// Also returns the letters of the missing drives and, if the pattern's folders do not exist, how far they do.
    fn resolve(&self, tree: &dyn Tree) -> Result<ResolvedWanted, CallError> {
        let Some(glob) = &self.glob else { return Ok((Some(self.clone()), Vec::new(), None)) };
        let Resolved { glob, unmapped, nowhere } = glob.resolve(tree)?;
        Ok((glob.map(|glob| Wanted { glob: Some(glob), ..self.clone() }), unmapped, nowhere))
    }

    /// Checks whether something below the folder can match.
    fn goes_below(&self, folder: &Node) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.reaches_below(&folder.path))
    }

    fn fits(&self, node: &Node) -> bool {
        let sized = |sizes: &Sizes| node.kind == NodeKind::File && sizes.contains(&node.size);
        let streams = |wanted: &String| node.streams.iter().any(|stream| pattern::fits(wanted, &stream.name));
        self.glob.as_ref().is_none_or(|glob| glob.fits(&node.path))
            && self.extension.as_ref().is_none_or(|wanted| ends_in(&fold(&node.name), wanted))
            && self.sizes.as_ref().is_none_or(sized)
            && self.with_stream.as_ref().is_none_or(streams)
    }

    /// Returns the pattern as it was used, if that was the same in every tree; else with its drive letter.
    fn normalised(&self, used: &[Option<String>]) -> Vec<(&'static str, Value)> {
        let mut normalised = Vec::new();
        if let Some(glob) = &self.glob {
            let same = used.first().filter(|first| used.iter().all(|other| other == *first));
            let same = same.and_then(Option::clone);
            normalised.push(("name", json!(same.unwrap_or_else(|| glob.written()))));
        }
        normalised.extend(self.extension.as_ref().map(|extension| ("extension", json!(extension))));
        normalised.extend(self.with_stream.as_ref().map(|name| ("with_stream", json!(name))));
        normalised
    }
}

/// Removes what Windows writes around the name of a stream, as in `:Zone.Identifier:$DATA`.
fn stream_name(text: &str) -> Result<String, CallError> {
    let text = bare(text);
    let bare = text.strip_prefix(':').unwrap_or(text);
    let kind = bare.len().saturating_sub(":$DATA".len());
    let is_data = bare.get(kind..).is_some_and(|end| end.eq_ignore_ascii_case(":$DATA"));
    let bare = if is_data { bare.get(..kind).unwrap_or_default() } else { bare };
    if bare.is_empty() || bare.contains([':', '/', '\\', '|', ',', '{', '}', '<', '>', '"']) {
        let expected = "the name of an alternate stream alone, such as Zone.Identifier";
        return Err(CallError::Unfitting { argument: "with_stream", expected, found: text.to_owned() });
    }
    Ok(bare.to_owned())
}

/// Returns the sizes that `min_size` and `max_size` ask for; `None` if neither is given.
pub(crate) fn sizes(arguments: &Arguments) -> Result<Option<Sizes>, CallError> {
    let given = (arguments.optional_number("min_size"), arguments.optional_number("max_size"));
    if let (Some(min), Some(max)) = given
        && min > max
    {
        let expected = "at least as much as \"min_size\"";
        return Err(CallError::Argument { argument: "max_size", expected, found: max.to_string() });
    }
    let asked = given.0.is_some() || given.1.is_some();
    Ok(asked.then(|| given.0.unwrap_or(0)..=given.1.unwrap_or(u64::MAX)))
}

/// Reads an extension; `.exe` and `*.exe` are understood, too.
pub(crate) fn extension(text: &str) -> Result<String, CallError> {
    let text = text.trim_end();
    let bare = text.strip_prefix("*.").or(text.strip_prefix('.')).unwrap_or(text);
    // Names of folders that Windows shows as something else end in a GUID in braces.
    let is_choice = bare.contains(['{', '}']) && !bare.contains('-');
    let is_pattern = is_choice || bare.contains(['*', '?', '/', '\\', ',', ';', '|']);
    if bare.is_empty() || is_pattern || bare.chars().any(char::is_control) {
        let expected = "the end of a name, such as exe, without patterns and separators; several are written in \"name\", as *.{exe,dll}";
        return Err(CallError::Unfitting { argument: "extension", expected, found: text.to_owned() });
    }
    Ok(fold(bare))
}

/// What to search in one piece of evidence.
struct Ground<'g> {
    tree: &'g dyn Tree,
    start: &'g Node,
    wanted: &'g Wanted,
    /// The kind of file whose usual places are meant, and where the host's drives are.
    place: Option<(&'g str, placing::Layout<'g>)>,
}

impl Ground<'_> {
    fn is_in_place(&self, path: &EvidencePath) -> bool {
        self.place.as_ref().is_none_or(|(kind, layout)| layout.keeps(kind, path))
    }

    fn has(&self, node: &Node) -> bool {
        self.wanted.fits(node) && self.is_in_place(&node.path)
    }
}

struct Found {
    page: Page,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
}

impl Found {
    fn search(&mut self, ground: &Ground<'_>, indexes: &Indexes) -> Result<(), CallError> {
        let Ground { tree, start, wanted, .. } = *ground;
        // A start that cannot be read fails the call; inside the walk it would only be a gap.
        tree.entries(start)?;
        // An index has no streams. If the evidence keeps none either, that is no loss.
        let keeps_none = tree.layout().is_none();
        let index = indexes.get(tree.label()).filter(|_| wanted.with_stream.is_none() || keeps_none);
        if let Some(path) = index {
            let mut index = NameIndex::open(path)?;
            if let Some(below) = index.below(&start.path)? {
                return self.look_up(ground, &mut index, &below);
            }
        }
        self.walk(ground)
    }

    fn walk(&mut self, ground: &Ground<'_>) -> Result<(), CallError> {
        let folders = ground.wanted.glob.as_ref().and_then(Glob::folders);
        let mut linked = Vec::new();
        for step in walk(ground.tree, ground.start) {
            if let (Step::Node(node), Some(folders)) = (&step, &folders) {
                linked.extend(links::gap(ground.tree, folders, node));
            }
            match step {
                Step::Node(node) if ground.has(&node) => {
                    if !self.page.take(|| dir_entry::record(ground.tree, &node)) {
                        return Ok(());
                    }
                }
                Step::Node(_) => {}
                Step::Defect(defect) => self.defects.push(defect),
                Step::Gap(gap) => self.gaps.push(gap),
            }
        }
        self.gaps.extend(linked);
        Ok(())
    }

    /// Does what `walk` does, with an index: returns matches, and what a walk would have met up to the end of the page.
    fn look_up(
        &mut self,
        ground: &Ground<'_>,
        index: &mut NameIndex,
        below: &Range<u32>,
    ) -> Result<(), CallError> {
        let Ground { tree, start, wanted, .. } = *ground;
        let asked = Asked { glob: wanted.glob.as_ref(), extension: wanted.extension.as_deref() };
        let sizes = wanted.sizes.clone();
        let (mut folders, mut beside) = (KnownFolders::new(), Beside::of(tree, &start.path, index, below)?);
        let rows = match wanted.with_stream {
            Some(_) => Vec::new(),
            None => index.find(&asked, below)?,
        };
        for row in rows.into_iter().flatten() {
            if let Some(sizes) = &sizes
                && !index.has_size(row, sizes)?
            {
                continue;
            }
            if ground.place.is_some() && !ground.is_in_place(&index.whereabouts(row, &mut folders)?.path) {
                continue;
            }
            let record = || {
                let place = index.whereabouts(row, &mut folders)?;
                let node = place.node(tree)?;
                let as_indexed = |node: &Node| {
                    node.path == place.path && node.path.is_below(&start.path) && wanted.fits(node)
                };
                let node = node.filter(as_indexed);
                let node = node.ok_or(CallError::NotAsIndexed { path: place.path })?;
                Ok(dir_entry::record(tree, &node))
            };
            if !self.page.try_take::<CallError>(record)? {
                return beside.tell_before(index, row, &mut self.defects, &mut self.gaps);
            }
        }
        beside.tell_rest(index, &mut self.defects, &mut self.gaps)?;
        if let Some(glob) = &wanted.glob {
            self.gaps.extend(links::gaps(tree, glob, index, below)?);
        }
        Ok(())
    }
}
