//! Mixtures: shares by number and by mass come out, of fills and feeds, in materials, sizes and shapes.

use arenite::body::Grain;
use arenite::geometry::Dimension;
use arenite::system::{Component, Counted, Mixture, RadiusLaw, SizeClasses};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support;

/// Of n draws with probability p, a count is off by less than 4.5 standard deviations of the binomial.
fn binomial(count: usize, n: usize, p: f64) {
    let (count, n) = (count as f64, n as f64);
    let deviation = (n * p * (1.0 - p)).sqrt();
    assert!(
        (count - n * p).abs() < 4.5 * deviation,
        "{count} of {n}, not {} +- {deviation}",
        n * p
    );
}

/// Means of r^2 and r^3 that laws tell are those of what they draw: within 4.5 standard errors, and what the rounding of
/// 100,000 sums leaves. They are what shares
/// by mass rest on.
#[test]
fn moments_of_sizes() {
    let rows = [[0.001, 0.0], [0.002, 0.3], [0.002, 0.5], [0.005, 1.0]];
    let classes = |counted| RadiusLaw::Classes(SizeClasses::new(&rows, counted).unwrap());
    let laws = [
        RadiusLaw::Equal(0.003),
        RadiusLaw::Normal {
            mean: 0.003,
            spread: 0.3,
        },
        RadiusLaw::Uniform {
            min: 0.001,
            max: 0.004,
        },
        RadiusLaw::LogNormal {
            median: 0.003,
            spread: 0.8,
        },
        classes(Counted::Number),
    ];
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut see = |law: &RadiusLaw, power: u8| {
        const N: usize = 100_000;
        let all: Vec<f64> = (0..N)
            .map(|_| law.draw(&mut random).powi(i32::from(power)))
            .collect();
        let mean = all.iter().sum::<f64>() / N as f64;
        let square = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / N as f64;
        let error = (square / N as f64).sqrt();
        let told = law.moment(power);
        assert!(
            (mean - told).abs() < 4.5 * error + 1e-10 * mean,
            "{law:?}: the mean of r^{power} is {mean:e} +- {error:e}, not {told:e}"
        );
    };
    for law in laws {
        see(&law, 2);
        see(&law, 3);
    }
    // Classes by mass are asked for the power of their own dimension only.
    see(&classes(Counted::Mass(2)), 2);
    see(&classes(Counted::Mass(3)), 3);
}

/// Two sorts by number: each grain is drawn by itself, with the probability of its share.
#[test]
fn shares_by_number_are_binomial() {
    let sort = |share: f64, material: u16| Component {
        share,
        material,
        density: 1.0,
        form: None,
        radius: RadiusLaw::Equal(0.1),
    };
    let mixture = Mixture::new(vec![sort(3.0, 0), sort(1.0, 1)]).unwrap();
    let n = 20_000;
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let drawn: Vec<u16> = (0..n)
        .map(|_| mixture.draw(&mut random).0.material)
        .collect();
    let second: Vec<usize> = (0..n).filter(|&k| drawn[k] == 1).collect();
    binomial(second.len(), n, 0.25);
    // One draw knows nothing of the next.
    let pairs = second.windows(2).filter(|pair| pair[1] == pair[0] + 1);
    binomial(pairs.count(), second.len() - 1, 0.25);
    assert!(Mixture::new(Vec::new()).is_none());
    assert!(Mixture::new(vec![sort(0.0, 0)]).is_none());
}

const TWO: &str = r#"
name = "two"
dimension = 2
[run]
end_time = 0.01
[log]
checkpoint = "never"
[shape.pair]
disks = [{ centre = [-1.0, 0.0], radius = 1.0 }, { centre = [1.0, 0.0], radius = 1.0 }]
[material.light]
density = 1000.0
[material.heavy]
density = 4000.0
[[law]]
between = ["light", "light"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 0, normal_damping = 1, tangential_damping = 0, friction = 0 }
[[law]]
between = ["light", "heavy"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 0, normal_damping = 1, tangential_damping = 0, friction = 0 }
[[law]]
between = ["heavy", "heavy"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 0, normal_damping = 1, tangential_damping = 0, friction = 0 }
"#;

const SORTS: &str = r#"
[[fill.mix]]
share = 0.75
[[fill.mix]]
share = 0.25
material = "heavy"
shape = "pair"
radius = { min = 0.002, max = 0.006 }
"#;

