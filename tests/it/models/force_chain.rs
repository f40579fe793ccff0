//! Shortest force chains of contact networks.

use arenite::study::StudyError;
use arenite::study::force_chain::{ForceChain, force_graph, shortest_force_chain};
use arenite::study::network::NetworkLink;
use petgraph::algo::connected_components;

fn link(first: usize, second: Option<usize>, force: f64) -> NetworkLink {
    NetworkLink {
        first,
        second,
        normal: [1.0, 0.0, 0.0],
        force,
        sliding: false,
    }
}

/// Grains 0 and 3 with two ways between them: by 1 with little force, by 2 and 4 with more; 5 hangs by a pull.
fn links() -> Vec<NetworkLink> {
    vec![
        link(0, Some(1), 0.5),
        link(1, Some(3), 4.0),
        link(0, Some(2), 2.0),
        link(4, Some(2), 8.0),
        link(3, Some(4), 4.0),
        link(3, Some(5), -1.0),
        link(5, None, 3.0),
    ]
}

#[test]
fn few_contacts_that_bear_much_are_short() {
    let chain = shortest_force_chain(6, &links(), 0, 3).unwrap();
    // 1/2 + 1/8 + 1/4 against 1/0.5 + 1/4.
    let wanted = ForceChain {
        grains: vec![0, 2, 4, 3],
        length: 0.875,
        weakest: Some(2.0),
    };
    assert_eq!(chain, Some(wanted));
    // A stronger contact turns it over; of two contacts of one pair the stronger counts.
    let mut other = links();
    other.push(link(1, Some(0), 10.0));
    let chain = shortest_force_chain(6, &other, 3, 0).unwrap().unwrap();
    assert_eq!((chain.grains, chain.weakest), (vec![3, 1, 0], Some(4.0)));
    assert!((chain.length - 0.35).abs() < 1e-15);
    let alone = shortest_force_chain(6, &links(), 4, 4).unwrap().unwrap();
    assert_eq!((alone.grains, alone.weakest), (vec![4], None));
}

#[test]
fn pulls_and_walls_pass_nothing_on() {
    assert_eq!(shortest_force_chain(6, &links(), 0, 5), Ok(None));
    let graph = force_graph(6, &links()).unwrap();
    assert_eq!((graph.node_count(), graph.edge_count()), (6, 5));
    assert_eq!(connected_components(&graph), 2);
}

#[test]
fn grains_that_do_not_exist_are_refused() {
    for found in [
        shortest_force_chain(6, &links(), 0, 6).map(|_| ()),
        shortest_force_chain(6, &links(), 7, 0).map(|_| ()),
        force_graph(5, &links()).map(|_| ()),
    ] {
        assert!(matches!(found, Err(StudyError::Range { .. })), "{found:?}");
    }
}
