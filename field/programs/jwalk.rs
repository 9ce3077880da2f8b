//! A walk through a tree of files, in order, on pools of rayon's in every way that there is.
use jwalk::{Parallelism, WalkDir};

fn main() {
    let tree = std::env::args().nth(1).expect("a folder");
    let pools = [Parallelism::RayonNewPool(2), Parallelism::RayonNewPool(5), Parallelism::Serial];
    for parallelism in pools {
        let walk = WalkDir::new(&tree).sort(true).parallelism(parallelism);
        let mut names = 0u64;
        for entry in walk {
            let name = entry.expect("it can be read").file_name().to_owned();
            let sum = |h: u64, b: &u8| h.wrapping_mul(31) + u64::from(*b);
            names = name.as_encoded_bytes().iter().fold(names, sum);
        }
        println!("{names:x}");
    }
}
