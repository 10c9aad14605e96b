//! Timestamps and durations as text: RFC 3339, and decimal seconds with an `s`.

/// 0001-01-01T00:00:00Z in seconds since 1970 (timestamp.proto).
const TIMESTAMP_MIN: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z.
const TIMESTAMP_MAX: i64 = 253_402_300_799;
/// 10,000 years (duration.proto).
const DURATION_MAX: i64 = 315_576_000_000;
const NANOS: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// Timestamp to text with 0, 3, 6 or 9 digits of fraction.
///
/// # Errors
/// A sentence, when it lies outside years 1 to 9999 or `nanos` outside [0, 10^9).
pub(super) fn print_timestamp(seconds: i64, nanos: i64) -> Result<String, String> {
    check_timestamp(seconds, nanos)?;
    let (year, month, day) = civil_of_days(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    Ok(format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        fraction(nanos)
    ))
}

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

/// Text to seconds and nanoseconds. RFC 3339, section 5.6, with `T` and `Z` in upper case, at
/// most nine digits of fraction and no leap second.
///
/// # Errors
/// A sentence.
pub(super) fn parse_timestamp(text: &str) -> Result<(i64, i64), String> {
    let wrong = || format!("{text:?} is not an RFC 3339 timestamp");
    let mut rest = text.as_bytes();
    let year = number(&mut rest, 4).ok_or_else(wrong)?;
    mark(&mut rest, b'-').ok_or_else(wrong)?;
    let month = number(&mut rest, 2).ok_or_else(wrong)?;
    mark(&mut rest, b'-').ok_or_else(wrong)?;
    let day = number(&mut rest, 2).ok_or_else(wrong)?;
    mark(&mut rest, b'T').ok_or_else(wrong)?;
    let hour = number(&mut rest, 2).ok_or_else(wrong)?;
    mark(&mut rest, b':').ok_or_else(wrong)?;
    let minute = number(&mut rest, 2).ok_or_else(wrong)?;
    mark(&mut rest, b':').ok_or_else(wrong)?;
    let second = number(&mut rest, 2).ok_or_else(wrong)?;
    let nanos = parse_fraction(&mut rest).ok_or_else(wrong)?;
    let offset = match rest {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), tail @ ..] => {
            let mut tail = tail;
            let hours = number(&mut tail, 2).ok_or_else(wrong)?;
            mark(&mut tail, b':').ok_or_else(wrong)?;
            let minutes = number(&mut tail, 2).ok_or_else(wrong)?;
            if !tail.is_empty() || hours > 23 || minutes > 59 {
                return Err(wrong());
            }
            let offset = hours * 3600 + minutes * 60;
            if *sign == b'+' { offset } else { -offset }
        }
        _ => return Err(wrong()),
    };
    let in_range = (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !in_range {
        return Err(wrong());
    }
    let seconds = days_of_civil(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
    let seconds = seconds - offset;
    check_timestamp(seconds, nanos)?;
    Ok((seconds, nanos))
}

/// Duration to text with 0, 3, 6 or 9 digits of fraction. The sign stands in front also where
/// the seconds are zero.
///
/// # Errors
/// A sentence, when out of range or `seconds` and `nanos` differ in sign.
pub(super) fn print_duration(seconds: i64, nanos: i64) -> Result<String, String> {
    if !(-DURATION_MAX..=DURATION_MAX).contains(&seconds) {
        return Err(format!(
            "duration of {seconds} s is outside 10,000 years either way"
        ));
    }
    if !(-NANOS < nanos && nanos < NANOS) {
        return Err(format!("duration has nanos {nanos}, not below 10^9"));
    }
    if seconds.signum() * nanos.signum() < 0 {
        return Err(format!(
            "duration has seconds {seconds} and nanos {nanos} of different sign"
        ));
    }
    let sign = if seconds < 0 || nanos < 0 { "-" } else { "" };
    Ok(format!("{sign}{}{}s", seconds.abs(), fraction(nanos.abs())))
}

/// Text such as `-1.5s` to seconds and nanoseconds of the same sign.
///
/// # Errors
/// A sentence.
pub(super) fn parse_duration(text: &str) -> Result<(i64, i64), String> {
    let wrong = || format!("{text:?} is not a duration such as \"1.5s\"");
    let mut rest = text.as_bytes();
    let negative = mark(&mut rest, b'-').is_some();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 1 && rest[0] == b'0' {
        return Err(wrong());
    }
    if digits > 12 {
        return Err(format!("duration {text:?} is out of range"));
    }
    let seconds = number(&mut rest, digits.max(1)).ok_or_else(wrong)?;
    let nanos = parse_fraction(&mut rest).ok_or_else(wrong)?;
    if rest != b"s" {
        return Err(wrong());
    }
    if seconds > DURATION_MAX {
        return Err(format!("duration {text:?} is out of range"));
    }
    Ok(if negative {
        (-seconds, -nanos)
    } else {
        (seconds, nanos)
    })
}

/// Nothing, or a point and as many groups of three digits as it takes.
fn fraction(nanos: i64) -> String {
    if nanos == 0 {
        String::new()
    } else if nanos % 1_000_000 == 0 {
        format!(".{:03}", nanos / 1_000_000)
    } else if nanos % 1000 == 0 {
        format!(".{:06}", nanos / 1000)
    } else {
        format!(".{nanos:09}")
    }
}

fn parse_fraction(rest: &mut &[u8]) -> Option<i64> {
    if mark(rest, b'.').is_none() {
        return Some(0);
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    Some(number(rest, digits)? * 10i64.pow(9 - digits as u32))
}

/// Exactly `count` digits; at most 12.
fn number(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (digits, tail) = rest.split_at_checked(count)?;
    let mut value = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    *rest = tail;
    Some(value)
}

fn mark(rest: &mut &[u8], byte: u8) -> Option<()> {
    let (first, tail) = rest.split_first()?;
    if *first != byte {
        return None;
    }
    *rest = tail;
    Some(())
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days before the first of `month`, counting months from March so that February's length does
/// not matter.
fn days_before_month(month: i64) -> i64 {
    (153 * ((month + 9) % 12) + 2) / 5
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days_of_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + leap_days + days_before_month(month) + day - 1 - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    // The estimate by the mean year is off by at most one.
    let mut year = days.div_euclid(146_097) * 400 + days.rem_euclid(146_097) * 400 / 146_097;
    let start =
        |year: i64| year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    while start(year) > days {
        year -= 1;
    }
    while start(year + 1) <= days {
        year += 1;
    }
    let day_of_year = days - start(year);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let month = (month_from_march + 2) % 12 + 1;
    let day = day_of_year - days_before_month(month) + 1;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years_round_trips() {
        let first = TIMESTAMP_MIN.div_euclid(DAY);
        let last = TIMESTAMP_MAX.div_euclid(DAY);
        let mut previous = civil_of_days(first - 1);
        for days in first..=last {
            let (year, month, day) = civil_of_days(days);
            assert_eq!(days_of_civil(year, month, day), days);
            let follows = (year, month, day) == (previous.0, previous.1, previous.2 + 1)
                || (day == 1 && previous.2 == days_in_month(previous.0, previous.1));
            assert!(follows, "{year}-{month}-{day} behind {previous:?}");
            previous = (year, month, day);
        }
        assert_eq!(civil_of_days(0), (1970, 1, 1));
        assert_eq!(civil_of_days(first), (1, 1, 1));
        assert_eq!(civil_of_days(last), (9999, 12, 31));
    }

    #[test]
    fn timestamps() {
        for (text, seconds, nanos) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("0001-01-01T00:00:00Z", TIMESTAMP_MIN, 0),
            ("9999-12-31T23:59:59.999999999Z", TIMESTAMP_MAX, 999_999_999),
            ("1969-12-31T23:59:59.500Z", -1, 500_000_000),
            ("2000-02-29T12:00:00.000001Z", 951_825_600, 1000),
        ] {
            assert_eq!(parse_timestamp(text), Ok((seconds, nanos)), "{text}");
            assert_eq!(print_timestamp(seconds, nanos).unwrap(), text);
        }
        assert_eq!(
            parse_timestamp("1970-01-01T01:30:00.1+01:30"),
            Ok((0, 100_000_000))
        );
        assert_eq!(parse_timestamp("1969-12-31T23:00:00-01:00"), Ok((0, 0)));
        for wrong in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01t00:00:00Z",
            "1970-01-01T00:00:00z",
            "1970-01-01 00:00:00Z",
            "1970-1-01T00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-02-29T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:60:00Z",
            "1970-01-01T00:00:60Z",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00.1234567890Z",
            "1970-01-01T00:00:00+0100",
            "1970-01-01T00:00:00+24:00",
            "0000-12-31T00:00:00Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "1970-01-01T00:00:00Z ",
            " 1970-01-01T00:00:00Z",
            "1970-00-01T00:00:00Z",
            "1970-01-00T00:00:00Z",
            "10000-01-01T00:00:00Z",
            "1970-01-01T00:00:00,5Z",
            "1970-01-01T00:00Z",
            "+970-01-01T00:00:00Z",
        ] {
            assert!(parse_timestamp(wrong).is_err(), "{wrong}");
        }
        assert!(print_timestamp(TIMESTAMP_MAX + 1, 0).is_err());
        assert!(print_timestamp(TIMESTAMP_MIN - 1, 0).is_err());
        assert!(print_timestamp(0, -1).is_err());
        assert!(print_timestamp(0, NANOS).is_err());
    }

    #[test]
    fn durations() {
        for (text, seconds, nanos) in [
            ("0s", 0, 0),
            ("-0.500s", 0, -500_000_000),
            ("1.000340012s", 1, 340_012),
            ("-315576000000.999999999s", -DURATION_MAX, -999_999_999),
            ("3s", 3, 0),
        ] {
            assert_eq!(parse_duration(text), Ok((seconds, nanos)), "{text}");
            assert_eq!(print_duration(seconds, nanos).unwrap(), text);
        }
        assert_eq!(parse_duration("1.5s"), Ok((1, 500_000_000)));
        for wrong in [
            "",
            "s",
            "1",
            "1.s",
            ".5s",
            "+1s",
            "1 s",
            "--1s",
            "-s",
            "1e3s",
            "01s",
            "1.0000000000s",
            "315576000001s",
            "-315576000001s",
            "9999999999999999999999s",
            "1S",
            "1ss",
            " 1s",
            "1.-5s",
        ] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        assert!(print_duration(1, -1).is_err());
        assert!(print_duration(-1, 1).is_err());
        assert!(print_duration(DURATION_MAX + 1, 0).is_err());
        assert!(print_duration(0, NANOS).is_err());
        assert!(print_duration(0, i64::MIN).is_err());
    }
}
