//! A query of an incremental compiler's maps over others in parallel, again after each change.
use salsa::Setter;

#[salsa::input]
struct File {
    number: u64,
}

#[salsa::input]
struct Project {
    #[returns(ref)]
    files: Vec<File>,
}

#[salsa::tracked]
fn parsed(db: &dyn salsa::Database, file: File) -> u64 {
    (0..200_000).fold(file.number(db), |h, i| h.rotate_left(5).wrapping_mul(31) ^ i)
}

#[salsa::tracked]
fn linked(db: &dyn salsa::Database, project: Project) -> u64 {
    let all: Vec<u64> = salsa::par_map(db, project.files(db).clone(), |db, file| parsed(db, file));
    all.into_iter().fold(0, |h: u64, n| h.wrapping_mul(31) ^ n)
}

fn main() {
    let mut db = salsa::DatabaseImpl::new();
    let files: Vec<File> = (0..600).map(|number| File::new(&db, number)).collect();
    let project = Project::new(&db, files.clone());
    println!("{:x}", linked(&db, project));
    for step in [7, 3, 2] {
        for file in files.iter().step_by(step) {
            let number = file.number(&db);
            file.set_number(&mut db).to(number + 1_000);
        }
        println!("{:x}", linked(&db, project));
    }
}
