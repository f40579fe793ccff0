//! Which bonds of a rigid body break.
//!
//! First a bound of the greatest share of a strength, from the load alone or from its change since the last solve; only where that
//! reaches 1 the loads of all bonds are computed.

use petgraph::unionfind::UnionFind;

use super::RigidCounts;
use super::body::{RigidBody, Solved};
use super::dimension::RigidDimension;
use super::load::{BodyLoad, TieLoad};
use super::statics::Statics;
use super::template::{Template, Tie};
use crate::contact::bond::{Beam, Break};
use crate::geometry::Dimension;
use crate::stress::StressError;

/// A bond that broke.
#[derive(Clone, Copy, Debug)]
pub(super) struct Broken {
    /// Its index in the template.
    pub tie: usize,
    /// How.
    pub way: Break,
    /// Elastic energy that it had, J.
    pub energy: f64,
}

/// Returns the share of its strength that a bond with these inverse strengths bears.
pub(super) fn share_of(tie: &Tie, weakness: [f64; 4], load: &TieLoad) -> f64 {
    let beam = Beam {
        weakness,
        ..tie.beam
    };
    beam.share(&load.of_beam(tie.beam.length))
}

/// Returns the bonds of a body that break under a load: the one that bears the greatest share of its strength first, then of the rest, until
/// this holds or comes apart.
pub(super) fn breaks<D: RigidDimension>(
    body: &mut RigidBody<D>,
    template: &Template<D>,
    load: BodyLoad<D>,
    counts: &mut RigidCounts,
) -> Result<Vec<Broken>, StressError> {
    if body.weakness.is_empty() {
        return Ok(Vec::new());
    }
    counts.screened += 1;
    let solved = body.solved.as_ref();
    let weakest = body.weakest;
    let bound = |statics: &mut Statics<D>, before: Option<&BodyLoad<D>>| {
        let most = statics.bound(&load, before)?;
        let tension = most[0] * weakest[0] + most[2] * weakest[2];
        let shear = most[1] * weakest[1] + most[3] * weakest[3];
        Ok(tension.max(shear))
    };
    let loads = template.with_statics(|statics| {
        if bound(statics, None)? < 1.0 {
            return Ok(None);
        }
        if let Some(solved) = solved
            && solved.share.max(0.0) + bound(statics, Some(&solved.load))? < 1.0
        {
            return Ok(None);
        }
        statics.loads(&load).map(Some)
    })?;
    let Some(loads) = loads else {
        return Ok(Vec::new());
    };
    counts.solved += 1;
    let share = greatest(body, template, &loads, &[]).map_or(0.0, |(_, share)| share);
    if share >= 1.0 {
        return cascade(body, template, &load, loads);
    }
    body.solved = Some(Solved { load, share });
    Ok(Vec::new())
}

/// Returns the bond with the greatest share of its strength, and the share; without those that are `gone`.
fn greatest<D: Dimension>(
    body: &RigidBody<D>,
    template: &Template<D>,
    loads: &[TieLoad],
    gone: &[bool],
) -> Option<(usize, f64)> {
    let all = template.ties.iter().zip(&body.weakness).zip(loads);
    let shares = all.map(|((tie, weakness), load)| share_of(tie, *weakness, load));
    let holding = shares
        .enumerate()
        .filter(|(tie, _)| gone.get(*tie) != Some(&true));
    holding.reduce(|most, next| if next.1 > most.1 { next } else { most })
}

fn cascade<D: RigidDimension>(
    body: &RigidBody<D>,
    template: &Template<D>,
    load: &BodyLoad<D>,
    mut loads: Vec<TieLoad>,
) -> Result<Vec<Broken>, StressError> {
    let mut gone = vec![false; template.ties.len()];
    let mut broken = Vec::new();
    let mut own: Option<Statics<D>> = None;
    while let Some((tie, share)) = greatest(body, template, &loads, &gone)
        && share >= 1.0
    {
        let of = &template.ties[tie];
        let way = loads[tie]
            .of_beam(of.beam.length)
            .breaks(&body.weakness[tie]);
        broken.push(Broken {
            tie,
            way: way.unwrap_or(Break::Torn),
            energy: loads[tie].energy(&of.beam),
        });
        gone[tie] = true;
        if pieces(template, |_| true, |tie| !gone[tie]).len() > 1 {
            break;
        }
        // The build is that of other bodies too.
        let statics = match &mut own {
            Some(statics) => statics,
            none => none.insert(Statics::new(template)?),
        };
        statics.break_tie(tie);
        loads = statics.loads_at_once(load)?;
    }
    Ok(broken)
}

/// Returns the members of each piece that some bonds join, ascending, in order of their first.
pub(super) fn pieces<D: Dimension>(
    template: &Template<D>,
    stays: impl Fn(usize) -> bool,
    holds: impl Fn(usize) -> bool,
) -> Vec<Vec<u32>> {
    let count = template.members.len();
    let mut joined = UnionFind::<usize>::new(count);
    for (index, tie) in template.ties.iter().enumerate() {
        let [a, b] = tie.ends.map(|end| end as usize);
        if holds(index) && stays(a) && stays(b) {
            joined.union(a, b);
        }
    }
    let mut place = vec![usize::MAX; count];
    let mut found: Vec<Vec<u32>> = Vec::new();
    for member in (0..count).filter(|&member| stays(member)) {
        let root = joined.find_mut(member);
        if place[root] == usize::MAX {
            place[root] = found.len();
            found.push(Vec::new());
        }
        found[place[root]].push(member as u32);
    }
    found
}
