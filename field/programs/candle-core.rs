//! Products of vectors and matrices with weights of four bits, as a language model needs for each
//! of its words.
mod random;
use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{Device, Module, Tensor};

fn main() {
    let side = 1_536;
    let numbers: Vec<f32> = random::parts(side * side).map(|x| x as f32 - 0.5).collect();
    let side = side as usize;
    let weights = Tensor::from_vec(numbers, (side, side), &Device::Cpu).expect("as many as fit");
    for kind in [GgmlDType::Q4_0, GgmlDType::Q8_0] {
        let small = QTensor::quantize(&weights, kind).expect("it is quantised");
        let product = QMatMul::from_qtensor(small).expect("it is a matrix");
        let mut vector = weights.narrow(0, 0, 1).expect("it has a row");
        for _ in 0..100 {
            vector = product.forward(&vector).expect("they fit").tanh().expect("it is a number");
        }
        let many = weights.narrow(0, 7, 48).expect("it has rows");
        let many = product.forward(&many).expect("they fit");
        for tensor in [vector, many] {
            let flat = tensor.flatten_all().and_then(|flat| flat.to_vec1::<f32>());
            let flat = flat.expect("they are numbers");
            let hash = |h: u64, x: &f32| h.rotate_left(5) ^ u64::from(x.to_bits());
            println!("{:x}", flat.iter().fold(0, hash));
        }
    }
}
