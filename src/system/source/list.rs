//! List of all event sources of a run.

use serde::{Deserialize, Serialize};

use super::end::End;
use super::feed::Feed;
use super::fields::FieldTurns;
use super::gate::Gate;
use super::look::RestLook;
use super::perturbation::Perturbation;
use super::{EventSource, Ticker, Turn};
use crate::body::Formed;
use crate::control::{self, Control};
use crate::geometry::Dimension;
use crate::system::Setup;
use crate::system::schedule::Source;

/// All sources, each with its state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::system) struct Sources {
    tickers: Vec<Ticker>,
    look: RestLook,
    end: End,
    fields: FieldTurns,
    gates: Vec<Gate>,
    feeds: Vec<Feed>,
    perturbs: Vec<Perturbation>,
    controls: Vec<Control>,
}

impl Sources {
    /// Creates the sources of a setup, at its start.
    pub fn new<D: Dimension>(setup: &Setup<D>) -> Self {
        Self {
            tickers: Ticker::ALL.into_iter().map(Ticker::new).collect(),
            look: RestLook::new(setup),
            end: End,
            fields: FieldTurns,
            gates: (0..setup.boundaries.len()).map(Gate::new).collect(),
            feeds: (0..setup.sources.feeds.len())
                .map(|k| Feed::new(setup, k))
                .collect(),
            perturbs: (0..setup.sources.perturbs.len())
                .map(Perturbation::new)
                .collect(),
            controls: setup.sources.controls.clone(),
        }
    }

    /// Returns whether the sources match a setup.
    pub fn fit<D: Dimension>(&self, setup: &Setup<D>) -> bool {
        self.tickers.len() == Ticker::ALL.len()
            && self.gates.len() == setup.boundaries.len()
            && self.feeds.len() == setup.sources.feeds.len()
            && self.perturbs.len() == setup.sources.perturbs.len()
            && self.controls.len() == setup.sources.controls.len()
    }

    /// Returns the source of a name in the queue, if it is one of these.
    pub fn get_mut<D: Formed>(&mut self, source: Source) -> Option<&mut dyn EventSource<D>> {
        match source {
            Source::Gate(k) => Some(self.gates.get_mut(k as usize)?),
            Source::Feed(k) => Some(self.feeds.get_mut(k as usize)?),
            Source::Perturb(k) => Some(self.perturbs.get_mut(k as usize)?),
            Source::Control(k) => Some(self.controls.get_mut(k as usize)?),
            Source::Jam => Some(&mut self.look),
            Source::Finish => Some(&mut self.end),
            Source::Field => Some(&mut self.fields),
            _ => Some(self.ticker(source)?),
        }
    }

    /// Returns the ticker of a source, if it is one of these.
    pub fn ticker(&mut self, source: Source) -> Option<&mut Ticker> {
        self.tickers.iter_mut().find(|one| one.source() == source)
    }

    /// Returns the first event of each source that has one.
    pub fn first<D: Formed>(&self, setup: &Setup<D>) -> Vec<(Source, Turn)> {
        let tickers = self.tickers.iter();
        let tickers = tickers.map(|one| (one as &dyn EventSource<D>, one.source()));
        let alone: [(&dyn EventSource<D>, Source); 3] = [
            (&self.look, Source::Jam),
            (&self.end, Source::Finish),
            (&self.fields, Source::Field),
        ];
        let gates = self.gates.iter().map(|gate| gate as &dyn EventSource<D>);
        let gates = gates.zip((0..).map(Source::Gate));
        let feeds = self.feeds.iter().map(|feed| feed as &dyn EventSource<D>);
        let feeds = feeds.zip((0..).map(Source::Feed));
        let perturbs = self.perturbs.iter().map(|one| one as &dyn EventSource<D>);
        let perturbs = perturbs.zip((0..).map(Source::Perturb));
        let controls = self.controls.iter().map(|one| one as &dyn EventSource<D>);
        let controls = controls.zip((0..).map(Source::Control));
        tickers
            .chain(alone)
            .chain(gates)
            .chain(feeds)
            .chain(perturbs)
            .chain(controls)
            .filter_map(|(source, name)| Some((name, source.first(setup)?)))
            .collect()
    }

    /// Goes on from the sources of a filling at a time, s: logs keep their counts, outlets and meters start at that time.
    pub fn go_on_from<D: Dimension>(&mut self, before: &Sources, setup: &Setup<D>, time: f64) {
        for (own, before) in self.tickers.iter_mut().zip(&before.tickers) {
            *own = match own.source() {
                Source::Outlet | Source::Meter => own.after(setup, time),
                _ => *before,
            };
        }
    }

    /// Returns the source that checks for rest and for jams.
    pub fn look(&self) -> &RestLook {
        &self.look
    }

    /// Adds a perturbation that the setup has got since.
    pub fn add_perturbation(&mut self, index: usize) {
        self.perturbs.push(Perturbation::new(index));
    }

    /// Counts one more use of a perturbation.
    pub fn perturbed(&mut self, index: usize) {
        if let Some(one) = self.perturbs.get_mut(index) {
            one.used();
        }
    }

    /// Returns the perturbations that follow a jam found at a time, s.
    pub fn after_jam<D: Dimension>(&self, setup: &Setup<D>, time: f64) -> Vec<(Source, Turn)> {
        let all = (0..).map(Source::Perturb).zip(&self.perturbs);
        all.filter_map(|(name, one)| Some((name, one.after_jam(setup, time)?)))
            .collect()
    }

    /// Shuts a feed at a time, s.
    pub fn shut(&mut self, feed: usize, time: f64) {
        if let Some(feed) = self.feeds.get_mut(feed) {
            feed.shut(time);
        }
    }

    /// Returns the orders of controls that last, with their times, s.
    pub fn standing(&self) -> Vec<(control::Order, f64)> {
        let all = self.controls.iter();
        all.filter_map(|one| one.standing()).collect()
    }

    /// Returns whether feeds have more to give.
    pub fn to_come<D: Dimension>(&self, setup: &Setup<D>) -> bool {
        let feeds = setup.sources.feeds.iter().zip(&self.feeds);
        feeds
            .into_iter()
            .any(|(feed, now)| !feed.is_done(now.state(), &setup.matter.forms))
    }

    /// Returns the feeds, in order of the scenario.
    pub fn feeds(&self) -> &[Feed] {
        &self.feeds
    }
}
