//! A hierarchy of boxes around triangles, built in parallel and improved, and rays through it.
mod random;
use glam::vec3a;
use obvhs::{BvhBuildParams, cwbvh::builder::build_cwbvh_from_tris, ray::{Ray, RayHit}};
use obvhs::triangle::Triangle;
use std::time::Duration;

fn main() {
    let numbers: Vec<f32> = random::parts(300_000 * 9).map(|x| x as f32).collect();
    let corner = |p: &[f32], i: usize| {
        let near = |axis: usize| p[axis] * 100.0 + p[3 * i + axis] * 0.5;
        vec3a(near(0), near(1), near(2))
    };
    let triangle = |p: &[f32]| {
        let [v0, v1, v2] = [corner(p, 0), corner(p, 1), corner(p, 2)];
        Triangle { v0, v1, v2 }
    };
    let triangles: Vec<Triangle> = numbers.chunks_exact(9).map(triangle).collect();
    let mut time = Duration::ZERO;
    let bvh = build_cwbvh_from_tris(&triangles, BvhBuildParams::medium_build(), &mut time);
    let hash = |h: u64, &i: &u32| h.wrapping_mul(31) + u64::from(i);
    println!("{} {:x}", bvh.nodes.len(), bvh.primitive_indices.iter().fold(0, hash));
    let hits = numbers.chunks_exact(6).take(20_000).filter(|p| {
        let (origin, end) = (vec3a(p[0], p[1], 0.0) * 100.0, vec3a(p[3], p[4], 1.0) * 100.0);
        let (ray, mut hit) = (Ray::new_inf(origin, end - origin), RayHit::none());
        let triangle = |id| triangles[bvh.primitive_indices[id] as usize];
        bvh.ray_traverse(ray, &mut hit, |ray, id| triangle(id).intersect(ray))
    });
    println!("{}", hits.count());
}
