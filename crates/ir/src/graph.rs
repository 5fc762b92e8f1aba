//! The computation graph of one run of the encoder.
