//! Every event queue beside a plain sorted list.

use std::fmt::Debug;

use arenite::event::{
    DefaultQueue, Event, EventKind, EventQueue, IndexedHeap, QueueError, ReferenceQueue,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The obvious queue: a list, sorted at every question by time, kind, owner.
#[derive(Default)]
struct Plain(Vec<(u32, Event)>);

impl Plain {
    fn sort(&mut self) {
        self.0.sort_by(|(a, x), (b, y)| {
            let time = x.time.partial_cmp(&y.time).expect("no NaN");
            time.then(x.kind.cmp(&y.kind)).then(a.cmp(b))
        });
    }
    fn cancel(&mut self, owner: u32) -> Option<Event> {
        let at = self.0.iter().position(|(o, _)| *o == owner)?;
        Some(self.0.remove(at).1)
    }
    fn schedule(&mut self, owner: u32, event: Event) {
        self.cancel(owner);
        self.0.push((owner, event));
        self.sort();
    }
    fn pop(&mut self) -> Option<(u32, Event)> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Schedule(u32, Event),
    Cancel(u32),
    Pop,
    Reload,
}

/// Few owners, times and kinds, so that replacing and ties are common.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let time = prop_oneof![
        4 => (-3i32..8).prop_map(|t| f64::from(t) * 0.5),
        4 => -10.0..10.0f64,
        1 => prop::sample::select(vec![-0.0, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -5e-324, 1e300]),
    ];
    let event = (time, 0usize..4, any::<u32>(), any::<u32>()).prop_map(
        |(time, kind, generation, payload)| Event {
            time,
            kind: EventKind::ALL[kind * 6],
            generation,
            payload,
        },
    );
    let step = prop_oneof![
        8 => (0u32..60, event).prop_map(|(owner, event)| Step::Schedule(owner, event)),
        2 => (0u32..70).prop_map(Step::Cancel),
        3 => Just(Step::Pop),
        1 => Just(Step::Reload),
    ];
    prop::collection::vec(step, 1..300)
}

fn agrees<Q: EventQueue + Serialize + DeserializeOwned + Debug>(
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let mut queue = Q::default();
    let mut plain = Plain::default();
    for step in steps {
        match *step {
            Step::Schedule(owner, event) => {
                queue.schedule(owner, event).expect("a number");
                plain.schedule(owner, event);
                prop_assert_eq!(queue.get(owner), Some(event));
            }
            Step::Cancel(owner) => prop_assert_eq!(queue.cancel(owner), plain.cancel(owner)),
            Step::Pop => prop_assert_eq!(queue.pop(), plain.pop()),
            Step::Reload => {
                let bytes = postcard::to_stdvec(&queue).expect("written");
                queue = postcard::from_bytes(&bytes).expect("read");
                let again = postcard::to_stdvec(&queue).expect("written");
                prop_assert_eq!(bytes, again);
            }
        }
        prop_assert_eq!(queue.len(), plain.0.len());
        prop_assert_eq!(queue.is_empty(), plain.0.is_empty());
        prop_assert_eq!(queue.peek(), plain.0.first().copied());
    }
    prop_assert_eq!(&queue.entries(), &plain.0);
    while let Some(entry) = plain.pop() {
        prop_assert_eq!(queue.pop(), Some(entry));
    }
    prop_assert_eq!(queue.pop(), None);
    Ok(())
}

proptest! {
    #[test]
    fn reference_queue_agrees_with_a_sorted_list(steps in steps()) {
        agrees::<ReferenceQueue>(&steps)?;
    }

    #[test]
    fn heaps_agree_with_a_sorted_list(steps in steps()) {
        agrees::<IndexedHeap<2>>(&steps)?;
        agrees::<IndexedHeap<4>>(&steps)?;
        agrees::<IndexedHeap<8>>(&steps)?;
        agrees::<DefaultQueue>(&steps)?;
    }
}

fn refuses_nan<Q: EventQueue>() {
    let mut queue = Q::default();
    let good = Event::new(1.0, EventKind::Collision);
    let bad = Event::new(f64::NAN, EventKind::Collision);
    queue.schedule(3, good).expect("a number");
    let error = queue
        .schedule(3, bad)
        .expect_err("NaN has no place in the order");
    assert_eq!(
        error.to_string(),
        "the time of event `collision` of owner 3 is not a number"
    );
    assert_eq!(queue.peek(), Some((3, good)), "the earlier event stays");
    let none = queue.schedule(u32::MAX, good);
    assert_eq!(none, Err(QueueError::NoSuchOwner(u32::MAX)));
    assert_eq!(queue.len(), 1);
    assert_eq!(queue.cancel(u32::MAX), None);
}

#[test]
fn not_a_number_is_refused() {
    refuses_nan::<ReferenceQueue>();
    refuses_nan::<DefaultQueue>();
}

#[test]
fn zero_has_no_sign() {
    let mut queue = DefaultQueue::default();
    let late = Event::new(-0.0, EventKind::Finish);
    let soon = Event::new(0.0, EventKind::Collision);
    queue.schedule(0, late).expect("a number");
    queue.schedule(1, soon).expect("a number");
    assert_eq!(
        queue.pop(),
        Some((1, soon)),
        "kind decides between 0 and -0"
    );
}

#[test]
fn a_checkpoint_with_nan_is_an_error() {
    let entries = vec![(0u32, Event::new(f64::NAN, EventKind::Jam))];
    let bytes = postcard::to_stdvec(&entries).expect("written");
    assert!(postcard::from_bytes::<DefaultQueue>(&bytes).is_err());
}