fn heavy<D: Dimension>(grains: &[Grain<D>]) -> Vec<Grain<D>> {
    // Materials are in order of their names.
    let heavy = grains.iter().filter(|grain| grain.material == 0);
    heavy.copied().collect()
}

/// Every way of filling that draws takes mixtures: of materials, sizes and shapes at once.
#[test]
fn fills_are_mixed() {
    let ways = [
        "lattice = { count = 2000, radius = 0.003, min = [0, 0], max = [1, 1], jitter = 1 }",
        "random = { count = 2000, radius = 0.003, min = [0, 0], max = [1, 1] }",
        "[fill.roll_down]\ncount = 400\nradius = 0.003\nmin = [0, 0]\nmax = [0.2, 1]",
    ];
    for way in ways {
        let walls = match way.contains("roll_down") {
            true => {
                "\n[[boundary]]\nname = \"box\"\nmaterial = \"light\"\nbox = { min = [0, -0.001], max = [0.2, 2], grains = \"inside\" }\n"
            }
            false => "",
        };
        let text = format!("{TWO}{walls}[[fill]]\nmaterial = \"light\"\n{way}\n{SORTS}");
        let setup = support::written_planar(&text);
        let n = setup.grains.len();
        let heavy = heavy(&setup.grains);
        binomial(heavy.len(), n, 0.25);
        for grain in &setup.grains {
            let is_heavy = grain.material == 0;
            assert_eq!(grain.form.is_some(), is_heavy);
            if is_heavy {
                assert!((0.002..=0.006).contains(&grain.radius));
                let form = &setup.matter.forms[0];
                let mass = 4000.0 * form.measure * grain.radius * grain.radius;
                support::close("mass", grain.mass, mass, 1e-12);
            } else {
                assert_eq!(grain.radius, 0.003);
                let mass = 1000.0 * std::f64::consts::PI * 0.003 * 0.003;
                support::close("mass", grain.mass, mass, 1e-12);
            }
        }
        // It runs, too: shapes and disks in one bed.
        assert!(support::run(&setup).0.summary().grains.last > 0);
    }
}

/// By mass, shares are met in the mean: the ratio of sums is off by less than 4.5 of its standard errors, which come
/// from the draws of the sort (binomial) and of the sizes.
#[test]
fn shares_by_mass_are_met_in_the_mean() {
    let text = format!(
        "{TWO}[[fill]]\nmaterial = \"light\"\nmix_by = \"mass\"\nlattice = {{ count = 4000, radius = 0.003, min = [0, 0], max = [1, 1] }}\n{SORTS}"
    );
    let setup = support::written_planar(&text);
    let total: f64 = setup.grains.iter().map(|grain| grain.mass).sum();
    let heavy: f64 = heavy(&setup.grains).iter().map(|grain| grain.mass).sum();
    let share = heavy / total;
    let square = setup.grains.iter().map(|grain| {
        let own = if grain.material == 0 { 1.0 } else { 0.0 };
        (grain.mass * (own - share)).powi(2)
    });
    let error = square.sum::<f64>().sqrt() / total;
    assert!(
        (share - 0.25).abs() < 4.5 * error,
        "{share} +- {error}, not 0.25"
    );
    // By number it would be far off: the heavy ones are several times as heavy.
    assert!(error < 0.02);
}

/// Feeds draw from mixtures as fills do, and a grain that waits for room keeps its sort.
#[test]
fn feeds_are_mixed() {
    let feed = r#"
[[feed]]
material = "light"
radius = 0.003
count = 1000
every = 1e-5
min = [0, 0]
max = [1, 1]
attempts = 1
retry_interval = 1e-6
[[feed.mix]]
share = 1
[[feed.mix]]
share = 3
material = "heavy"
radius = 0.006
"#;
    let setup = support::written_planar(&format!("{TWO}{feed}"));
    let (system, _) = support::run(&setup);
    let grains = system.grains_at(0.01);
    assert!(grains.len() >= 900, "{}", grains.len());
    let heavy = heavy(&grains);
    binomial(heavy.len(), grains.len(), 0.75);
    assert!(heavy.iter().all(|grain| grain.radius == 0.006));
    for grain in grains {
        let density = [4000.0, 1000.0][usize::from(grain.material)];
        let mass = density * std::f64::consts::PI * grain.radius * grain.radius;
        support::close("mass", grain.mass, mass, 1e-12);
    }
}
