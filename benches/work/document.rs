//! The documents on which the work is done.

#[path = "../../src/bin/setrip/random.rs"]
#[allow(unused_imports, reason = "its test is run with the tool only")]
mod random;

use super::Count;
use random::{Documents, Sizes};
use sexp_codec::{Kind, Lexeme, Syntax, blocking};

/// A document, with all that is in it made ready, so that to hand it to an encoder costs next to nothing.
#[derive(Debug)]
pub struct Document {
    pub name: String,
    pub syntax: &'static Syntax,
    pub text: Vec<u8>,
    pub count: Count,
    /// How many bytes it has when it is written.
    pub written: usize,
    kinds: Vec<Kind>,
    /// Where the bytes of each lexeme end in `values`.
    ends: Vec<u32>,
    values: Vec<u8>,
}

impl Document {
    /// # Errors
    ///
    /// Where it cannot be read in that syntax.
    pub fn new(name: &str, syntax: &'static Syntax, text: Vec<u8>) -> Result<Document, blocking::Error> {
        let (mut count, mut kinds, mut ends, mut values) = (Count::default(), Vec::new(), Vec::new(), Vec::new());
        let mut encoder = blocking::Encoder::new(Vec::new(), syntax);
        let mut decoder = blocking::Decoder::new(&text[..], syntax);
        while let Some(lexeme) = decoder.decode()? {
            count.add(lexeme.kind, lexeme.bytes.len());
            kinds.push(lexeme.kind);
            values.extend_from_slice(lexeme.bytes);
            ends.push(values.len() as u32);
            encoder.encode(lexeme).expect("what was read can be written");
        }
        encoder.finish().expect("no list is open in what was read");
        let written = encoder.into_inner().len();
        Ok(Document { name: name.to_owned(), syntax, text, count, written, kinds, ends, values })
    }

    /// Random atoms in random lists, as the program of 2012 makes them: documents until there are so many bytes.
    pub fn random(size: usize) -> Document {
        let mut documents = Documents::new(1_067_894_368, Sizes::default());
        let (mut text, mut depth, mut after_atom) = (Vec::with_capacity(size + size / 8), 0, false);
        // Written out by hand: the codec that is measured has no part in it.
        while text.len() + depth < size {
            documents.start();
            while let Some(lexeme) = documents.next()
                && text.len() + depth < size
            {
                let atom = lexeme.kind == Kind::Bare;
                if atom && after_atom {
                    text.push(b' ');
                }
                after_atom = atom;
                text.extend_from_slice(lexeme.bytes);
                match lexeme.kind {
                    Kind::Open => depth += 1,
                    Kind::Close => depth -= 1,
                    _ => {}
                }
            }
        }
        text.resize(text.len() + depth, b')');
        Document::new("random", &Syntax::SEXPLIB, text).expect("what is generated is well formed")
    }

    /// Lists of strings, words and numbers on indented lines, as programs write them.
    pub fn records(size: usize) -> Document {
        Document::written("records", &Syntax::SEXPLIB, size, |text, next| {
            let (name, x, y, pins) = (next(100_000), next(5000), next(5000), 1 + next(6));
            let mut line = |record: String| text.extend_from_slice(record.as_bytes());
            line(format!("  (part \"Device_{name}\" (in_list yes) (on_board yes)\n"));
            line(format!("    (property \"Reference\" \"U\" (id 0) (at {x}.{y:02} -{y} 0)\n      (effects (font (size 1.27 1.27))))\n"));
            line(format!("    (property \"Description\" \"A part with {pins} pins, 5\\\" apart, of many such\" (id {pins}) hide)\n"));
            for pin in 0..pins {
                line(format!("    (pin passive line (at 0 {pin}.81 270) (length 1.27) (name \"~\") (number \"{pin}\"))\n"));
            }
            line("  )\n".to_owned());
        })
    }

