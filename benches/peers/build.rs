//! Looks for sfsexp, which is written in C. Without it all goes on, only that it is missing in the table.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_sfsexp)");
    println!("cargo::rerun-if-changed=src/sfsexp.c");
    let Ok(library) = pkg_config::Config::new().cargo_metadata(false).probe("sfsexp") else { return };
    let client = cc::Build::new().file("src/sfsexp.c").includes(&library.include_paths).try_compile("sfsexp_client");
    if client.is_err() {
        return;
    }
    // After the client, which needs it: linkers look at libraries in that order.
    for path in &library.link_paths {
        println!("cargo::rustc-link-search=native={}", path.display());
    }
    for name in &library.libs {
        println!("cargo::rustc-link-lib={name}");
    }
    println!("cargo::rustc-cfg=has_sfsexp");
}
