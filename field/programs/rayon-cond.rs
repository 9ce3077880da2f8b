//! The same chain of iterators, parallel or not as a value says.
mod random;
use rayon_cond::CondIterator;

fn main() {
    let numbers: Vec<u64> = random::numbers(4_000_000).collect();
    for parallel in [true, false, true] {
        let numbers = CondIterator::new(&numbers[..], parallel);
        let roots = numbers.map(|&n| (n as f64).sqrt().sin().abs()).filter(|&x| x > 0.25);
        println!("{}", roots.map(|x| (x * 1e6) as u64).sum::<u64>());
    }
}
