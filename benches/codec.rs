//! The codec by the clock: every way to drive it, on generated documents and on real ones.
//!
//! `SEXP_CORPUS=DIR cargo bench --bench codec` takes the two largest files of that directory too. The report has the lexemes and the bytes a
//! second.

mod work;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sexp_codec::Syntax;
use std::time::Duration;
use std::{env, fs, io, path::Path};
use work::Work;
use work::document::Document;

/// The size of the generated documents.
const SIZE: usize = 1 << 20;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data");

fn codec(criterion: &mut Criterion) {
    let mut documents = vec![Document::random(SIZE), Document::records(SIZE)];
    for name in ["base.dune-package", "sexplib.dune-package"] {
        let sample = fs::read(Path::new(SAMPLES).join(name)).expect("the sample is there");
        documents.push(Document::new(name, &Syntax::SEXPLIB, sample).expect("the sample is well formed"));
    }
    if let Some(directory) = env::var_os("SEXP_CORPUS") {
        documents.extend(real(Path::new(&directory)).unwrap_or_else(|error| panic!("{}: {error}", directory.display())));
    }
    for document in &documents {
        let mut group = criterion.benchmark_group(&document.name);
        group.throughput(Throughput::ElementsAndBytes { elements: document.count.lexemes, bytes: document.text.len() as u64 });
        group.sample_size(20).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(2));
        for (name, work) in Work::ALL {
            assert_eq!(work.run(document), work.expected(document), "{name} of {}", document.name);
            group.bench_function(name, |bencher| bencher.iter(|| work.run(document)));
        }
        group.finish();
    }
}

/// The two largest files, those left out that cannot be read as what OCaml's libraries read.
fn real(directory: &Path) -> io::Result<Vec<Document>> {
    let mut files = fs::read_dir(directory)?
        .map(|entry| entry.and_then(|entry| Ok((entry.metadata()?, entry.path()))))
        .filter(|entry| entry.as_ref().is_ok_and(|(metadata, _)| metadata.is_file()))
        .collect::<io::Result<Vec<_>>>()?;
    files.sort_by_key(|(metadata, _)| std::cmp::Reverse(metadata.len()));
    let mut documents = Vec::new();
    for (_, path) in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match Document::new(&name, &Syntax::SEXPLIB, fs::read(&path)?) {
            Ok(document) => documents.push(document),
            Err(error) => eprintln!("{}: {error}", path.display()),
        }
        if documents.len() == 2 {
            break;
        }
    }
    Ok(documents)
}

criterion_group!(benches, codec);
criterion_main!(benches);
