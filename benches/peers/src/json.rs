//! Neighbours: readers of JSON, on the same data. It is larger: each atom has quotes, and there are commas.

use crate::{CHUNK, Count, Document, Failure, Job, Outcome, Run, read, skip};
use actson::feeder::PushJsonFeeder;
use actson::{JsonEvent, JsonParser};
use jiter::{Jiter, Peek};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use simd_json::Node;
use sonic_rs::{JsonContainerTrait, JsonValueTrait};
use std::fmt;

pub const RUNS: &[Run] = &[
    Run { job: Job::ReadJson, name: "jiter, events", run: jiter },
    Run { job: Job::ReadJson, name: "actson, pushed events", run: actson },
    Run { job: Job::ReadJson, name: "serde_json, visitor", run: serde_json },
    Run { job: Job::ReadJson, name: "serde_json, skip", run: serde_json_skip },
    Run { job: Job::ReadJson, name: "serde_json, tree", run: serde_json_tree },
    Run { job: Job::ReadJson, name: "sonic-rs, visitor", run: sonic_rs },
    Run { job: Job::ReadJson, name: "sonic-rs, skip", run: sonic_rs_skip },
    Run { job: Job::ReadJson, name: "sonic-rs, tree", run: sonic_rs_tree },
    Run { job: Job::ReadJson, name: "simd-json, tape", run: simd_json },
];

/// Reads, and leaves the outermost array out of the account.
fn read_json(document: &Document, reader: impl FnOnce(&mut Count) -> Result<(), Failure>) -> Result<Outcome, Failure> {
    read(document.json.len(), || {
        let mut count = Count::default();
        reader(&mut count)?;
        count.lexemes -= 2;
        count.lists -= 1;
        count.bytes -= 2;
        Ok(count)
    })
}

fn jiter(document: &Document) -> Result<Outcome, Failure> {
    fn walk(jiter: &mut Jiter<'_>, peek: Peek, count: &mut Count) -> Result<(), jiter::JiterError> {
        if peek == Peek::String {
            count.atom(jiter.known_str()?.len());
            return Ok(());
        }
        count.open();
        let mut next = jiter.known_array()?;
        while let Some(peek) = next {
            walk(jiter, peek, count)?;
            next = jiter.array_step()?;
        }
        count.close();
        Ok(())
    }
    read_json(document, |count| {
        let mut jiter = Jiter::new(document.json.as_bytes());
        let peek = jiter.peek()?;
        walk(&mut jiter, peek, count)?;
        Ok(jiter.finish()?)
    })
}

fn actson(document: &Document) -> Result<Outcome, Failure> {
    read_json(document, |count| {
        let mut parser = JsonParser::new(PushJsonFeeder::new());
        let mut chunks = document.json.as_bytes().chunks(CHUNK);
        let mut chunk = &[][..];
        while let Some(event) = parser.next_event()? {
            match event {
                JsonEvent::NeedMoreInput => {
                    if chunk.is_empty() {
                        match chunks.next() {
                            Some(next) => chunk = next,
                            None => parser.feeder.done(),
                        }
                    }
                    let pushed = parser.feeder.push_bytes(chunk);
                    chunk = &chunk[pushed..];
                }
                JsonEvent::ValueString => count.atom(parser.current_str()?.len()),
                JsonEvent::StartArray => count.open(),
                _ => count.close(),
            }
        }
        Ok(())
    })
}

fn serde_json(document: &Document) -> Result<Outcome, Failure> {
    read_json(document, |count| {
        let mut json = serde_json::Deserializer::from_slice(document.json.as_bytes());
        Events(count).deserialize(&mut json)?;
        Ok(json.end()?)
    })
}

fn serde_json_skip(document: &Document) -> Result<Outcome, Failure> {
    skip(document.json.len(), || {
        serde_json::from_slice::<IgnoredAny>(document.json.as_bytes())?;
        Ok(())
    })
}

fn serde_json_tree(document: &Document) -> Result<Outcome, Failure> {
    fn walk(value: &serde_json::Value, count: &mut Count) {
        match value {
            serde_json::Value::Array(list) => {
                count.open();
                list.iter().for_each(|value| walk(value, count));
                count.close();
            }
            value => count.atom(value.as_str().map_or(0, str::len)),
        }
    }
    read_json(document, |count| {
        walk(&serde_json::from_slice(document.json.as_bytes())?, count);
        Ok(())
    })
}

fn sonic_rs(document: &Document) -> Result<Outcome, Failure> {
    read_json(document, |count| {
        let mut json = sonic_rs::Deserializer::from_slice(document.json.as_bytes());
        Events(count).deserialize(&mut json)?;
        Ok(json.end()?)
    })
}

fn sonic_rs_skip(document: &Document) -> Result<Outcome, Failure> {
    skip(document.json.len(), || {
        sonic_rs::from_slice::<IgnoredAny>(document.json.as_bytes())?;
        Ok(())
    })
}

fn sonic_rs_tree(document: &Document) -> Result<Outcome, Failure> {
    fn walk(value: &sonic_rs::Value, count: &mut Count) {
        match value.as_array() {
            Some(list) => {
                count.open();
                list.iter().for_each(|value| walk(value, count));
                count.close();
            }
            None => count.atom(value.as_str().map_or(0, str::len)),
        }
    }
    read_json(document, |count| {
        walk(&sonic_rs::from_slice(document.json.as_bytes())?, count);
        Ok(())
    })
}

/// It decodes in place: what it is given is a copy, made before the clock starts.
fn simd_json(document: &Document) -> Result<Outcome, Failure> {
    let mut json = document.json.clone().into_bytes();
    read_json(document, |count| {
        for node in simd_json::to_tape(&mut json)?.0 {
            match node {
                Node::String(text) => count.atom(text.len()),
                // The tape tells of the end of an array in advance.
                _ => {
                    count.open();
                    count.close();
                }
            }
        }
        Ok(())
    })
}

/// Counts what serde's drivers hand over.
struct Events<'c>(&'c mut Count);

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or a string")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.open();
        while list.next_element_seed(Events(self.0))?.is_some() {}
        self.0.close();
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.atom(text.len());
        Ok(())
    }
}
