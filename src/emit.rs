//! Manifest or changes into migrations.
