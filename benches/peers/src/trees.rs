//! Readers of s-expressions that build a tree. It is walked, and dropped before the clock stops.

use crate::{Count, Document, Failure, Job, Outcome, Run, read};
use lexpr::Value;

pub const RUNS: &[Run] = &[
    Run { job: Job::Read, name: "lexpr, tree", run: lexpr },
    Run { job: Job::Read, name: "rsexp, tree", run: rsexp },
    Run { job: Job::Read, name: "sexp, tree", run: sexp },
];

fn lexpr(document: &Document) -> Result<Outcome, Failure> {
    fn walk(value: &Value, count: &mut Count) {
        match value {
            Value::Cons(list) => {
                count.open();
                for value in list.list_iter() {
                    walk(value, count);
                }
                count.close();
            }
            Value::Null => {
                count.open();
                count.close();
            }
            Value::Symbol(text) | Value::String(text) | Value::Keyword(text) => count.atom(text.len()),
            _ => count.atom(0),
        }
    }
    read(document.text.len(), || {
        let mut count = Count::default();
        let mut parser = lexpr::Parser::from_str(&document.text);
        while let Some(value) = parser.next_value()? {
            walk(&value, &mut count);
        }
        Ok(count)
    })
}

fn rsexp(document: &Document) -> Result<Outcome, Failure> {
    fn walk(tree: &rsexp::Sexp, count: &mut Count) {
        match tree {
            rsexp::Sexp::Atom(atom) => count.atom(atom.len()),
            rsexp::Sexp::List(list) => {
                count.open();
                list.iter().for_each(|tree| walk(tree, count));
                count.close();
            }
        }
    }
    read(document.text.len(), || {
        let mut count = Count::default();
        let mut rest = document.text.as_bytes();
        while !rest.is_empty() {
            let (after, tree) = rsexp::from_slice_allow_remaining(rest).map_err(|error| format!("{error:?}"))?;
            walk(&tree, &mut count);
            rest = after;
        }
        Ok(count)
    })
}

/// It reads one form.
fn sexp(document: &Document) -> Result<Outcome, Failure> {
    fn walk(tree: &sexp::Sexp, count: &mut Count) {
        match tree {
            sexp::Sexp::Atom(sexp::Atom::S(text)) => count.atom(text.len()),
            // Numbers. In a generated document these are `inf` and `nan`.
            sexp::Sexp::Atom(_) => count.atom(3),
            sexp::Sexp::List(list) => {
                count.open();
                list.iter().for_each(|tree| walk(tree, count));
                count.close();
            }
        }
    }
    read(document.text.len(), || {
        let mut count = Count::default();
        for form in &document.forms {
            let tree = sexp::parse(&document.text[form.clone()])?;
            walk(&tree, &mut count);
        }
        Ok(count)
    })
}
