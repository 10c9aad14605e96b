use std::fmt;

/// Why a message has no form in a format: a value out of the format's range, or too much of it.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodeError(Box<(&'static str, String)>);

impl EncodeError {
    /// The value of `field`, a full name (empty for the message as a whole), has no form;
    /// `reason` is a sentence.
    #[cold]
    pub fn new(field: &'static str, reason: impl Into<String>) -> Self {
        Self(Box::new((field, reason.into())))
    }

    /// Full name of the field, as `package.Message.field`; empty for the message as a whole.
    pub fn field(&self) -> &'static str {
        self.0.0
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.0.is_empty() {
            write!(f, "field {}: ", self.0.0)?;
        }
        f.write_str(&self.0.1)
    }
}

impl fmt::Debug for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for EncodeError {}
