//! Where the time goes.
