//! Many methods: which ([`select`]), and all of them on several cores ([`schedule`]).

pub mod schedule;
pub mod select;
