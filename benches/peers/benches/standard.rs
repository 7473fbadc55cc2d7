//! The same runs under criterion, on a smaller document: to compare one build with the next.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use peers::{Document, runs};

const SIZE: usize = 4 << 20;

fn standard(criterion: &mut Criterion) {
    let document = Document::random(Some(SIZE));
    for run in runs() {
        let mut group = criterion.benchmark_group(format!("{:?}", run.job));
        group.throughput(Throughput::Elements(document.count.lexemes)).sample_size(10);
        let turn = || (run.run)(&document).unwrap_or_else(|error| panic!("{}: {error}", run.name)).time;
        group.bench_function(run.name, |bencher| bencher.iter_custom(|turns| (0..turns).map(|_| turn()).sum()));
        group.finish();
    }
}

criterion_group!(benches, standard);
criterion_main!(benches);
