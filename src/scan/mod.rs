//! Finds the next interesting byte, fast. It knows no dialect: what the bytes mean is handed to it.

pub(crate) mod classes;
mod index;

pub(crate) use index::{Index, Record};
