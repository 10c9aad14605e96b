/// Bounds that a decoder keeps on any input. Every limit can be raised; an error that one
/// causes names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest input, in bytes. Default 2^31 - 1, the largest message that protobuf allows.
    pub message_bytes: usize,
    /// Deepest nesting of messages, groups, lists and maps. Default 100, protobuf's customary
    /// recursion limit.
    pub depth: u32,
    /// Bytes that decoded values may take beyond four times the input, in bytes. Default
    /// 256 MiB. Two input bytes can announce an empty sub-message of more than a hundred, so a
    /// bound on the input alone does not bound the memory.
    pub expansion_bytes: usize,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Limits = Limits {
        message_bytes: i32::MAX as usize,
        depth: 100,
        expansion_bytes: 256 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
