//! As much of HTTP/1.1 as one browser needs: a request with bounded headers and a bounded body, and a response that closes the connection.

use std::io::{BufRead, BufReader, Read, Write};

/// Bytes of the first line and the headers, at most.
const MOST_HEAD: u64 = 16 << 10;
/// Headers, at most.
const MOST_HEADERS: usize = 64;
/// Bytes of a body, at most.
pub(crate) const MOST_BODY: u64 = 1 << 20;

/// What a browser asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path without the query, as it was sent.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    pub(crate) form: Vec<(String, String)>,
}

/// Why a request is not read further: the status and nothing else, so that no word of it comes back.
pub(crate) type Refused = u16;

impl Request {
    /// Reads one request.
    pub(crate) fn read(stream: impl Read) -> Result<Self, Refused> {
        let mut reader = BufReader::new(stream).take(MOST_HEAD);
        let mut line = || -> Result<String, Refused> {
            let mut bytes = Vec::new();
            reader.read_until(b'\n', &mut bytes).map_err(|_| 408_u16)?;
            if bytes.last() != Some(&b'\n') {
                return Err(if reader.limit() == 0 { 431 } else { 400 });
            }
            let text = String::from_utf8(bytes).map_err(|_| 400_u16)?;
            Ok(text.trim_end_matches(['\r', '\n']).to_owned())
        };
        let first = line()?;
        let mut words = first.split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let (Some(method), Some(target), Some(version)) = (method, target, version) else { return Err(400) };
        if words.next().is_some() || !version.starts_with("HTTP/1.") || !target.starts_with('/') {
            return Err(400);
        }
        let mut headers: Vec<(String, String)> = Vec::new();
        loop {
            let text = line()?;
            if text.is_empty() {
                break;
            }
            let (name, value) = text.split_once(':').ok_or(400_u16)?;
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
            if headers.len() > MOST_HEADERS {
                return Err(431);
            }
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: pairs(query).ok_or(400_u16)?,
            headers,
            form: Vec::new(),
        };
        if request.header("transfer-encoding").is_some() || request.all("host").count() != 1 {
            return Err(400);
        }
        let length = match request.header("content-length") {
            Some(length) => length.parse::<u64>().map_err(|_| 400_u16)?,
            None => 0,
        };
        if length > MOST_BODY {
            return Err(413);
        }
        reader.set_limit(length);
        let mut body = Vec::new();
        reader.read_to_end(&mut body).map_err(|_| 408_u16)?;
        if body.len() as u64 != length {
            return Err(400);
        }
        request.form = pairs(&String::from_utf8(body).map_err(|_| 400_u16)?).ok_or(400_u16)?;
        Ok(request)
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A header that is there once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// A cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.all("cookie").flat_map(|line| line.split(';'));
        cookies
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// A field of the query.
    pub(crate) fn asked(&self, name: &str) -> &str {
        value(&self.query, name)
    }

    /// A field of the form.
    pub(crate) fn field(&self, name: &str) -> &str {
        value(&self.form, name)
    }
}

fn value<'a>(pairs: &'a [(String, String)], name: &str) -> &'a str {
    pairs.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str())
}

/// Pairs of a query or a form; none where a byte is not what it should be.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let part = |text: &str| decoded(&text.replace('+', " "));
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((part(name)?, part(value)?))
        })
        .collect()
}

/// Percent-decoded text; none of broken or foreign bytes, and of a NUL.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (16 * digit(rest.next())? + digit(rest.next())?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// What goes back.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    kind: &'static str,
    body: Vec<u8>,
    extra: Vec<(&'static str, String)>,
    policy: &'static str,
}

/// Nothing is loaded from elsewhere, nothing runs but the own script, no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/// A report brings its styles with it, runs no script, and is shown within the workbench's own pages.
const REPORT_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

impl Response {
    fn new(status: u16, kind: &'static str, body: Vec<u8>) -> Self {
        Self { status, kind, body, extra: Vec::new(), policy: POLICY }
    }

    /// A page.
    pub(crate) fn page(text: String) -> Self {
        Self::new(200, "text/html; charset=utf-8", text.into_bytes())
    }

    /// A report, for a frame.
    pub(crate) fn report(text: Vec<u8>) -> Self {
        Self { policy: REPORT_POLICY, ..Self::new(200, "text/html; charset=utf-8", text) }
    }

    /// Text of another kind.
    pub(crate) fn text(kind: &'static str, text: String) -> Self {
        Self::new(200, kind, text.into_bytes())
    }

    /// A status with nothing but its number.
    pub(crate) fn status(status: u16) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{status}\n").into_bytes())
    }

    /// On to another page.
    pub(crate) fn to(path: &str) -> Self {
        Self::status(303).with("Location", path.to_owned())
    }

    /// With another header. Line ends are left out, so that no value becomes a header.
    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        self.extra.push((name, value.replace(['\r', '\n'], "")));
        self
    }

    /// Writes it all. The policy on referrers is not `no-referrer`: browsers then send `Origin: null` with our own forms, which is what a stranger sends.
    pub(crate) fn write(&self, mut stream: impl Write) -> std::io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} .\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nContent-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: same-origin\r\nCache-Control: no-store\r\nCross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             X-Frame-Options: {}\r\n",
            self.status,
            self.kind,
            self.body.len(),
            self.policy,
            if self.policy == POLICY { "DENY" } else { "SAMEORIGIN" },
        );
        for (name, value) in &self.extra {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, Refused> {
        Request::read(text.as_bytes())
    }

    #[test]
    fn a_request_is_read_with_its_query_cookies_and_form() {
        let text = "POST /job?project=a%20b HTTP/1.1\r\nHost: x\r\nCookie: one=1; session=abc\r\nContent-Length: 11\r\n\r\nname=a+b%21";
        let request = read(text).unwrap();
        assert_eq!(
            (request.method.as_str(), request.path.as_str(), request.asked("project")),
            ("POST", "/job", "a b")
        );
        assert_eq!((request.cookie("session"), request.field("name")), (Some("abc"), "a b!"));
    }

    #[test]
    fn what_is_no_request_is_refused_with_a_number() {
        let refused = |text: &str| read(text).unwrap_err();
        assert_eq!(refused("nonsense\r\n\r\n"), 400);
        assert_eq!(refused("GET http://elsewhere/ HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
        assert_eq!(refused("GET /?a=%zz HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(refused("GET /?a=%00 HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n"), 413);
        assert_eq!(refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(20_000))), 431);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(100))), 431);
    }
}