    /// A library of symbols of KiCad's: strings on each line, one with an escape here and there.
    pub fn library(size: usize) -> Document {
        Document::written("library", &Syntax::KICAD, size, |text, next| {
            let (name, pins) = (next(100_000), 2 + next(6));
            let mut line = |record: String| text.extend_from_slice(record.as_bytes());
            line(format!(
                "\t(symbol \"Unit_{name}\"\n\t\t(pin_names\n\t\t\t(offset 1.016)\n\t\t)\n\t\t(exclude_from_sim no)\n\t\t(in_bom yes)\n"
            ));
            for (key, value) in [("Reference", "U"), ("Value", "Unit"), ("Footprint", "Package_SO:SOIC-8"), ("Datasheet", "~")] {
                let (x, y) = (next(50), next(50));
                line(format!("\t\t(property \"{key}\" \"{value}\"\n\t\t\t(at -{x}.08 {y}.54 0)\n\t\t\t(effects\n\t\t\t\t(font\n"));
                line("\t\t\t\t\t(size 1.27 1.27)\n\t\t\t\t)\n\t\t\t\t(justify left)\n\t\t\t)\n\t\t)\n".to_owned());
            }
            if next(4) == 0 {
                line("\t\t(property \"ki_description\" \"for screws of 1/4\\\" and more\")\n".to_owned());
            }
            for pin in 0..pins {
                let y = next(50);
                line(format!(
                    "\t\t(pin passive line\n\t\t\t(at 0 -{y}.62 180)\n\t\t\t(length 2.54)\n\t\t\t(name \"IO{pin}\"\n\t\t\t\t(effects\n"
                ));
                line(format!(
                    "\t\t\t\t\t(font\n\t\t\t\t\t\t(size 1.27 1.27)\n\t\t\t\t\t)\n\t\t\t\t)\n\t\t\t)\n\t\t\t(number \"{pin}\")\n\t\t)\n"
                ));
            }
            line("\t)\n".to_owned());
        })
    }

    /// What a solver is asked: terms, a comment here and there, few strings.
    pub fn script(size: usize) -> Document {
        Document::written("script", &Syntax::SMTLIB, size, |text, next| {
            let (x, y, k) = (next(500), next(500), next(1 << 15));
            let mut line = |record: String| text.extend_from_slice(record.as_bytes());
            line(format!("(declare-fun v{x} () (_ BitVec 32))\n"));
            line(format!("(assert (= (bvadd v{x} (_ bv{k} 32)) (bvxor v{y} ((_ extract 31 0) (concat #x{k:04x} v{x})))))\n"));
            line(format!("(assert (let ((?t{x} (select memory v{y}))) (or (not (bvult ?t{x} v{x})) (= ?t{x} (_ bv0 32)))))\n"));
            match next(8) {
                0 => line(format!("; the state after step {k}\n")),
                1 => line(format!("(set-info :status |step {k}|)\n(assert (= s{x} (str.++ \"a \"\"quoted\"\" word\" \"b\")))\n")),
                _ => {}
            }
        })
    }

    /// Functions of Emacs Lisp, with doc strings, comments, prefixes and vectors.
    pub fn code(size: usize) -> Document {
        Document::written("code", &Syntax::ELISP, size, |text, next| {
            let (name, other, width) = (next(1000), next(1000), 4 + next(70));
            let mut line = |record: String| text.extend_from_slice(record.as_bytes());
            line(format!("(defun pane-{name}-update (window &optional force)\n  \"Bring what WINDOW shows up to date.\n"));
            line("Where FORCE is non-nil it is done even if nothing changed.\"\n  (interactive (list (selected-window) current-prefix-arg))\n".to_owned());
            line("  ;; Nothing is to be done for a window that is gone.\n".to_owned());
            line(format!(
                "  (when (and (window-live-p window) (or force (not (eq pane-last window))))\n    (let ((inhibit-read-only t) (width {width}))\n"
            ));
            line(format!("      (dolist (row (pane-{other}-rows window))\n        (insert (format \"%-{width}s\" (car row)) ?\\n))\n"));
            if next(3) == 0 {
                line("      (mapc #'pane-draw (reverse rows)) ; from the last to the first\n".to_owned());
            }
            line(format!(
                "      (define-key pane-map [remap kill-line] 'pane-{other}-cut)\n      (put 'pane-{name} 'state `(:width ,width . ,force)))))\n\n"
            ));
        })
    }

    /// A document of parts, each of which is written with the help of random numbers below a limit, until there are so many bytes.
    fn written(
        name: &str,
        syntax: &'static Syntax,
        size: usize,
        mut part: impl FnMut(&mut Vec<u8>, &mut dyn FnMut(u32) -> u32),
    ) -> Document {
        let (mut text, mut number) = (Vec::with_capacity(size + 1024), 1u32);
        // A generator of two lines (Numerical Recipes): the numbers only have to differ.
        let mut next = |below: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) % below
        };
        while text.len() < size {
            part(&mut text, &mut next);
        }
        Document::new(name, syntax, text).expect("what is generated is well formed")
    }

    /// The lexemes, from the first to the last.
    #[inline]
    pub fn lexemes(&self) -> impl Iterator<Item = Lexeme<'_>> {
        let (mut rest, mut start) = (&self.values[..], 0);
        self.kinds.iter().zip(&self.ends).map(move |(&kind, &end)| {
            let (bytes, after) = rest.split_at((end - start) as usize);
            (rest, start) = (after, end);
            Lexeme::new(kind, bytes)
        })
    }
}
