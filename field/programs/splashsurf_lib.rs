//! The surface of a fluid of many drops: a grid in parts, each with its own triangles.
mod random;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::{Parameters, SurfaceReconstruction, reconstruct_surface};

fn main() {
    let numbers: Vec<f32> = random::parts(3 * 50 * 50 * 50).map(|x| x as f32).collect();
    let place = |(i, p): (usize, &[f32])| {
        let at = |step: usize, axis: usize| (i / step % 50) as f32 * 0.02 + p[axis] * 0.004;
        Vector3::new(at(1, 0), at(50, 1), at(50 * 50, 2))
    };
    let drops: Vec<Vector3<f32>> = numbers.chunks_exact(3).enumerate().map(place).collect();
    let parameters = Parameters::new_relative(0.01, 4.0, 1.0);
    let surface: SurfaceReconstruction<i64, f32> =
        reconstruct_surface(&drops, &parameters).expect("it has a surface");
    let mesh = &surface.mesh;
    let lowest = mesh.vertices.iter().map(|v| v.x.min(v.y).min(v.z)).fold(f32::MAX, f32::min);
    println!("{} {} {lowest}", mesh.vertices.len(), mesh.triangles.len());
}
