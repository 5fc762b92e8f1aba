//! Limits: a hard solve stops in time, names its cause, and can be resumed.

use logic::{Cancel, Circuit, Lit};
use sat::{Answer, Limits, Session, Stop};
use std::time::{Duration, Instant};

/// `holes + 1` pigeons in `holes` holes: short to state, hopeless to refute by
/// resolution.
fn pigeonhole(holes: usize) -> (Circuit, Session) {
    let (mut circuit, mut session) = (Circuit::new(), Session::new());
    let sits: Vec<Vec<Lit>> =
        (0..=holes).map(|_| (0..holes).map(|_| circuit.input()).collect()).collect();
    for (pigeon, places) in sits.iter().enumerate() {
        let somewhere = circuit.or_all(places.iter().copied());
        session.assert(&circuit, somewhere, 0);
        for other in &sits[..pigeon] {
            for (&here, &there) in places.iter().zip(other) {
                let both = circuit.and(here, there);
                session.assert(&circuit, !both, 1);
            }
        }
    }
    (circuit, session)
}

/// Factors of a product of two primes, as a multiplier in reverse.
fn factoring() -> (Circuit, Session) {
    let (mut circuit, mut session) = (Circuit::new(), Session::new());
    let mut factor = || logic::Bits::from_lits((0..32).map(|_| circuit.input()).collect());
    let (a, b) = (factor(), factor());
    let (a, b) = (circuit.zero_extend(&a, 64), circuit.zero_extend(&b, 64));
    let product = circuit.mul(&a, &b);
    let one = logic::Bits::constant(64, 1);
    let goal = circuit.bits_eq(&product, &logic::Bits::constant(64, 3_037_000_493 * 2_860_486_313));
    session.assert(&circuit, goal, 0);
    for word in [&a, &b] {
        let proper = circuit.lt_unsigned(&one, word);
        session.assert(&circuit, proper, 1);
    }
    (circuit, session)
}

#[test]
fn a_deadline_is_obeyed_inside_a_hard_solve() {
    for (circuit, mut session) in [pigeonhole(13), factoring()] {
        let start = Instant::now();
        let limits =
            Limits { deadline: Some(start + Duration::from_millis(150)), ..Limits::default() };
        assert_eq!(session.solve(&circuit, &[], &limits), Answer::Unknown(Stop::Deadline));
        assert!(start.elapsed() < Duration::from_secs(1), "stopped after {:?}", start.elapsed());
    }
}

#[test]
fn a_deadline_in_the_past_stops_at_once() {
    let (circuit, mut session) = pigeonhole(3);
    let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
    assert_eq!(session.solve(&circuit, &[], &limits), Answer::Unknown(Stop::Deadline));
    assert_eq!(session.solve(&circuit, &[], &Limits::default()), Answer::Unsat);
}

#[test]
fn conflicts_are_limited_per_solve() {
    let (circuit, mut session) = pigeonhole(13);
    for round in 1..=3 {
        let limits = Limits { conflicts: Some(200), ..Limits::default() };
        assert_eq!(session.solve(&circuit, &[], &limits), Answer::Unknown(Stop::Conflicts));
        let spent = session.statistics().conflicts;
        assert!(spent <= round * 250, "{spent} conflicts after {round} solves");
    }
}

#[test]
fn another_thread_can_cancel() {
    let (circuit, mut session) = pigeonhole(13);
    let cancel = Cancel::default();
    let limits = Limits { cancel: cancel.clone(), ..Limits::default() };
    let start = Instant::now();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancel.set();
    });
    assert_eq!(session.solve(&circuit, &[], &limits), Answer::Unknown(Stop::Cancelled));
    assert!(start.elapsed() < Duration::from_secs(1), "stopped after {:?}", start.elapsed());
    canceller.join().expect("the cancelling thread only sleeps and stores");
}

#[test]
fn a_stopped_session_still_answers() {
    let (mut circuit, mut session) = pigeonhole(13);
    let limits = Limits { conflicts: Some(50), ..Limits::default() };
    assert_eq!(session.solve(&circuit, &[], &limits), Answer::Unknown(Stop::Conflicts));
    let contradiction = circuit.input();
    session.assert(&circuit, contradiction, 2);
    assert_eq!(session.solve(&circuit, &[!contradiction], &Limits::default()), Answer::Unsat);
    assert_eq!(session.core(), [!contradiction]);
}
