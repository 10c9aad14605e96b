use std::fmt;

/// A step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A field by name.
    Field(String),
    /// A field that the schema does not have, by number.
    Unknown(u32),
    /// An element by position.
    Index(usize),
    /// A map entry by its key, as text.
    Key(String),
}

/// Where a value lies: `images[0].title`, `employees["a"].name`. The root is the empty path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    /// Steps from the root.
    pub segments: Vec<Segment>,
}

impl Path {
    /// True for the root.
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Field(name) if i == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Unknown(number) => write!(f, "#{number}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, "[{key:?}]")?,
            }
        }
        Ok(())
    }
}
