//! Compiles `native/memory.c` for the one target that needs it.

#[expect(clippy::disallowed_methods, reason = "cargo tells build scripts of the target by variables")]
fn main() {
    println!("cargo::rerun-if-changed=native/memory.c");
    let target = |field: &str| std::env::var(format!("CARGO_CFG_TARGET_{field}")).unwrap_or_default();
    if target("ENV") == "musl" && target("ARCH") == "x86_64" {
        // Without these flags, the compiler would recognise what these functions do and turn their loops into calls to themselves.
        let itself = ["-ffreestanding", "-fno-builtin", "-fno-tree-loop-distribute-patterns"];
        let mut build = cc::Build::new();
        for flag in itself {
            build.flag_if_supported(flag);
        }
        build.file("native/memory.c").opt_level(2).compile("memory");
    }
}
