//! Timestamps (RFC 3339) and durations (decimal seconds with an `s`).

use super::string;
use crate::{Error, In};

/// 0001-01-01T00:00:00Z in seconds since 1970 (timestamp.proto).
const TIMESTAMP_MIN: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z.
const TIMESTAMP_MAX: i64 = 253_402_300_799;
/// 10,000 years (duration.proto).
const DURATION_MAX: i64 = 315_576_000_000;
const NANOS: i64 = 1_000_000_000;
const DAY: i64 = 86_400;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Longest timestamp in bytes.
pub(super) const LONGEST: usize = "0001-01-01T00:00:00.000000000Z".len();

fn check_timestamp(seconds: i64, nanos: i64) -> Result<(), String> {
    if !(TIMESTAMP_MIN..=TIMESTAMP_MAX).contains(&seconds) {
        return Err(format!(
            "timestamp of {seconds} s is outside the years 1 to 9999"
        ));
    }
    if !(0..NANOS).contains(&nanos) {
        return Err(format!("timestamp has nanos {nanos}, not in [0, 10^9)"));
    }
    Ok(())
}

/// Text with 0, 3, 6 or 9 digits of fraction, in the array's first bytes.
pub(super) fn print_timestamp(seconds: i64, nanos: i32) -> Result<([u8; LONGEST], usize), String> {
    check_timestamp(seconds, nanos.into())?;
    let (year, month, day) = civil_of_days(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let mut text = *b"0001-01-01T00:00:00.000000000Z";
    put(&mut text[0..4], year as u32);
    put(&mut text[5..7], month as u32);
    put(&mut text[8..10], day as u32);
    put(&mut text[11..13], (second / 3600) as u32);
    put(&mut text[14..16], (second / 60 % 60) as u32);
    put(&mut text[17..19], (second % 60) as u32);
    let nanos = nanos as u32;
    let len = match fraction_digits(nanos) {
        0 => 19,
        digits => {
            put(
                &mut text[20..20 + digits],
                nanos / 10u32.pow(9 - digits as u32),
            );
            20 + digits
        }
    };
    text[len] = b'Z';
    Ok((text, len + 1))
}

fn put(digits: &mut [u8], mut value: u32) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

fn fraction_digits(nanos: u32) -> usize {
    if nanos == 0 {
        0
    } else if nanos.is_multiple_of(1_000_000) {
        3
    } else if nanos.is_multiple_of(1000) {
        6
    } else {
        9
    }
}

/// Text with 0, 3, 6 or 9 digits of fraction; the sign stands in front also of zero seconds.
pub(super) fn print_duration(seconds: i64, nanos: i32) -> Result<String, String> {
    if !(-DURATION_MAX..=DURATION_MAX).contains(&seconds) {
        return Err(format!(
            "duration of {seconds} s is outside 10,000 years either way"
        ));
    }
    if i64::from(nanos.unsigned_abs()) >= NANOS {
        return Err(format!("duration has nanos {nanos}, not below 10^9"));
    }
    if seconds.signum() * i64::from(nanos.signum()) < 0 {
        return Err(format!(
            "duration has seconds {seconds} and nanos {nanos} of different sign"
        ));
    }
    let sign = if seconds < 0 || nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    let fraction = match fraction_digits(nanos) {
        0 => String::new(),
        digits => format!(".{:0digits$}", nanos / 10u32.pow(9 - digits as u32)),
    };
    Ok(format!("{sign}{}{fraction}s", seconds.unsigned_abs()))
}

/// Takes text apart from its front.
struct Parts<'t>(&'t [u8]);

