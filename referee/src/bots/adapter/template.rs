//! Texts with placeholders, such as `{column}{row}`.

use crate::io::suggest::unknown;

/// A text with placeholders in braces. `{{` and `}}` stand for single braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTemplate(Vec<TemplatePart>);

/// A piece of a [`TextTemplate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text that stays as it is.
    Text(String),
    /// The name of a placeholder.
    Slot(String),
}

impl TextTemplate {
    /// Parses a text whose placeholders are among `allowed`.
    pub fn parse(text: &str, allowed: &[&str]) -> Result<TextTemplate, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from_brace) = rest.split_at(at);
            plain.push_str(before);
            let doubled = ["{{", "}}"].into_iter().find(|pair| from_brace.starts_with(pair));
            if let Some(pair) = doubled {
                plain.push_str(&pair[1..]);
                rest = &from_brace[2..];
                continue;
            }
            let inside = from_brace
                .strip_prefix('{')
                .and_then(|inside| inside.split_once('}'));
            let Some((name, after)) = inside else {
                return Err(format!(
                    "`{text}` has a single brace; `{{{{` and `}}}}` stand for braces as they are"
                ));
            };
            check(name, allowed)?;
            if !plain.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
            }
            parts.push(TemplatePart::Slot(name.to_string()));
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Ok(TextTemplate(parts))
    }

    /// Placeholders without text between them.
    pub fn of_slots<const N: usize>(names: [&str; N]) -> TextTemplate {
        TextTemplate(names.map(|name| TemplatePart::Slot(name.to_string())).into())
    }

    /// The pieces.
    pub fn parts(&self) -> &[TemplatePart] {
        &self.0
    }

    /// Whether a placeholder occurs.
    pub fn has(&self, name: &str) -> bool {
        self.slots().any(|slot| slot == name)
    }

    /// The placeholders in their order.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            TemplatePart::Slot(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
    }

    /// The text with the values of its placeholders.
    pub fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let texts = self.0.iter().map(|part| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Slot(name) => value(name),
        });
        texts.collect()
    }
}

/// Checks the name of a placeholder.
pub fn check(name: &str, allowed: &[&str]) -> Result<(), String> {
    if allowed.contains(&name) {
        return Ok(());
    }
    Err(unknown("placeholder", name, allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, String> {
        let template = TextTemplate::parse(text, &["row", "column"])?;
        Ok(template.fill(|name| format!("<{name}>")))
    }

    #[test]
    fn fills_placeholders_and_keeps_doubled_braces() {
        for (text, expected) in [
            ("", ""),
            ("1", "1"),
            ("{column}{row}", "<column><row>"),
            ("({row}, {column})", "(<row>, <column>)"),
            ("{{{row}}}", "{<row>}"),
            ("ä{{}}ö", "ä{}ö"),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn rejects_unknown_placeholders_and_single_braces() {
        assert_eq!(
            filled("{rwo}").unwrap_err(),
            "unknown placeholder `rwo`; did you mean `row`? The placeholders are row, column"
        );
        for text in ["{", "}", "{row", "a}b", "{row}}"] {
            let error = filled(text).unwrap_err();
            assert_eq!(
                error,
                format!("`{text}` has a single brace; `{{{{` and `}}}}` stand for braces as they are")
            );
        }
    }
}
