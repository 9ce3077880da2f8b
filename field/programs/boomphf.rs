//! A minimal perfect hash function, which is made in rounds.
mod random;

fn main() {
    let keys: Vec<u64> = random::numbers(3_000_000).collect();
    let function = boomphf::Mphf::new_parallel(1.7, &keys, None);
    let mut seen = vec![false; keys.len()];
    keys.iter().for_each(|key| seen[function.hash(key) as usize] = true);
    println!("perfect: {}", seen.iter().all(|&seen| seen));
}
