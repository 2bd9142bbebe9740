//! scratch
#![allow(clippy::all, clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, clippy::indexing_slicing)]
use evidence::*;
use sha2::{Digest, Sha256};
fn secs(t: &Option<ledger::Time>) -> String { t.as_ref().map(|t| t.raw.clone()).unwrap_or_default() }
fn times(t: &MacbTimes) -> String { format!("{},{},{},{}", secs(&t.accessed), secs(&t.modified), secs(&t.changed), secs(&t.born)) }
fn sha(tree: &ImageTree, node: &Node, s: Option<&str>) -> String {
    match tree.open(node, s) { Err(e) => format!("ERR {e}"), Ok(mut r) => {
        let mut h = Sha256::new(); let mut b = vec![0; 1<<20]; let mut at = 0;
        if r.len() > 1<<31 { return "BIG".into(); }
        loop { match r.read_at(at, &mut b) { Ok(0) => break, Ok(n) => { h.update(&b[..n]); at += n as u64; } Err(e) => return format!("ERR {e}") } }
        if at != r.len() { return format!("SHORT {at}"); }
        let d: Vec<u8> = h.finalize().to_vec(); d.iter().map(|b| format!("{b:02x}")).collect() } }
}
fn show(tree: &ImageTree, n: &Node, what: &str, hash: bool) {
    let (e, s) = match n.reference { Some(FileReference::Mft{entry,sequence}) => (entry, sequence), _ => (0,0) };
    let h = if hash && n.kind == NodeKind::File { sha(tree, n, None) } else { "-".into() };
    println!("{what}\t{}\t{e}-{s}\t{:?}\t{}\t{}\t{}\t{}\t{h}", n.path, n.kind, n.size, times(&n.times), n.name_times.as_ref().map(times).unwrap_or_default(), n.links.unwrap_or(0));
    for st in &n.streams { println!("{what}S\t{}\t{e}-{s}\t{}\t{}\t{}", n.path, st.name, st.size, if hash { sha(tree, n, Some(&st.name)) } else { "-".into() }); }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let tree = open_image(std::path::Path::new(&a[2]), "disk").unwrap();
    let root = tree.node(&EvidencePath::root()).unwrap().unwrap();
    match a[1].as_str() {
        "count" => { let t = std::time::Instant::now(); let mut n = 0; let mut o = 0; for s in walk(&tree, &root) { match s { Step::Node(x) => { n += 1; o += x.streams.len(); } _ => {} } } println!("{n} nodes {o} streams {:?}", t.elapsed());
            for v in tree.volumes() { let t = std::time::Instant::now(); let c = tree.deleted(&v.path).map(|d| d.count()).unwrap_or(0); println!("{c} deleted {:?}", t.elapsed()); } }
        "list" | "hash" => { let hash = a[1] == "hash";
            for s in walk(&tree, &root) { match s { Step::Node(x) => show(&tree, &x, "A", hash), Step::Defect(d) => println!("DEFECT\t{d:?}"), Step::Gap(g) => println!("GAP\t{g:?}") } }
            for v in tree.volumes() { if let Ok(d) = tree.deleted(&v.path) { for s in d { match s { DeletedStep::Entry(e) => {
                println!("ORIG\t{:?}\t{:?}", e.original, e.recovery); show(&tree, &e.node, "D", hash);
                let again = tree.node(&e.node.path).unwrap(); if again.as_ref() != Some(&e.node) { println!("DIFFER {:?}", again); }
                }, DeletedStep::Defect(d) => println!("DEFECT\t{d:?}"), DeletedStep::Gap(g) => println!("GAP\t{g:?}") } } } } }
        "find" => { let mut n = 0; let mut bad = 0; let nodes: Vec<_> = walk(&tree, &root).filter_map(|s| match s { Step::Node(x) => Some(x), _ => None }).collect(); let t = std::time::Instant::now();
            for x in &nodes { n += 1; match tree.node(&x.path) { Ok(Some(y)) if y == **x => {}, other => { bad += 1; println!("{:?}\n{:?}", x, other); } } } println!("{n} found {bad} bad {:?}", t.elapsed()); 
            let t = std::time::Instant::now(); let mut bad = 0; for x in &nodes { if let Some(r) = x.reference { match tree.node_at(&x.path, r) { Ok(Some(y)) if y == **x => {}, other => { bad += 1; println!("AT {:?}\n{:?}", x, other); } } } } println!("node_at bad {bad} {:?}", t.elapsed()); }
        "vol" => { for v in tree.volumes() { println!("{v:#?}"); } }
        "mft" => { for v in tree.volumes() { println!("{:#?}", tree.mft_entry(&v.path, a[3].parse().unwrap())); } }
        "mftall" => { let t = std::time::Instant::now(); for v in tree.volumes() { let mut n = 0; let mut dmg = 0; loop { match tree.mft_entry(&v.path, n) { Ok(None) => break, Ok(Some(d)) => { if !d.damage.is_empty() { println!("{} {:?}", n, d.damage); } } Err(e) => { dmg += 1; if dmg < 5 { println!("{n} {e}"); } } } n += 1; } println!("{n} entries {dmg} errors {:?}", t.elapsed()); } }
        _ => {}
    }
}
