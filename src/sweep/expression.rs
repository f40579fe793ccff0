//! Arithmetic expressions with variables: `0.15 - $width / 2`.

use std::collections::BTreeMap;

/// Result of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub value: f64,
    /// Whether it is an integer: the last operation was rounding.
    pub whole: bool,
}

/// Limit on nested parentheses and signs, since the stack is finite.
const DEEPEST: usize = 64;

/// Evaluates an expression.
///
/// # Errors
/// The fault, in words.
pub(super) fn evaluate(text: &str, variables: &BTreeMap<&str, f64>) -> Result<Number, String> {
    let mut reader = Reader {
        text,
        at: 0,
        deep: 0,
        variables,
    };
    let found = reader.sum()?;
    reader.skip();
    match reader.text[reader.at..].chars().next() {
        None if found.value.is_finite() => Ok(found),
        None => Err(format!("its value is {}", found.value)),
        Some(c) => Err(format!("`{c}` does not belong here")),
    }
}

/// Returns the variables that an expression names, without their `$`.
pub(super) fn variables(text: &str) -> Vec<&str> {
    let pieces = text.split('$').skip(1);
    pieces.map(|piece| &piece[..word_length(piece)]).collect()
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    deep: usize,
    variables: &'a BTreeMap<&'a str, f64>,
}

fn plain(value: f64) -> Number {
    Number {
        value,
        whole: false,
    }
}

impl Reader<'_> {
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        let there = self.text[self.at..].starts_with(wanted);
        if there {
            self.at += wanted.len_utf8();
        }
        there
    }

    fn sum(&mut self) -> Result<Number, String> {
        let mut left = self.product()?;
        loop {
            if self.take('+') {
                left = plain(left.value + self.product()?.value);
            } else if self.take('-') {
                left = plain(left.value - self.product()?.value);
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Result<Number, String> {
        let mut left = self.signed()?;
        loop {
            if self.take('*') {
                left = plain(left.value * self.signed()?.value);
            } else if self.take('/') {
                left = plain(left.value / self.signed()?.value);
            } else {
                return Ok(left);
            }
        }
    }

    fn signed(&mut self) -> Result<Number, String> {
        self.deep += 1;
        if self.deep > DEEPEST {
            return Err("it is nested too deeply".into());
        }
        let found = if self.take('-') {
            plain(-self.signed()?.value)
        } else {
            self.power()?
        };
        self.deep -= 1;
        Ok(found)
    }

    fn power(&mut self) -> Result<Number, String> {
        let base = self.atom()?;
        if self.take('^') {
            let exponent = self.signed()?;
            return Ok(plain(libm::pow(base.value, exponent.value)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Number, String> {
        if self.take('(') {
            let inner = self.sum()?;
            return match self.take(')') {
                true => Ok(inner),
                false => Err("a `)` is missing".into()),
            };
        }
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return Err("it ends where a number should be".into());
        };
        if let Some(word) = rest.strip_prefix('$') {
            let name = &word[..word_length(word)];
            self.at += 1 + name.len();
            let value = self.variables.get(name).copied();
            return value
                .map(plain)
                .ok_or_else(|| format!("there is no variable `${name}`"));
        }
        if first.is_ascii_digit() || first == '.' {
            let length = number_length(rest);
            let digits = &rest[..length];
            self.at += length;
            return digits
                .replace('_', "")
                .parse()
                .map(plain)
                .map_err(|_| format!("`{digits}` is not a number"));
        }
        if first.is_ascii_alphabetic() {
            let name = &rest[..word_length(rest)];
            self.at += name.len();
            return self.call(name);
        }
        Err(format!("`{first}` does not belong here"))
    }

    fn call(&mut self, name: &str) -> Result<Number, String> {
        if name == "pi" {
            return Ok(plain(std::f64::consts::PI));
        }
        if !self.take('(') {
            return Err(format!(
                "`{name}` is neither a function nor `pi`; a variable begins with `$`"
            ));
        }
        let mut given = vec![self.sum()?.value];
        while self.take(',') {
            given.push(self.sum()?.value);
        }
        if !self.take(')') {
            return Err("a `)` is missing".into());
        }
        let whole = |value: f64| Number { value, whole: true };
        Ok(match (name, given.as_slice()) {
            ("sqrt", [x]) => plain(x.sqrt()),
            ("exp", [x]) => plain(libm::exp(*x)),
            ("ln", [x]) => plain(libm::log(*x)),
            ("sin", [x]) => plain(libm::sin(*x)),
            ("cos", [x]) => plain(libm::cos(*x)),
            ("tan", [x]) => plain(libm::tan(*x)),
            ("abs", [x]) => plain(x.abs()),
            ("min", [x, y]) => plain(x.min(*y)),
            ("max", [x, y]) => plain(x.max(*y)),
            ("round", [x]) => whole(x.round()),
            ("floor", [x]) => whole(x.floor()),
            ("ceil", [x]) => whole(x.ceil()),
            _ => {
                return Err(format!(
                    "there is no function `{name}` of {} number{}",
                    given.len(),
                    if given.len() == 1 { "" } else { "s" }
                ));
            }
        })
    }
}

/// Returns the length of the number at the beginning of a text.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(c) = bytes.get(end) {
        let sign = matches!(c, b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E');
        if !(c.is_ascii_digit() || matches!(c, b'.' | b'_' | b'e' | b'E') || sign) {
            break;
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reckons_as_on_paper() {
        let variables = BTreeMap::from([("w", 0.08), ("n", 3.0)]);
        let value = |text: &str| evaluate(text, &variables).map(|n| n.value);
        for (text, wanted) in [
            ("0.15 - $w / 2", 0.15 - 0.04),
            ("2 * ($n + 1) - 3", 5.0),
            ("8 - 4 - 2", 2.0),
            ("8 / 4 / 2", 1.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("2 ^ -1", 0.5),
            ("1e-3*1_000", 1.0),
            ("1.5e+1", 15.0),
            ("max($n, 7) + min(1, 2)", 8.0),
            ("sqrt(16) - abs(-4)", 0.0),
            ("cos(2 * pi)", 1.0),
            ("1 - -1", 2.0),
        ] {
            assert_eq!(value(text), Ok(wanted), "{text}");
        }
        assert!(evaluate("round(2.4)", &variables).unwrap().whole);
        assert!(!evaluate("round(2.4) * 1.5", &variables).unwrap().whole);
        assert_eq!(super::variables("$a + sin($b2)/$a"), ["a", "b2", "a"]);
    }

    #[test]
    fn says_what_is_wrong() {
        let none = BTreeMap::new();
        let deep = "(".repeat(100_000);
        for (text, message) in [
            ("", "it ends where a number should be"),
            ("1 +", "it ends where a number should be"),
            ("1 2", "`2` does not belong here"),
            ("$x", "there is no variable `$x`"),
            (
                "width",
                "`width` is neither a function nor `pi`; a variable begins with `$`",
            ),
            ("(1", "a `)` is missing"),
            ("root(2)", "there is no function `root` of 1 number"),
            ("sqrt(1, 2)", "there is no function `sqrt` of 2 numbers"),
            ("1 / 0", "its value is inf"),
            ("1.2.3", "`1.2.3` is not a number"),
            ("\u{b5}", "`\u{b5}` does not belong here"),
            (&deep, "it is nested too deeply"),
        ] {
            assert_eq!(evaluate(text, &none).unwrap_err(), message);
        }
    }
}
