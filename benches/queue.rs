//! Event queues on the pattern of a run: the earliest event is handled, its owner and one to four
//! partners get new times; besides, the classical hold pattern (pop one, push one).

use arenite::event::{DefaultQueue, Event, EventKind, EventQueue, IndexedHeap, ReferenceQueue};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SIZES: [u32; 3] = [1_000, 100_000, 1_000_000];
const ROUNDS: usize = 10_000;

fn main() {
    divan::main();
}

fn filled<Q: EventQueue>(owners: u32, random: &mut ChaCha8Rng) -> Q {
    let mut queue = Q::default();
    for owner in 0..owners {
        set(&mut queue, owner, waiting_time(random));
    }
    queue
}

fn set<Q: EventQueue>(queue: &mut Q, owner: u32, time: f64) {
    let event = Event::new(time, EventKind::Collision);
    queue.schedule(owner, event).expect("a number");
}

/// Exponential with mean 1.
fn waiting_time(random: &mut ChaCha8Rng) -> f64 {
    -libm::log(1.0 - random.random::<f64>())
}

/// Waiting time of the owner; how many partners, their offsets and waiting times.
type Draw = (f64, usize, [(u32, f64); 4]);

/// Random numbers are drawn before the clock starts.
fn draws(random: &mut ChaCha8Rng, owners: u32) -> Vec<Draw> {
    (0..ROUNDS)
        .map(|_| {
            let partners = std::array::from_fn(|_| {
                // Partners are near in space, so near in slot when grains are kept in order.
                let offset = random.random_range(1..owners.min(64));
                (offset, waiting_time(random))
            });
            (waiting_time(random), random.random_range(1..5), partners)
        })
        .collect()
}

#[divan::bench(
    types = [IndexedHeap<2>, IndexedHeap<4>, DefaultQueue, IndexedHeap<16>, ReferenceQueue],
    args = SIZES, sample_count = 20, sample_size = 1
)]
fn event_pattern<Q: EventQueue>(bencher: Bencher, owners: u32) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut queue: Q = filled(owners, &mut random);
    let draws = draws(&mut random, owners);
    let operations: usize = draws.iter().map(|d| 1 + d.1).sum();
    bencher
        .counter(ItemsCount::new(operations))
        .bench_local(|| {
            for (wait, count, partners) in &draws {
                let Some((owner, event)) = queue.peek() else {
                    return;
                };
                set(&mut queue, owner, event.time + wait);
                for (offset, wait) in &partners[..*count] {
                    set(&mut queue, (owner + offset) % owners, event.time + wait);
                }
            }
        });
}

#[divan::bench(
    types = [IndexedHeap<2>, IndexedHeap<4>, DefaultQueue, IndexedHeap<16>, ReferenceQueue],
    args = SIZES, sample_count = 20, sample_size = 1
)]
fn hold<Q: EventQueue>(bencher: Bencher, owners: u32) {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut queue: Q = filled(owners, &mut random);
    let waits: Vec<f64> = (0..ROUNDS).map(|_| waiting_time(&mut random)).collect();
    bencher.counter(ItemsCount::new(ROUNDS)).bench_local(|| {
        for wait in &waits {
            let Some((owner, event)) = queue.pop() else {
                return;
            };
            set(&mut queue, owner, event.time + wait);
        }
    });
}
