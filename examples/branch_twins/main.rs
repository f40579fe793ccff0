//! What sleeping does to the forces of a bed: a stepped run is copied, one copy goes on with rest and two stepped, through the same landings,
//! and the normal forces of links that are at rest in the first are compared. The second stepped copy has a gravity that differs by 1e-12: what
//! chaos does. A group at rest is covered where the sum of its forces differs by no more than its estimated error and that.
//!
//! ```text
//! cargo run --release --example branch_twins -- SCENARIO SEEDS FROM FOR [KEY=VALUE ...]
//! ```

mod twins;

use twins::{Apart, Failure, branches};

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, seeds, from, more, keys @ ..] = &arguments[..] else {
        return Err("usage: branch_twins SCENARIO SEEDS FROM FOR [KEY=VALUE ...]".into());
    };
    let times = [from.parse()?, more.parse()?];
    let mut all = [0; 2];
    for seed in 1..=seeds.parse()? {
        let Apart {
            at_rest,
            asleep: [mean, each],
            chaos: [chaos_mean, chaos],
            groups: [groups, covered],
        } = branches(scenario, seed, keys, times)?;
        println!(
            "seed {seed}: {at_rest} at rest: asleep {mean:+.4}, {each:.4}; chaos {chaos_mean:+.4}, {chaos:.4}; \
             {covered} of {groups} groups covered"
        );
        all = [all[0] + groups, all[1] + covered];
    }
    println!("{} of {} groups covered", all[1], all[0]);
    Ok(())
}
