//! Parses amounts of money, decimal dollars, exactly.

use ledger::{MicroDollars, Prices};

/// The most digits in a fraction: amounts are exact to a millionth of a dollar.
const FRACTION: usize = 6;

/// Reads dollars such as `3`, `0.30` or `12.5`.
pub(crate) fn dollars(text: &str) -> Result<MicroDollars, String> {
    let wrong = || format!("expected US dollars such as 3 or 0.25, to a millionth, found {text:?}");
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || fraction.len() > FRACTION {
        return Err(wrong());
    }
    let digits = format!("{whole}{fraction:0<FRACTION$}");
    digits.parse().map(MicroDollars).map_err(|_| wrong())
}

/// Reads the prices of a million tokens: input, output, input read from a cache, input written to a cache.
pub(crate) fn prices(text: &str) -> Result<Prices, String> {
    let each: Vec<MicroDollars> =
        text.split(',').map(|price| dollars(price.trim())).collect::<Result<_, _>>()?;
    let (input, output, cached, cache_written) = match *each {
        [input, output] => (input, output, input, input),
        [input, output, cached] => (input, output, cached, input),
        [input, output, cached, written] => (input, output, cached, written),
        _ => return Err(format!("expected INPUT,OUTPUT[,CACHED[,WRITTEN]], found {text:?}")),
    };
    Ok(Prices { input, cached, cache_written, output })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_to_the_millionth_and_no_further() {
        let good =
            [("3", 3_000_000), ("0.3", 300_000), ("12.000001", 12_000_001), ("0", 0), ("07.50", 7_500_000)];
        for (text, micro) in good {
            assert_eq!(dollars(text), Ok(MicroDollars(micro)), "{text}");
        }
        for text in ["", ".5", "1.", "-1", "+1", "1e3", "0.0000001", "1,5", "$3", "\u{661}", "18446744073710"]
        {
            assert!(dollars(text).is_err(), "{text}");
        }
    }

    #[test]
    fn prices_that_are_left_out_are_those_of_input() {
        let of =
            |text| prices(text).map(|it| [it.input, it.output, it.cached, it.cache_written].map(|it| it.0));
        assert_eq!(of("3,15"), Ok([3_000_000, 15_000_000, 3_000_000, 3_000_000]));
        assert_eq!(of("3, 15, 0.30"), Ok([3_000_000, 15_000_000, 300_000, 3_000_000]));
        assert_eq!(of("3,15,0.30,3.75"), Ok([3_000_000, 15_000_000, 300_000, 3_750_000]));
        assert!(["3", "3,15,1,1,1", "3;15", "", "a,b"].iter().all(|text| of(text).is_err()));
    }
}
