//! The naive deframer: it sees the whole stream at once, keeps no state, and takes nothing from the crate but its types.

use super::{Piece, push};
use sexp_codec::Options;
use sexp_codec::framing::{Error, ErrorKind, Framing};

/// A stream, and how far it is read.
struct Stream<'a> {
    input: &'a [u8],
    at: usize,
    limit: usize,
    pieces: Vec<Piece>,
    /// How much of the payload was told.
    size: usize,
    octets: bool,
}

/// All that there is to be said of a stream.
pub fn deframe(framing: &Framing, options: Options, input: &[u8]) -> Vec<Piece> {
    let limit = options.frame.map_or(usize::MAX, |limit| limit as usize);
    let mut stream = Stream { input, at: 0, limit, pieces: Vec::new(), size: 0, octets: false };
    match framing.name() {
        "forms" if input.is_empty() => {}
        "forms" => stream.pieces.push(Piece::Payload(input.to_vec())),
        "swank" => stream.counted(false),
        "idris" => stream.counted(true),
        "lines" => stream.terminated(b'\n', true, b"", true),
        "nul" => stream.terminated(0, false, b"", false),
        "serapi" => stream.terminated(b'\n', false, b"byte-length: ", true),
        "assuan" => stream.data_lines(),
        "festival" => stream.tagged(),
        other => panic!("no framing {other}"),
    }
    stream.pieces.push(Piece::End);
    stream.pieces
}

