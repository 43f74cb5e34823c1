//! Markup that cannot be broken by what it shows: the one place where text is escaped, for HTML and for SVG.
//!
//! A [`Tag`] takes names as `&'static str` and everything else as text, which it escapes; it closes itself. What comes out is
//! well-formed XML, which HTML accepts.

use std::fmt::{Display, Write};

/// Finished markup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup(String);

/// An element that is being written.
#[derive(Clone, Debug)]
pub struct Tag {
    name: &'static str,
    attributes: String,
    content: String,
}

/// A new element.
pub fn tag(name: &'static str) -> Tag {
    Tag { name, attributes: String::new(), content: String::new() }
}

impl Tag {
    /// With an attribute.
    pub fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.attributes.push(' ');
        self.attributes.push_str(name);
        self.attributes.push_str("=\"");
        escape(&mut self.attributes, value);
        self.attributes.push('"');
        self
    }

    /// With some text after what it holds.
    pub fn text(mut self, text: impl Display) -> Self {
        escape(&mut self.content, text);
        self
    }

    /// With a sentence in which what stands between backticks is a name or something to type, as in the texts of the terminal.
    pub fn prose(self, text: impl Display) -> Self {
        let text = text.to_string();
        if text.matches('`').count() % 2 == 1 {
            return self.text(text);
        }
        text.split('`').enumerate().fold(self, |all, (at, part)| match at % 2 {
            0 => all.text(part),
            _ => all.add(tag("code").text(part)),
        })
    }

    /// With another element after what it holds.
    #[expect(clippy::should_implement_trait, reason = "a child is added to an element, which is no sum")]
    pub fn add(mut self, child: impl Into<Markup>) -> Self {
        self.content.push_str(&child.into().0);
        self
    }

    /// With several others after what it holds.
    pub fn all(self, children: impl IntoIterator<Item = impl Into<Markup>>) -> Self {
        children.into_iter().fold(self, Self::add)
    }

    /// A script or style of our own, whose content is not escaped because browsers do not unescape it.
    pub fn source(mut self, source: &'static str) -> Self {
        self.content.push_str(source);
        self
    }

    /// Data for our script. No `<` is left in it, so that no value can end the element.
    pub fn json(mut self, data: &serde_json::Value) -> Self {
        self.content.push_str(&data.to_string().replace('<', "\\u003c").replace('&', "\\u0026"));
        self
    }
}

impl Markup {
    /// The text of the markup.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Whether anything in it can be followed.
    pub fn has_links(&self) -> bool {
        self.0.contains("<a ")
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends an element.
    pub fn push(&mut self, next: impl Into<Self>) {
        self.0.push_str(&next.into().0);
    }
}

impl From<Tag> for Markup {
    fn from(Tag { name, attributes, content }: Tag) -> Self {
        Self(match name {
            "meta" | "br" | "input" | "link" => format!("<{name}{attributes}/>"),
            _ => format!("<{name}{attributes}>{content}</{name}>"),
        })
    }
}

impl<T: Into<Markup>> FromIterator<T> for Markup {
    fn from_iter<I: IntoIterator<Item = T>>(parts: I) -> Self {
        let mut all = Self::default();
        parts.into_iter().for_each(|part| all.push(part));
        all
    }
}

impl<T: Into<Markup>> From<Option<T>> for Markup {
    fn from(part: Option<T>) -> Self {
        part.map_or_else(Self::default, Into::into)
    }
}

/// Appends text; what XML cannot hold becomes a replacement character.
fn escape(out: &mut String, text: impl Display) {
    struct Escaping<'a>(&'a mut String);
    impl Write for Escaping<'_> {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            for character in text.chars() {
                match character {
                    '&' => self.0.push_str("&amp;"),
                    '<' => self.0.push_str("&lt;"),
                    '>' => self.0.push_str("&gt;"),
                    '"' => self.0.push_str("&quot;"),
                    '\'' => self.0.push_str("&#39;"),
                    '\t' | '\n' | '\r' => self.0.push(character),
                    control if control.is_control() || matches!(control, '\u{fffe}' | '\u{ffff}') => {
                        self.0.push('\u{fffd}');
                    }
                    other => self.0.push(other),
                }
            }
            Ok(())
        }
    }
    let written = write!(Escaping(out), "{text}");
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_backticks_are_code_and_stay_escaped() {
        let shown = |text: &str| Markup::from(tag("p").prose(text)).into_string();
        assert_eq!(shown("rule `ts`: a < b"), "<p>rule <code>ts</code>: a &lt; b</p>");
        assert_eq!(shown("`<b>`, `c`"), "<p><code>&lt;b&gt;</code>, <code>c</code></p>");
        assert_eq!(shown("it`s <one>"), "<p>it`s &lt;one&gt;</p>");
    }

    #[test]
    fn no_text_breaks_out_of_its_element() {
        let hostile = "</p><script>alert(1)</script> & \"quoted\" 'too'\u{0}";
        let markup = Markup::from(tag("p").with("title", hostile).text(hostile)).into_string();
        let escaped =
            "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quoted&quot; &#39;too&#39;\u{fffd}";
        assert_eq!(markup, format!("<p title=\"{escaped}\">{escaped}</p>"));
        let data = tag("script").json(&serde_json::json!(["</script><b>&"]));
        assert_eq!(
            Markup::from(data).into_string(),
            "<script>[\"\\u003c/script>\\u003cb>\\u0026\"]</script>"
        );
    }

    #[test]
    fn elements_nest_and_void_ones_close_themselves() {
        let list = tag("ul").all(["a", "b"].map(|item| tag("li").text(item))).add(None::<Tag>);
        assert_eq!(Markup::from(list).into_string(), "<ul><li>a</li><li>b</li></ul>");
        assert_eq!(
            Markup::from(tag("meta").with("charset", "utf-8")).into_string(),
            "<meta charset=\"utf-8\"/>"
        );
    }
}
