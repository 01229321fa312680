//! The schema model.
