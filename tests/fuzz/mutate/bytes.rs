//! Mutations of files as bytes.

use super::dice::Dice;

/// What is put into files where numbers are expected.
pub const TOKENS: [&str; 42] = [
    "NA",
    "NaN",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "Infinity",
    "null",
    ".",
    "N/A",
    "",
    " ",
    "-",
    "1e400",
    "-1e400",
    "1e308",
    "-1e308",
    "1e-320",
    "-0",
    "0",
    "-1",
    "1e17",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "123456789012345678901234567890",
    "2004-03-01",
    "2004-03-01T12:00:00Z",
    "12:30",
    "TRUE",
    "false",
    "0x1F",
    "1,5",
    "1 000",
    "\"",
    "\"2004\"",
    "''",
    "\u{1b}[31mred",
    "\u{7}\u{8}",
    "ü",
    "2004.5",
];

/// Flips, cuts, copies and insertions, at the positions that the dice give.
pub fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let n = bytes.len();
    let at = dice.below(n + 1);
    match dice.below(11) {
        0 | 1 if n > 0 => bytes[at.min(n - 1)] ^= 1 << dice.below(8),
        2 if n > 0 => bytes[at.min(n - 1)] = dice.byte(),
        3 => bytes.truncate(at),
        4 => {
            let end = (at + dice.between(1, 40)).min(n);
            bytes.drain(at.min(end)..end);
        }
        5 => {
            let end = (at + dice.between(1, 60)).min(n);
            let copy = bytes[at.min(end)..end].to_vec();
            insert(bytes, dice.below(n + 1), &copy);
        }
        6 => insert(bytes, at, dice.pick(&TOKENS).as_bytes()),
        7 => {
            insert(bytes, at, dice.pick(&[&[0][..], b"\xff\xfe", b"\xc3", b"\x1b[2J", b"\x9b31m"]));
        }
        8 => insert(bytes, 0, dice.pick(&[b"\xef\xbb\xbf", b"\n\n\n", b"#,\n"])),
        9 => {
            let lines = bytes.split(|b| *b == b'\n').collect::<Vec<_>>();
            *bytes = lines.join(*dice.pick(&[&&b"\r\n"[..], &&b"\r"[..], &&b"\n\n"[..]]));
        }
        _ => insert(bytes, at, dice.pick(&[&b","[..], b"\n", b"\"", b";", b"\r\n", b"\t"])),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}
