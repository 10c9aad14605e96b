//! The one allocator of all contestants: the system's or, by the feature of that name, mimalloc,
//! with a count that runs only on request.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

#[cfg(feature = "mimalloc")]
use mimalloc::MiMalloc as Inner;
#[cfg(not(feature = "mimalloc"))]
use std::alloc::System as Inner;

/// Its name in reports.
pub const NAME: &str = if cfg!(feature = "mimalloc") {
    "mimalloc"
} else {
    "system"
};

/// The allocator.
pub struct Counting;

static ACTIVE: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the inner allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ACTIVE.load(Relaxed) {
            COUNT.fetch_add(1, Relaxed);
        }
        // SAFETY: the caller's obligations are those of the inner allocator.
        unsafe { Inner.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { Inner.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if ACTIVE.load(Relaxed) {
            COUNT.fetch_add(1, Relaxed);
        }
        // SAFETY: as above.
        unsafe { Inner.realloc(place, layout, size) }
    }
}

/// Number of allocations, growths included, while `work` runs.
pub fn count(work: impl FnOnce()) -> u64 {
    COUNT.store(0, Relaxed);
    ACTIVE.store(true, Relaxed);
    work();
    ACTIVE.store(false, Relaxed);
    COUNT.load(Relaxed)
}
