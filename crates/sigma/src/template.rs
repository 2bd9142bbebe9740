//! Templates for fields of rules: text with field names of a record in it.

/// A way to write a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Unchanged.
    Plain,
    /// A path of the evidence, as Windows writes it.
    Dos,
    /// The path of a value in a hive, as Sysmon names registry keys.
    Hive,
    /// A kernel registry key (`\REGISTRY\MACHINE\…`), as Sysmon names it.
    Registry,
    /// The data of a value, as Sysmon writes it.
    Details,
}

/// A part of a template.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Field(String),
}

/// The template of a field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) style: Style,
    pub(crate) parts: Vec<Part>,
}

const STYLES: [(&str, Style); 4] = [
    ("dos:", Style::Dos),
    ("hive:", Style::Hive),
    ("registry:", Style::Registry),
    ("details:", Style::Details),
];

impl Template {
    /// Reads a template; `None` if a brace is not closed.
    pub(crate) fn read(text: &str) -> Option<Template> {
        let styled = STYLES.iter().find_map(|(prefix, style)| Some((*style, text.strip_prefix(prefix)?)));
        let (style, mut rest) = styled.unwrap_or((Style::Plain, text));
        let mut parts = Vec::new();
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}')?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Field(name.to_owned()));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        (!parts.is_empty()).then_some(Template { style, parts })
    }

    /// Returns the field name if the template is only one field, unchanged.
    pub(crate) fn alone(&self) -> Option<&str> {
        match (self.style, self.parts.as_slice()) {
            (Style::Plain, [Part::Field(name)]) => Some(name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_text_and_fields() {
        let read = Template::read(r"dos:\{name}");
        let parts = vec![Part::Text("\\".to_owned()), Part::Field("name".to_owned())];
        assert_eq!(read, Some(Template { style: Style::Dos, parts }));
        assert_eq!(
            Template::read("{Image}").and_then(|it| it.alone().map(str::to_owned)),
            Some("Image".to_owned())
        );
        assert_eq!(Template::read("{Image"), None);
    }
}
