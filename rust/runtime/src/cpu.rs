//! The instructions that varints want, and their portable spelling.
//!
//! Code that depends on the CPU is generic over [`Cpu`] and inlined into a [`Task`]; [`dispatch`]
//! picks the instance once, at the outermost call.

/// Bit spreading and gathering, either by instruction or by shifts.
pub trait Cpu: Copy + 'static {
    /// True where BMI2 and AVX2 may be used.
    const FAST: bool;

    /// Spreads the low 56 bits over eight bytes, seven bits each.
    fn spread7(value: u64) -> u64;

    /// Inverse of [`Cpu::spread7`]; ignores the top bit of each byte.
    fn gather7(bytes: u64) -> u64;

    /// The low `bits` bits; all of them when `bits` is 64 or more (up to 255).
    fn low_bits(value: u64, bits: u32) -> u64;
}

/// Shifts and masks only.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Cpu for Portable {
    const FAST: bool = false;

    #[inline(always)]
    fn spread7(value: u64) -> u64 {
        // Halve the group size three times: 2 x 28, 4 x 14, 8 x 7 bits.
        let x = (value & 0x0fff_ffff) | ((value & 0x00ff_ffff_f000_0000) << 4);
        let x = (x & 0x0000_3fff_0000_3fff) | ((x & 0x0fff_c000_0fff_c000) << 2);
        (x & 0x007f_007f_007f_007f) | ((x & 0x3f80_3f80_3f80_3f80) << 1)
    }

    #[inline(always)]
    fn gather7(bytes: u64) -> u64 {
        let x = bytes & 0x7f7f_7f7f_7f7f_7f7f;
        let x = (x & 0x007f_007f_007f_007f) | ((x & 0x7f00_7f00_7f00_7f00) >> 1);
        let x = (x & 0x0000_3fff_0000_3fff) | ((x & 0x3fff_0000_3fff_0000) >> 2);
        (x & 0x0fff_ffff) | ((x & 0x0fff_ffff_0000_0000) >> 4)
    }

    #[inline(always)]
    fn low_bits(value: u64, bits: u32) -> u64 {
        if bits >= 64 {
            value
        } else {
            value & ((1 << bits) - 1)
        }
    }
}

/// BMI2. Only [`dispatch`] and [`call`] may lead here, behind run-time detection.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Bmi2(());

#[cfg(target_arch = "x86_64")]
impl Cpu for Bmi2 {
    const FAST: bool = true;

    #[inline(always)]
    fn spread7(value: u64) -> u64 {
        // SAFETY: code generic over `Bmi2` runs below `run_fast` only, which is entered after
        // the CPU was seen to have the instruction.
        unsafe { std::arch::x86_64::_pdep_u64(value, 0x7f7f_7f7f_7f7f_7f7f) }
    }

    #[inline(always)]
    fn gather7(bytes: u64) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pext_u64(bytes, 0x7f7f_7f7f_7f7f_7f7f) }
    }

    #[inline(always)]
    fn low_bits(value: u64, bits: u32) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_bzhi_u64(value, bits) }
    }
}

/// Work that is compiled once for each [`Cpu`].
pub trait Task {
    /// What it gives.
    type Output;

    /// Does it. Must be `#[inline(always)]`, so that it is compiled with the features of the
    /// function that it ends up in.
    fn run<C: Cpu>(self) -> Self::Output;
}

/// A function of three arguments that is compiled once for each [`Cpu`]. Three words inside a
/// [`Task`] would travel through memory, these stay in registers.
pub trait Routine<X, Y, Z> {
    /// What it gives.
    type Output;

    /// Does it; as [`Task::run`].
    fn run<C: Cpu>(x: X, y: Y, z: Z) -> Self::Output;
}

/// Runs `task` with the best instructions of this CPU.
#[inline(always)]
pub fn dispatch<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if is_fast() {
        // SAFETY: the CPU has the features.
        return unsafe { run_fast(task) };
    }
    run_portable(task)
}

/// Runs `task`, not inlined into the caller's code, with the instructions the caller uses.
#[inline(always)]
pub fn call<C: Cpu, T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if C::FAST {
        // SAFETY: the caller itself runs below `run_fast`.
        return unsafe { run_fast(task) };
    }
    run_portable(task)
}

/// Runs `R` with the best instructions of this CPU.
#[inline(always)]
pub fn dispatch_routine<R: Routine<X, Y, Z>, X, Y, Z>(x: X, y: Y, z: Z) -> R::Output {
    #[cfg(target_arch = "x86_64")]
    if is_fast() {
        // SAFETY: the CPU has the features.
        return unsafe { routine_fast::<R, X, Y, Z>(x, y, z) };
    }
    routine_portable::<R, X, Y, Z>(x, y, z)
}

/// Runs `R`, not inlined into the caller's code, with the instructions the caller uses.
#[inline(always)]
pub fn call_routine<C: Cpu, R: Routine<X, Y, Z>, X, Y, Z>(x: X, y: Y, z: Z) -> R::Output {
    #[cfg(target_arch = "x86_64")]
    if C::FAST {
        // SAFETY: the caller itself runs below `run_fast`.
        return unsafe { routine_fast::<R, X, Y, Z>(x, y, z) };
    }
    routine_portable::<R, X, Y, Z>(x, y, z)
}

/// What is known of this CPU: nothing yet, to be slow, to be fast.
#[cfg(target_arch = "x86_64")]
static KNOWN: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);

/// True when the CPU has the features. One load and compare; the library's own detection is a
/// load and two tests for each feature.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn is_fast() -> bool {
    match KNOWN.load(std::sync::atomic::Ordering::Relaxed) {
        0 => detect(),
        known => known == 2,
    }
}

#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn detect() -> bool {
    let fast = !cfg!(miri)
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("avx2");
    KNOWN.store(1 + u8::from(fast), std::sync::atomic::Ordering::Relaxed);
    fast
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
fn run_fast<T: Task>(task: T) -> T::Output {
    task.run::<Bmi2>()
}

fn run_portable<T: Task>(task: T) -> T::Output {
    task.run::<Portable>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
fn routine_fast<R: Routine<X, Y, Z>, X, Y, Z>(x: X, y: Y, z: Z) -> R::Output {
    R::run::<Bmi2>(x, y, z)
}

fn routine_portable<R: Routine<X, Y, Z>, X, Y, Z>(x: X, y: Y, z: Z) -> R::Output {
    R::run::<Portable>(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Both(u64);

    impl Task for Both {
        type Output = (u64, u64, u64);

        #[inline(always)]
        fn run<C: Cpu>(self) -> Self::Output {
            (
                C::spread7(self.0),
                C::gather7(self.0),
                C::low_bits(self.0, (self.0 % 100) as u32),
            )
        }
    }

    #[test]
    fn portable_and_native_agree() {
        let mut value = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..10_000 {
            value = value.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            assert_eq!(dispatch(Both(value)), Both(value).run::<Portable>());
            let low = value & ((1 << 56) - 1);
            assert_eq!(Portable::gather7(Portable::spread7(low)), low);
        }
    }
}