impl Parts<'_> {
    /// Exactly `count` digits, at most 12.
    fn number(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.iter().try_fold(0, |value, digit| {
            digit
                .is_ascii_digit()
                .then(|| value * 10 + i64::from(digit - b'0'))
        })
    }

    fn mark(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    fn digits(&self) -> usize {
        self.0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    }

    /// Nothing, or a point and one to nine digits, as nanoseconds.
    fn fraction(&mut self) -> Option<i64> {
        if self.mark(b'.').is_none() {
            return Some(0);
        }
        let digits = self.digits();
        if !(1..=9).contains(&digits) {
            return None;
        }
        Some(self.number(digits)? * 10i64.pow(9 - digits as u32))
    }

    /// RFC 3339, section 5.6, with `T` and `Z` in upper case and no leap second: seconds since
    /// 1970 and nanoseconds.
    fn timestamp(&mut self) -> Option<(i64, i64)> {
        let year = self.number(4)?;
        self.mark(b'-')?;
        let month = self.number(2)?;
        self.mark(b'-')?;
        let day = self.number(2)?;
        self.mark(b'T')?;
        let hour = self.number(2)?;
        self.mark(b':')?;
        let minute = self.number(2)?;
        self.mark(b':')?;
        let second = self.number(2)?;
        let nanos = self.fraction()?;
        let offset = match self.0 {
            b"Z" => 0,
            [sign @ (b'+' | b'-'), ..] => {
                let sign = if *sign == b'+' { 1 } else { -1 };
                self.0 = &self.0[1..];
                let hours = self.number(2)?;
                self.mark(b':')?;
                let minutes = self.number(2)?;
                if !self.0.is_empty() || hours > 23 || minutes > 59 {
                    return None;
                }
                sign * (hours * 3600 + minutes * 60)
            }
            _ => return None,
        };
        let right = (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        let seconds = days_of_civil(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
        right.then_some((seconds - offset, nanos))
    }

    /// Text such as `-1.5s`: seconds and nanoseconds of one sign.
    fn duration(&mut self) -> Option<(i64, i64)> {
        let negative = self.mark(b'-').is_some();
        let digits = self.digits();
        if digits > 12 || (digits > 1 && self.0[0] == b'0') {
            return None;
        }
        let seconds = self.number(digits.max(1))?;
        let nanos = self.fraction()?;
        if self.0 != b"s" || seconds > DURATION_MAX {
            return None;
        }
        Some(if negative {
            (-seconds, -nanos)
        } else {
            (seconds, nanos)
        })
    }
}

/// A Timestamp's seconds and nanoseconds.
///
/// # Errors
/// When no string comes next, or one that is no timestamp of the years 1 to 9999.
#[inline]
pub fn read_timestamp(input: &mut In<'_>) -> Result<(i64, i32), Error> {
    let raw = string::raw(input)?;
    let text = raw.text()?;
    let wrong = |sentence: String| Error::malformed(raw.start, sentence);
    let read = Parts(text.as_bytes()).timestamp();
    let (seconds, nanos) =
        read.ok_or_else(|| wrong(format!("{:?} is not an RFC 3339 timestamp", shown(&text))))?;
    check_timestamp(seconds, nanos).map_err(wrong)?;
    Ok((seconds, nanos as i32))
}

/// A Duration's seconds and nanoseconds.
///
/// # Errors
/// When no string comes next, or one that is no duration of at most 10,000 years.
pub fn read_duration(input: &mut In<'_>) -> Result<(i64, i32), Error> {
    let raw = string::raw(input)?;
    let text = raw.text()?;
    let read = Parts(text.as_bytes()).duration();
    let (seconds, nanos) = read.ok_or_else(|| {
        let sentence = format!(
            "{:?} is not a duration such as \"1.5s\", or out of range",
            shown(&text)
        );
        Error::malformed(raw.start, sentence)
    })?;
    Ok((seconds, nanos as i32))
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days before the first of `month` in a year that begins with March.
fn days_before_month(month: i64) -> i64 {
    (153 * ((month + 9) % 12) + 2) / 5
}

/// Days before a year that begins with March, since 0000-03-01.
fn days_before_year(year: i64) -> i64 {
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400)
}

fn days_of_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    days_before_year(year) + days_before_month(month) + day - 1 - EPOCH
}

fn civil_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    // By the mean year of 146,097 days in 400 years; off by at most one.
    let mut year = (days * 400).div_euclid(146_097);
    if days_before_year(year) > days {
        year -= 1;
    } else if days_before_year(year + 1) <= days {
        year += 1;
    }
    let day_of_year = days - days_before_year(year);
    let month = ((5 * day_of_year + 2) / 153 + 2) % 12 + 1;
    let day = day_of_year - days_before_month(month) + 1;
    (year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years_round_trips() {
        let (first, last) = (TIMESTAMP_MIN.div_euclid(DAY), TIMESTAMP_MAX.div_euclid(DAY));
        assert_eq!(civil_of_days(first), (1, 1, 1));
        assert_eq!(civil_of_days(0), (1970, 1, 1));
        assert_eq!(civil_of_days(last), (9999, 12, 31));
        // Miri is a thousand times slower.
        let step = if cfg!(miri) { 9973 } else { 1 };
        for days in (first..=last).step_by(step) {
            let (year, month, day) = civil_of_days(days);
            assert!((1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day));
            assert_eq!(days_of_civil(year, month, day), days);
        }
    }
}
