//! A workload of another game engine: systems side by side, and loops over components.
use rayon::prelude::*;
use shipyard::{Component, IntoWorkload, IntoIter, View, ViewMut, Workload, World};

#[derive(Component)]
struct Place(f64);
#[derive(Component)]
struct Speed(f64);
#[derive(Component)]
struct Heat(f64);

fn push(mut place: ViewMut<Place>, speed: View<Speed>) {
    (&mut place, &speed).par_iter().for_each(|(place, speed)| place.0 = (place.0 + speed.0).sin());
}

fn cool(mut heat: ViewMut<Heat>) {
    (&mut heat).par_iter().for_each(|heat| heat.0 = (heat.0 * 0.999).sqrt());
}

fn brake(mut speed: ViewMut<Speed>, heat: View<Heat>) {
    (&mut speed, &heat).iter().for_each(|(speed, heat)| speed.0 *= 1.0 - heat.0 * 1e-3);
}

fn frame() -> Workload {
    (push, cool, brake).into_workload()
}

fn main() {
    let mut world = World::new();
    (0..50_000).map(f64::from).for_each(|i| {
        world.add_entity((Place(i), Speed(i / 7.0), Heat(i)));
    });
    world.add_workload(frame);
    (0..200).for_each(|_| world.run_workload(frame).expect("no borrow fails"));
    let hash = world.run(|places: View<Place>| {
        places.iter().fold(0, |h: u64, place| h.rotate_left(1) ^ place.0.to_bits())
    });
    println!("{hash:x}");
}
