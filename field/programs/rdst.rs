//! Radix sorts of numbers of several widths.
mod random;
use rdst::RadixSort;

fn main() {
    let mut wide: Vec<u64> = random::numbers(8_000_000).collect();
    let mut narrow: Vec<u32> = wide.iter().map(|&n| n as u32).collect();
    let mut skewed: Vec<u64> = wide.iter().map(|n| n >> (n & 31)).collect();
    wide.radix_sort_unstable();
    narrow.radix_sort_unstable();
    skewed.radix_sort_unstable();
    println!("{} {} {}", wide.is_sorted(), narrow.is_sorted(), skewed.is_sorted());
    println!("{} {} {}", wide[4_000_000], narrow[4_000_000], skewed[4_000_000]);
}