impl<'a> Stream<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.input[self.at..]
    }

    fn error(&mut self, kind: ErrorKind, offset: usize) {
        self.pieces.push(Piece::Error(Error { kind, offset: offset as u64, payload: None, opened: None }));
    }

    /// Tells payload; false if that is beyond the limit.
    fn tell(&mut self, bytes: &[u8]) -> bool {
        let told = &bytes[..bytes.len().min(self.limit - self.size)];
        self.size += told.len();
        if !told.is_empty() {
            push(&mut self.pieces, if self.octets { Piece::Octets(told.to_vec()) } else { Piece::Payload(told.to_vec()) });
        }
        told.len() == bytes.len()
    }

    fn end_frame(&mut self) {
        self.pieces.push(Piece::EndOfFrame);
        (self.size, self.octets) = (0, false);
    }

    /// The rest of the line without its end, and whether it has one. Passes both.
    fn line(&mut self, end: u8) -> (&'a [u8], bool) {
        let rest = self.rest();
        let length = rest.iter().position(|byte| *byte == end);
        self.at += length.map_or(rest.len(), |length| length + 1);
        (&rest[..length.unwrap_or(rest.len())], length.is_some())
    }

    fn counted(&mut self, idris: bool) {
        while !self.rest().is_empty() {
            let (start, rest) = (self.at, self.rest());
            let header = &rest[..rest.len().min(6)];
            let is_hex = |byte: &u8| byte.is_ascii_hexdigit();
            if idris && !(header.len() == 6 && header.iter().all(is_hex)) {
                self.plain_line(b'\n', false, true, start);
                continue;
            }
            if header.len() < 6 {
                return self.error(ErrorKind::Truncated, start);
            }
            let text = if idris { header } else { header.trim_ascii() };
            let text = if idris { text } else { text.strip_prefix(b"+").unwrap_or(text) };
            let length = std::str::from_utf8(text).ok().filter(|_| !text.is_empty() && text.iter().all(is_hex));
            let Some(length) = length.map(|text| usize::from_str_radix(text, 16).unwrap()) else {
                self.error(ErrorKind::Header, start);
                // The next six digits in a row, wherever they are.
                let next = (1..rest.len()).find(|&i| rest.get(i..i + 6).is_some_and(|six| six.iter().all(is_hex)));
                match next {
                    Some(next) => self.at += next,
                    None => return,
                }
                continue;
            };
            self.at += 6;
            let there = self.rest().len().min(length);
            match length {
                _ if length > self.limit => {
                    self.error(ErrorKind::FrameTooLarge, start);
                    self.at += there;
                }
                0 if !idris => self.error(ErrorKind::EmptyFrame, start),
                0 => {}
                _ => {
                    self.tell(&self.input[self.at..self.at + there]);
                    self.at += there;
                    if there < length {
                        return self.error(ErrorKind::Truncated, start);
                    }
                    self.end_frame();
                }
            }
        }
    }

    /// A payload that is a line.
    fn plain_line(&mut self, end: u8, returns: bool, skip: bool, start: usize) {
        let (line, ended) = self.line(end);
        let line = if returns && ended { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        if !self.tell(line) {
            self.size = 0;
            return self.error(ErrorKind::FrameTooLarge, start);
        }
        if !(skip && line.is_empty()) {
            self.end_frame();
        }
    }

    fn terminated(&mut self, end: u8, returns: bool, header: &[u8], skip: bool) {
        while !self.rest().is_empty() {
            let start = self.at;
            let Some(rest) = self.rest().strip_prefix(header).filter(|_| !header.is_empty()) else {
                let begins = header.iter().zip(self.rest()).take_while(|(a, b)| a == b).count();
                // What might have been a header is told at once.
                if begins > self.limit {
                    self.line(end);
                    self.error(ErrorKind::FrameTooLarge, start);
                    continue;
                }
                self.plain_line(end, returns, skip, start);
                continue;
            };
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = std::str::from_utf8(&rest[..digits]).unwrap();
            self.at += header.len() + digits;
            // As many digits as make a number that is too large.
            if let Some(many) = (1..=digits).find(|many| number[..*many].parse::<u64>().is_err()) {
                self.at -= digits - many;
                self.error(ErrorKind::Header, start);
                self.line(end);
                continue;
            }
            if self.rest().is_empty() {
                return self.error(ErrorKind::Truncated, start);
            }
            let length = number.parse::<u64>().unwrap_or(0);
            if self.rest()[0] != b'\n' || length == 0 {
                self.error(ErrorKind::Header, start);
                self.line(end);
                continue;
            }
            self.at += 1;
            let there = usize::try_from(length - 1).unwrap_or(usize::MAX).min(self.rest().len());
            if length - 1 > self.limit as u64 {
                self.error(ErrorKind::FrameTooLarge, start);
                self.at = (self.at + there + 1).min(self.input.len());
                continue;
            }
            self.tell(&self.input[self.at..self.at + there]);
            self.at += there;
            match self.rest().first() {
                None => return self.error(ErrorKind::Truncated, start),
                Some(byte) if *byte == end => {
                    self.at += 1;
                    if length > 1 || !skip {
                        self.end_frame();
                    }
                }
                Some(_) => {
                    self.size = 0;
                    self.error(ErrorKind::Terminator, start);
                    self.line(end);
                }
            }
        }
    }

    fn data_lines(&mut self) {
        let (mut start, mut begun, mut lost) = (0, false, false);
        while !self.rest().is_empty() {
            let at = self.at;
            if !begun {
                start = at;
            }
            let (line, ended) = self.line(b'\n');
            let text = if ended { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
            let Some(data) = line.strip_prefix(b"D ") else {
                if text.len() > 1_001 || text.len() == 1_001 && (ended || line[1_000] != b'\r') {
                    self.error(ErrorKind::LineTooLong, at);
                    (lost, self.size) = (begun, 0);
                    continue;
                }
                if !ended {
                    begun = true;
                    break;
                }
                let word = text.split(|byte| *byte == b' ').next().unwrap();
                if [&b"OK"[..], b"ERR", b"END", b"CAN"].contains(&word) {
                    if begun && !lost {
                        self.end_frame();
                    }
                    (begun, lost, self.size) = (false, false, 0);
                }
                if !text.is_empty() {
                    self.pieces.push(Piece::Line(text.to_vec()));
                }
                continue;
            };
            begun = true;
            let data = if ended { data.strip_suffix(b"\r").unwrap_or(data) } else { data };
            match self.data(data, lost, ended) {
                Ok(()) => {}
                Err(Some(kind)) => {
                    self.error(kind, start);
                    lost = true;
                }
                Err(None) => {}
            }
        }
        if begun && !lost {
            self.error(ErrorKind::Truncated, start);
        }
    }

    /// The data of a line.
    fn data(&mut self, data: &[u8], lost: bool, ended: bool) -> Result<(), Option<ErrorKind>> {
        let (mut at, mut length) = (0, 2);
        while at < data.len() {
            let (byte, takes) = match data[at] {
                b'%' => {
                    let digit = |at: usize| data.get(at).map(|byte| (*byte as char).to_digit(16));
                    match (digit(at + 1), digit(at + 2)) {
                        (Some(None), _) | (Some(Some(_)), Some(None)) => return Err(Some(ErrorKind::Escape)),
                        // The line is over in the escape.
                        (None, _) | (_, None) if ended => return Err(Some(ErrorKind::Escape)),
                        (Some(Some(high)), Some(Some(low))) => ((high << 4 | low) as u8, 3),
                        _ => return Err(None),
                    }
                }
                // Whether it belongs to the end of the line is not known.
                b'\r' if at + 1 == data.len() && !ended => return Err(None),
                byte => (byte, 1),
            };
            let (line_full, frame_full) = (length + takes > 1_000, !lost && self.size == self.limit);
            if line_full || frame_full {
                let large = frame_full && length < 1_000;
                return Err(Some(if large { ErrorKind::FrameTooLarge } else { ErrorKind::LineTooLong }));
            }
            if !lost {
                self.tell(&[byte]);
            }
            at += takes;
            length += takes;
        }
        Ok(())
    }

    fn tagged(&mut self) {
        const KEY: &[u8] = b"ft_StUfF_key";
        while !self.rest().is_empty() {
            let start = self.at;
            let (tag, ended) = self.line(b'\n');
            if !ended && tag.len() <= 2 {
                return self.error(ErrorKind::Truncated, start);
            }
            if ![&b"LP"[..], b"WV", b"OK", b"ER"].contains(&tag) {
                self.error(ErrorKind::Tag, start);
                continue;
            }
            self.pieces.push(Piece::Line(tag.to_vec()));
            if tag == b"OK" || tag == b"ER" {
                continue;
            }
            self.octets = tag == b"WV";
            let mut lost = false;
            loop {
                let rest = self.rest();
                if rest.starts_with(KEY) {
                    self.at += KEY.len();
                    if !lost {
                        self.end_frame();
                    }
                    (self.size, self.octets) = (0, false);
                    break;
                }
                // What may still become a key is not told.
                if rest.len() < KEY.len() && KEY.starts_with(rest) {
                    self.at = self.input.len();
                    if !lost {
                        self.error(ErrorKind::Truncated, start);
                    }
                    return;
                }
                let stuffed = rest.starts_with(b"ft_StUfF_keX");
                let (text, takes) = if stuffed { (&rest[..11], 12) } else { (&rest[..1], 1) };
                self.at += takes;
                if !lost && !self.tell(text) {
                    self.error(ErrorKind::FrameTooLarge, start);
                    lost = true;
                }
            }
        }
    }
}
