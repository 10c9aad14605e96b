//! The few shapes that the plots are made of, as SVG text.

use std::fmt::Write as _;

/// Font families, the first that is there.
const FONTS: &str = "DejaVu Sans, Liberation Sans, Arial, Helvetica, sans-serif";

/// A drawing of fixed size, in pixels, on white.
pub struct Drawing {
    width: f64,
    height: f64,
    body: String,
}

/// Where text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

impl Anchor {
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl Drawing {
    /// An empty drawing.
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            body: String::new(),
        }
    }

    fn shape(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a string never fails.
        let _ = self.body.write_fmt(text);
        self.body.push('\n');
    }

    /// A filled rectangle.
    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        self.shape(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{fill}"/>"#,
            width.max(0.0),
            height.max(0.0)
        ));
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        self.shape(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{stroke}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// A filled circle.
    pub fn dot(&mut self, x: f64, y: f64, radius: f64, fill: &str) {
        self.shape(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{fill}"/>"#
        ));
    }

    /// A diamond, to tell one kind of point from another without colour.
    pub fn diamond(&mut self, x: f64, y: f64, radius: f64, fill: &str) {
        self.shape(format_args!(
            r#"<path d="M{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}Z" fill="{fill}"/>"#,
            x - radius,
            y - radius,
            x + radius,
            y + radius
        ));
    }

    /// Text; `y` is its baseline.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, fill: &str, text: &str) {
        self.shape(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{}" fill="{fill}">{}</text>"#,
            anchor.name(),
            escape(text)
        ));
    }

    /// A box of a flame graph with its text cut to fit, and all of it as a tool tip.
    pub fn frame(&mut self, x: f64, y: f64, (width, height): (f64, f64), fill: &str, tip: &str) {
        let fitting = ((width - 6.0) / 6.3).max(0.0) as usize;
        let mut label: String = tip.chars().take(fitting).collect();
        if fitting < 3 {
            label.clear();
        } else if tip.chars().count() > fitting {
            label.pop();
            label.push('…');
        }
        self.shape(format_args!(
            r##"<g><title>{}</title><rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{fill}"/><text x="{:.1}" y="{:.1}" font-size="10.5" fill="#222222">{}</text></g>"##,
            escape(tip),
            (width - 0.5).max(0.2),
            height - 1.0,
            x + 3.0,
            y + height - 5.0,
            escape(&label)
        ));
    }

    /// Text turned to read upwards from its point.
    pub fn text_up(&mut self, x: f64, y: f64, size: f64, text: &str) {
        self.shape(format_args!(
            r##"<text transform="translate({x:.1} {y:.1}) rotate(-55)" font-size="{size}" fill="#222">{}</text>"##,
            escape(text)
        ));
    }

    /// The document.
    pub fn finish(self, title: &str) -> String {
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0}" height="{1:.0}" viewBox="0 0 {0:.0} {1:.0}" font-family="{FONTS}" role="img">
<title>{2}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
{3}</svg>
"##,
            self.width,
            self.height,
            escape(title),
            self.body
        )
    }
}

/// Text as XML.
pub fn escape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            c if c.is_control() => " ".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

/// A linear or logarithmic axis over positive values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Logarithmic?
    pub log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis for values between `low` and `high`, drawn between two coordinates. It is
    /// logarithmic when the values span more than a factor of 20; a linear one starts at 0.
    pub fn fitting(low: f64, high: f64, from: f64, to: f64) -> Self {
        const LINEAR_SPAN: f64 = 20.0;
        let high = if high > 0.0 { high } else { 1.0 };
        let low = if low > 0.0 { low } else { high };
        if high / low > LINEAR_SPAN {
            return Self::logarithmic(low, high, from, to);
        }
        Self {
            log: false,
            low: 0.0,
            high: high * 1.02,
            from,
            to,
        }
    }

    /// A logarithmic axis, a little wider than its values.
    pub fn logarithmic(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self {
            log: true,
            low: low * 0.8,
            high: high * 1.1,
            from,
            to,
        }
    }

    /// The coordinate of a value, kept inside the axis.
    pub fn at(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + (self.to - self.from) * part.clamp(0.0, 1.0)
    }

    /// Values to mark.
    pub fn ticks(&self) -> Vec<f64> {
        if !self.log {
            let raw = (self.high - self.low) / 5.0;
            let power = 10f64.powf(raw.log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0]
                .into_iter()
                .map(|factor| factor * power)
                .find(|step| *step >= raw)
                .unwrap_or(raw);
            return (0..=6)
                .map(|tick| self.low + step * f64::from(tick))
                .take_while(|tick| *tick <= self.high)
                .collect();
        }
        let decades = (self.low.log10().floor() as i32)..=(self.high.log10().ceil() as i32);
        let few = self.high / self.low < 300.0;
        let within: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
        decades
            .flat_map(|decade| within.iter().map(move |part| part * 10f64.powi(decade)))
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_logarithmic_where_the_span_asks_for_it() {
        let linear = Axis::fitting(10.0, 100.0, 0.0, 50.0);
        assert!(!linear.log);
        assert_eq!(linear.at(0.0), 0.0);
        let log = Axis::fitting(1.0, 10_000.0, 0.0, 50.0);
        assert!(log.log);
        assert!(log.at(100.0) > 20.0 && log.at(100.0) < 30.0);
        assert_eq!(log.at(0.0), 0.0);
        for axis in [linear, log, Axis::fitting(0.0, 0.0, 0.0, 1.0)] {
            let ticks = axis.ticks();
            assert!((2..=12).contains(&ticks.len()), "{ticks:?}");
        }
    }

    #[test]
    fn text_is_escaped() {
        let mut drawing = Drawing::new(10.0, 10.0);
        drawing.text(0.0, 0.0, 9.0, Anchor::End, "#000", "a<b & \"c\"\u{1}");
        let text = drawing.finish("<t>");
        assert!(text.contains("a&lt;b &amp; &quot;c&quot; <"), "{text}");
        assert!(text.contains("<title>&lt;t&gt;</title>"));
    }
}
