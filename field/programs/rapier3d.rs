//! A heap of boxes and balls that falls on the ground: each step, threads share the pairs that
//! touch and the forces between them.
use rapier3d::prelude::*;

fn main() {
    let mut world = PhysicsWorld::default();
    world.insert(RigidBodyBuilder::fixed(), ColliderBuilder::cuboid(50.0, 0.5, 50.0));
    let mut bodies = Vec::new();
    for i in 0..1_000 {
        let (x, y, z) = (i % 10, i / 100, i / 10 % 10);
        let place = [x as f32 * 1.1 + y as f32 * 0.05, y as f32 * 1.2 + 1.5, z as f32 * 1.1];
        let body = RigidBodyBuilder::dynamic().translation(Vector::from(place));
        let shape = match i % 3 {
            0 => ColliderBuilder::ball(0.5),
            _ => ColliderBuilder::cuboid(0.5, 0.4, 0.45),
        };
        bodies.push(world.insert(body, shape).0);
    }
    for part in 0..3 {
        (0..60).for_each(|_| world.step());
        let heights = bodies.iter().map(|body| world.bodies[*body].translation().y);
        let hash = heights.fold(0, |h: u64, y| h.rotate_left(5) ^ u64::from(y.to_bits()));
        println!("{part} {hash:x}");
    }
}
