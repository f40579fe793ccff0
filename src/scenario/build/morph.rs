//! Settings of the morph policy, and its checks of the scenario.

use super::capable;
use super::check::Check;
use crate::contact::ContactTerms;
use crate::field::GravityChange;
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{MorphSpec, Spec};
use crate::system::{MorphSetup, SLOW, Setup, common_frame, why_all_step};

/// Defaults of the policy as fractions of the dwell after which a link is stable (ten contact times).
const CALM: f64 = 0.4;
const CARRY: f64 = 7.5;
const SOLVE_TIME: f64 = 1.5;

/// Shortest default of `carry_every` for gravity that turns, over that for gravity that stays: all grains are stepped while it turns faster.
const OFTEN: f64 = 0.25;

/// Factor on all thresholds in a vessel that turns as a whole, unless the scenario has a section.
const FINER: f64 = 0.2;

/// Default of `creep` over `kinetic` where links can pull: a tenth of its velocity.
const CREEP: f64 = 0.01;

/// Returns the default of `carry_every`, s: shorter where gravity turns, so that grains stay asleep meanwhile.
fn between_solves<D: Dimension>(
    setup: &Setup<D>,
    own_frame: bool,
    usual: f64,
    residual: f64,
) -> f64 {
    let frame = common_frame(setup).filter(|_| own_frame);
    let turns = frame.map(|frame| frame.angular_speed());
    let changes = setup.sources.perturbs.iter().filter_map(|perturb| {
        let change = perturb.kind.change()?;
        (!matches!(change, GravityChange::Swing { .. })).then(|| change.rate())
    });
    let rate = changes.chain(turns).fold(0.0, f64::max);
    // A tenth less than what counts as slow, so that rounding does not decide.
    let needed = 0.9 * SLOW * residual / rate;
    if needed < OFTEN * usual {
        usual
    } else {
        usual.min(needed)
    }
}

/// Checks the section and writes its defaults into it.
pub(super) fn build<D: Dimension>(
    check: Check<'_>,
    spec: &mut Spec,
    setup: &Setup<D>,
) -> Result<Option<MorphSetup>, Problem> {
    let dwell = setup.motion.stable_dwell;
    let by_default = spec.morph.is_none();
    if by_default && why_all_step(setup).is_some() {
        return Ok(None);
    }
    // What a grain may lack is an angle, and angles are what one looks at in a vessel that turns.
    let tilts = by_default && common_frame(setup).is_some();
    let tolerance = spec.run.tolerance * if tilts { FINER } else { 1.0 };
    // What the scenario leaves to the program stays out of it.
    let mut defaults = MorphSpec::default();
    let section = spec.morph.as_mut().unwrap_or(&mut defaults);
    let attract = setup.matter.laws.terms.iter().any(ContactTerms::attract);
    let creep = if attract { CREEP } else { 1.0 };
    let at = Place::of("morph");
    let value = |key: &str, given: &mut Option<f64>, default: f64| {
        check.positive(&at.key(key), *given.get_or_insert(default))
    };
    let residual = value("residual", &mut section.residual, 100.0 * tolerance)?;
    let kinetic = value("kinetic", &mut section.kinetic, 0.1 * tolerance)?;
    let morph = MorphSetup {
        by_default,
        own_frame: section.own_frame,
        kinetic,
        creep: value("creep", &mut section.creep, creep * kinetic)?,
        dwell: value("dwell", &mut section.dwell, CALM * dwell)?,
        residual,
        residual_share: value(
            "residual_share",
            &mut section.residual_share,
            (0.2 * residual).min(20.0 * tolerance),
        )?,
        wake: value("wake", &mut section.wake, 1e4 * tolerance)?,
        strike: value("strike", &mut section.strike, 50.0 * tolerance)?,
        wake_share: value("wake_share", &mut section.wake_share, 200.0 * tolerance)?,
        carry_every: value(
            "carry_every",
            &mut section.carry_every,
            between_solves(setup, section.own_frame, CARRY * dwell, residual),
        )?,
        pending: value("pending", &mut section.pending, 100.0 * tolerance)?,
        solve_time: value("solve_time", &mut section.solve_time, SOLVE_TIME * dwell)?,
        residual_after_solve: value(
            "residual_after_solve",
            &mut section.residual_after_solve,
            200.0 * tolerance,
        )?,
    };
    if !section.rigid {
        return Ok(None);
    }
    if setup.models.quasi_static.is_some() && !capable::goes_on(spec) {
        return Err(Problem::at_key(
            &at.key("rigid"),
            "grains cannot stand still in the quasi-static model, where nothing moves; leave [morph] out, or set `rigid = false`",
        ));
    }
    for (low, least, high, value) in [
        (
            "residual",
            morph.residual,
            "residual_after_solve",
            morph.residual_after_solve,
        ),
        (
            "residual_after_solve",
            morph.residual_after_solve,
            "wake",
            morph.wake,
        ),
    ] {
        if value < least {
            return Err(check.wrong(
                &at.key(high),
                &value.to_string(),
                &format!("at least `{low}`, {least}"),
            ));
        }
    }
    Ok(Some(morph))
}
