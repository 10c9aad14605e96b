//! MurmurHash3: x64_128 hashes Fory's TypeDef headers and struct fingerprints, x86_32 gives
//! types their automatic ids. Written from the reference definition; reads its input
//! byte-wise, so alignment never matters.

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

fn mix(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ (k >> 33)
}

fn lane(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

fn scramble1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn scramble2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

/// Both 64-bit lanes of the hash of `data`.
///
/// ```
/// let lanes = interop_wire::murmur3::x64_128(b"123456789abcdef1", 0);
/// assert_eq!(lanes, (9259082041050667785, 12459473952842597282));
/// ```
pub fn x64_128(data: &[u8], seed: u64) -> (u64, u64) {
    let (mut h1, mut h2) = (seed, seed);
    let mut blocks = data.chunks_exact(16);
    for block in &mut blocks {
        h1 ^= scramble1(lane(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2);
        h1 = h1.wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= scramble2(lane(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1);
        h2 = h2.wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let tail = blocks.remainder();
    if tail.len() > 8 {
        h2 ^= scramble2(lane(&tail[8..]));
    }
    if !tail.is_empty() {
        h1 ^= scramble1(lane(&tail[..tail.len().min(8)]));
    }
    let len = data.len() as u64;
    h1 ^= len;
    h2 ^= len;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = mix(h1);
    h2 = mix(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

fn scramble32(k: u32) -> u32 {
    k.wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593)
}

/// The 32-bit hash of `data`.
///
/// ```
/// assert_eq!(interop_wire::murmur3::x86_32(b"hello", 0), 0x248b_fa47);
/// ```
pub fn x86_32(data: &[u8], seed: u32) -> u32 {
    let mut h = seed;
    let mut blocks = data.chunks_exact(4);
    for block in &mut blocks {
        h ^= scramble32(lane(block) as u32);
        h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    if !blocks.remainder().is_empty() {
        h ^= scramble32(lane(blocks.remainder()) as u32);
    }
    h ^= data.len() as u32;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

#[cfg(test)]
mod tests {
    use super::x64_128;

    #[test]
    fn empty_input_with_seed_zero_is_zero() {
        assert_eq!(x64_128(b"", 0), (0, 0));
    }

    #[test]
    fn every_tail_length_differs() {
        let data: Vec<u8> = (0..64).collect();
        let mut seen: Vec<_> = (0..=64).map(|n| x64_128(&data[..n], 47)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 65);
    }
}
