//! Systems of a game, at the same time if they touch other components, some with loops.
use specs::prelude::*;

struct Place(f64);
struct Speed(f64);
struct Heat(f64);

impl Component for Place {
    type Storage = VecStorage<Self>;
}
impl Component for Speed {
    type Storage = VecStorage<Self>;
}
impl Component for Heat {
    type Storage = VecStorage<Self>;
}

struct Move;
impl<'a> System<'a> for Move {
    type SystemData = (WriteStorage<'a, Place>, ReadStorage<'a, Speed>);
    fn run(&mut self, (mut place, speed): Self::SystemData) {
        (&mut place, &speed).par_join().for_each(|(p, s)| p.0 = (p.0 + s.0).sin());
    }
}

struct Cool;
impl<'a> System<'a> for Cool {
    type SystemData = WriteStorage<'a, Heat>;
    fn run(&mut self, mut heat: Self::SystemData) {
        (&mut heat).join().for_each(|h| h.0 = (h.0 * 0.999).sqrt());
    }
}

struct Brake;
impl<'a> System<'a> for Brake {
    type SystemData = (WriteStorage<'a, Speed>, ReadStorage<'a, Heat>);
    fn run(&mut self, (mut speed, heat): Self::SystemData) {
        (&mut speed, &heat).par_join().for_each(|(s, h)| s.0 *= 1.0 - h.0 * 1e-3);
    }
}

fn main() {
    let mut world = World::new();
    let builder = DispatcherBuilder::new().with(Move, "move", &[]).with(Cool, "cool", &[]);
    let mut dispatcher = builder.with(Brake, "brake", &["move", "cool"]).build();
    dispatcher.setup(&mut world);
    for i in 0..50_000 {
        let i = f64::from(i);
        world.create_entity().with(Place(i)).with(Speed(i / 7.0)).with(Heat(i)).build();
    }
    (0..200).for_each(|_| dispatcher.dispatch(&world));
    let place = world.read_storage::<Place>();
    println!("{:x}", place.join().fold(0, |h: u64, p| h.rotate_left(1) ^ p.0.to_bits()));
}
