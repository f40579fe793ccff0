// The player: time, what lies between two snapshots, controls.

// Grains between two snapshots.
class Moment {
  constructor(film, a, b, share) {
    Object.assign(this, { film, share, frame: a, n: a.n, index: a.index, regime: a.regime, cluster: a.cluster, group: a.group, fragment: a.fragment, links: a.links });
    this.time = b ? a.time + share * (b.time - a.time) : a.time;
    this.next = b;
    this.v = a.v;
    this.spin = a.spin;
    this.x = a.x;
    this.angle = a.angle;
    this.quaternion = a.quaternion;
    if (b && share > 0) this.between(a, b, share);
  }

  between(a, b, t) {
    const { film, n } = this;
    const d = film.head.dimensions;
    const h = b.time - a.time;
    // Places in the next frame: the same where nobody came or left.
    let to = null;
    if (a.index !== b.index && !(a.n === b.n && a.index.every((g, k) => g === b.index[k]))) {
      to = new Int32Array(n).fill(-1);
      for (let i = 0, j = 0; i < n; i++) {
        while (j < b.n && b.index[j] < a.index[i]) j++;
        if (j < b.n && b.index[j] === a.index[i]) to[i] = j;
      }
    }
    const lengths = film.head.periodic.map((p) => (p ? p[1] : 0));
    const mix = (p, q) => {
      const out = new Float32Array(n);
      for (let k = 0; k < n; k++) {
        const j = to ? to[k] : k;
        out[k] = j < 0 ? p[k] : p[k] + t * (q[j] - p[k]);
      }
      return out;
    };
    this.v = a.v.map((v, axis) => mix(v, b.v[axis]));
    this.spin = mix(a.spin, b.spin);
    const x = a.x.map(() => new Float32Array(n));
    const [h1, h2, h3] = [t * t * (3 - 2 * t), t * (1 - t) * (1 - t), t * t * (t - 1)];
    for (let k = 0; k < n; k++) {
      const j = to ? to[k] : k;
      if (j < 0) {
        // It leaves before the next snapshot: it goes on as it went.
        for (let axis = 0; axis < d; axis++) x[axis][k] = a.x[axis][k] + t * h * a.v[axis][k];
        continue;
      }
      // Where velocities and places do not fit each other, something happened in between.
      let [off, sum] = [0, 0];
      for (let axis = 0; axis < d; axis++) {
        let way = b.x[axis][j] - a.x[axis][k];
        const box = lengths[axis];
        if (box && Math.abs(way) > 0.5 * box) way -= Math.sign(way) * box;
        const [u, v] = [h * a.v[axis][k], h * b.v[axis][j]];
        off += (way - 0.5 * (u + v)) ** 2;
        sum += u * u + v * v;
      }
      const smooth = off < 0.05 * sum;
      for (let axis = 0; axis < d; axis++) {
        const from = a.x[axis][k];
        let way = b.x[axis][j] - from;
        const box = lengths[axis];
        if (box && Math.abs(way) > 0.5 * box) way -= Math.sign(way) * box;
        x[axis][k] = smooth ? from + h1 * way + h * (h2 * a.v[axis][k] + h3 * b.v[axis][j]) : from + t * way;
      }
    }
    this.x = x;
    if (a.angle) {
      const angle = new Float32Array(n);
      for (let k = 0; k < n; k++) {
        const j = to ? to[k] : k;
        if (j < 0) {
          angle[k] = a.angle[k] + t * h * a.spin[k];
          continue;
        }
        // As many turns as the spins tell, and the rest that is missing.
        const guess = 0.5 * h * (a.spin[k] + b.spin[j]);
        const rest = b.angle[j] - a.angle[k] - guess;
        angle[k] = a.angle[k] + t * (guess + rest - TAU * Math.round(rest / TAU));
      }
      this.angle = angle;
    } else {
      const q = a.quaternion.map(() => new Float32Array(n));
      for (let k = 0; k < n; k++) {
        const j = to ? to[k] : k;
        let dot = 0;
        for (let p = 0; p < 4; p++) dot += a.quaternion[p][k] * (j < 0 ? a.quaternion[p][k] : b.quaternion[p][j]);
        let size = 0;
        for (let p = 0; p < 4; p++) {
          const end = j < 0 ? a.quaternion[p][k] : Math.sign(dot || 1) * b.quaternion[p][j];
          const part = a.quaternion[p][k] + t * (end - a.quaternion[p][k]);
          q[p][k] = part;
          size += part * part;
        }
        for (let p = 0; p < 4; p++) q[p][k] /= Math.sqrt(size) || 1;
      }
      this.quaternion = q;
    }
  }

  // Calls with the number of each link, the row of its first grain and of its second one (-1: a wall).
  eachLink(call) {
    if (!this.rows) {
      this.rows = new Int32Array(this.film.head.grains).fill(-1);
      for (let k = 0; k < this.n; k++) this.rows[this.index[k]] = k;
    }
    const { m, a, b } = this.links;
    for (let i = 0; i < m; i++) {
      const k = this.rows[a[i]];
      const l = b[i] < 0 ? -1 : this.rows[b[i]];
      if (k >= 0 && (l >= 0 || b[i] < 0)) call(i, k, l);
    }
  }

  // Whether a grain is on its way: it goes a tenth of its radius to the next snapshot.
  moves(k) {
    const { frame: a, next: b } = this;
    if (!b) return false;
    const j = b.index === a.index ? k : b.index.indexOf(a.index[k]);
    if (j < 0) return true;
    const far = Math.hypot(...a.x.map((x, axis) => b.x[axis][j] - x[k]));
    return far > 0.1 * this.film.radius[a.index[k]];
  }

  // The pose of a moving wall now, of its poses at the frames.
  pose(poses) {
    const p = poses[this.number];
    const q = poses[Math.min(this.number + 1, poses.length - 1)];
    return this.share > 0 ? p.map((x, k) => x + this.share * (q[k] - x)) : p;
  }
}

(async () => {
  const byId = (id) => document.getElementById(id);
  const { say, save } = window.arenite;
  const canvas = byId("canvas");
  const stage = byId("stage");
  const fail = (text) => {
    const p = document.createElement("p");
    p.className = "message";
    p.textContent = text;
    stage.replaceChildren(p);
  };
  if (typeof DecompressionStream === "undefined") {
    fail("This browser is too old for the animation (it lacks DecompressionStream); the plots are complete.");
    return;
  }
  const live = typeof LiveFilm !== "undefined";
  const film = live ? new LiveFilm() : new Film();
  const { times, dimensions } = film.head;
  const lost = () => window.arenite.tell({ status: "interrupted", words: "nobody answers: the run has ended or was killed" });
  if (live) {
    byId("said").textContent = "waiting for the first snapshot";
    film.listen(lost);
  }
  try {
    await film.open();
  } catch (error) {
    fail(`The animation cannot be shown: ${error.message}`);
    return;
  }
  const drawing = new Drawing(film, canvas);
  const { camera } = drawing;
  const slider = byId("time");
  const look = { mode: 0, grains: "solid", forces: false, slips: false, bonds: film.scene.bonds && dimensions === 2, marks: film.head.grains <= 150, velocities: false, cut: 0, selected: -1, glow: 1 };
  const state = { time: Math.min(Math.max(0, film.begin), film.end), playing: false, rate: 1, clock: 0, dirty: true, since: 0, shown: -1, hover: null, follow: live };

  // ---- controls -------------------------------------------------------------------------------

  const track = () => {
    slider.min = film.begin;
    slider.max = Math.max(film.end, film.begin + 1e-9);
  };
  track();
  slider.value = state.time;
  const words = (text, name) => Object.assign(document.createElement("option"), { textContent: text, value: name });
  drawing.modes.forEach((m, k) => byId("colour").append(words(m.name, k)));
  const still = film.scene.quasi_static;
  if (still) {
    byId("velocities-label").hidden = true;
    look.forces = look.slips = true;
  }
  byId("cut-label").hidden = dimensions === 2;
  byId("bonds-label").hidden = !film.scene.bonds;
  byId("bonds").checked = look.bonds;
  byId("forces").checked = look.forces;
  byId("slips").checked = look.slips;
  byId("marks").checked = look.marks;

  // Simulated seconds for a second of the animation: round steps about a run in a quarter of a minute. What comes
  // after the last jam stands still and does not count.
  const jammed = film.scene.jams.at(-1);
  const whole = film.scene.planned ?? film.end;
  const busy = jammed && jammed.time > film.begin && jammed.time < film.end ? jammed.time : whole;
  const ideal = Math.max(busy - Math.max(0, film.begin), 1e-12) / 15;
  const power = 10 ** Math.floor(Math.log10(ideal));
  const round = [1, 2, 5, 10].map((d) => d * power);
  const usual = round.reduce((a, b) => (Math.abs(Math.log(b / ideal)) < Math.abs(Math.log(a / ideal)) ? b : a));
  const rates = [...new Set([usual / 20, usual / 10, usual / 4, usual / 2, usual, usual * 2, usual * 5, usual * 10])];
  const factor = (r) => {
    if (still) return `${say(r)} grains a second`;
    if (Math.abs(r - 1) < 1e-9) return "real time";
    return r < 1 ? `1/${say(1 / r)} of real time` : `${say(r)} × real time`;
  };
  if (still && film.frames > 1 && !live) {
    // Time counts grains there: so many come in a second of the animation.
    const each = (film.end - film.begin) / Math.max(1, film.head.counts[film.last] - film.head.counts[0]);
    rates.forEach((r) => byId("rate").append(words(factor(r / (each || 1)), r)));
  } else rates.forEach((r) => byId("rate").append(words(factor(r), r)));
  byId("rate").value = state.rate = usual;

  function jams() {
    byId("ticks").replaceChildren();
    for (const jam of film.scene.jams) {
      if (jam.time < film.begin || jam.time > film.end) continue;
      const mark = document.createElement("i");
      const share = (jam.time - film.begin) / (film.end - film.begin || 1);
      mark.style.left = `calc(${100 * share}% + ${8 - 16 * share}px)`;
      mark.title = `jam at ${say(jam.time)} s`;
      byId("ticks").append(mark);
    }
  }
  jams();

  function legend() {
    const mode = drawing.modes[look.mode];
    const box = byId("legend");
    box.replaceChildren();
    const item = (style, text, kind = "") => {
      const span = document.createElement("span");
      const i = document.createElement("i");
      i.className = kind;
      i.style.background = style;
      span.append(i, text);
      box.append(span);
    };
    if (mode.swatches) mode.swatches.forEach(([name, colour]) => item(colour, name));
    else if (mode.most) {
      const stops = mode.palette.filter((_, k) => k % 7 === 0).map(css).join(",");
      const low = mode.signed ? `−${say(mode.most)}` : "0";
      const span = document.createElement("span");
      const i = document.createElement("i");
      i.className = "ramp";
      i.style.background = `linear-gradient(90deg, ${stops})`;
      i.title = "by the root: half of the ramp is a quarter of the greatest value";
      span.append(low, i, `${say(Number(mode.most.toPrecision(2)))} ${mode.unit}`);
      box.append(span);
    } else mode.palette.slice(0, mode.none ? 7 : 8).forEach((c, k) => item(css(c), k ? "" : mode.none || "layers from below, over and over"));
    if (look.forces) item(drawing.ink.ink, `force, widest ${say(Number(film.head.scale.strong.toPrecision(2)))} N and more`, "bar");
    if (look.bonds) item(`linear-gradient(90deg, ${BONDS.map(css).join(",")})`, "bonds, by the share of their strength up to 1", "bar");
    if (look.slips) item(SLID, "slides; flashes as it begins", "bar");
    if (film.scene.jams.some((j) => j.arch.length)) item(ARCH, "arch of the jam", "bar");
  }

  function changed() {
    state.dirty = true;
    legend();
  }
  const bind = (id, event, set) =>
    byId(id).addEventListener(event, (e) => {
      set(e.target);
      changed();
    });
  bind("colour", "change", (t) => (look.mode = Number(t.value)));
  bind("grains", "change", (t) => (look.grains = t.value));
  bind("forces", "change", (t) => forces(t.checked));
  bind("slips", "change", (t) => (look.slips = t.checked));
  bind("bonds", "change", (t) => (look.bonds = t.checked));
  bind("marks", "change", (t) => (look.marks = t.checked));
  bind("velocities", "change", (t) => (look.velocities = t.checked));
  bind("cut", "input", (t) => (look.cut = Number(t.value)));
  bind("rate", "change", (t) => (state.rate = Number(t.value)));
  slider.addEventListener("input", () => seek(Number(slider.value)));
  byId("play").addEventListener("click", () => play(!state.playing));
  byId("reset").addEventListener("click", () => {
    camera.reset();
    changed();
  });
  byId("shot").addEventListener("click", () => {
    draw();
    canvas.toBlob((blob) => save(`${say(state.time)}s.png`, "image/png", blob));
  });
  byId("full").addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen()));
  document.addEventListener("seek", (e) => seek(e.detail));

  // In space forces are hidden by the grains before them.
  function forces(on) {
    look.forces = on;
    byId("forces").checked = on;
    if (on && dimensions === 3 && look.grains === "solid") look.grains = byId("grains").value = "faint";
    if (!on && dimensions === 3 && look.grains === "faint") look.grains = byId("grains").value = "solid";
  }

  function play(on) {
    state.playing = on;
    if (on && state.time >= film.end && !state.follow) state.time = film.begin < 0 ? Math.min(0, film.end) : film.begin;
    state.since = 0;
    byId("play-icon").setAttribute("d", on ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5l11 7-11 7z");
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
    state.dirty = true;
  }

  function seek(time) {
    follow(false);
    play(false);
    state.time = Math.min(Math.max(time, film.begin), film.end);
    state.dirty = true;
  }

  // Whether the animation goes with the run.
  function follow(on) {
    state.follow = on && live;
    byId("follow").setAttribute("aria-pressed", state.follow);
    if (state.follow) play(true);
  }
  byId("follow").addEventListener("click", () => follow(!state.follow));

  // The frame that holds a moment.
  function frameAt(time) {
    let [low, high] = [0, film.last];
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (times[mid] <= time) low = mid;
      else high = mid - 1;
    }
    return low;
  }

  function step(by) {
    const k = frameAt(state.time + 1e-12);
    const back = by < 0 && state.time - times[k] > 1e-9 ? k : k + by;
    seek(times[Math.min(Math.max(back, 0), film.last)]);
  }

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.matches?.("select, button, summary, .plot") || (e.target.matches?.("input") && e.key !== " ")) return;
    const toggles = { s: "slips", t: "marks", v: "velocities", b: "bonds" };
    const zoom = (f) => {
      camera.zoom = Math.min(Math.max(camera.zoom * f, 0.2), 400);
    };
    if (e.key === " ") play(!state.playing);
    else if (e.key === "ArrowLeft") step(-1);
    else if (e.key === "ArrowRight") step(1);
    else if (e.key === "Home" && e.target === canvas) seek(film.begin);
    else if (e.key === "End" && e.target === canvas) seek(film.end);
    else if (e.key === "+" || e.key === "=") zoom(1.25);
    else if (e.key === "-") zoom(0.8);
    else if (e.key === "0") camera.reset();
    else if (e.key === "c") byId("colour").value = look.mode = (look.mode + 1) % drawing.modes.length;
    else if (e.key === "f") forces(!look.forces);
    else if (e.key === "g") byId("grains").value = look.grains = { solid: "faint", faint: "hidden", hidden: "solid" }[look.grains];
    else if (toggles[e.key] && !byId(toggles[e.key]).closest("[hidden]")) byId(toggles[e.key]).checked = look[toggles[e.key]] = !look[toggles[e.key]];
    else return;
    e.preventDefault();
    changed();
  });

  // ---- mouse and touch ------------------------------------------------------------------------

  const fingers = new Map();
  const at = (e) => {
    const box = canvas.getBoundingClientRect();
    return [(e.clientX - box.left) * drawing.ratio, (e.clientY - box.top) * drawing.ratio];
  };
  function zoomAt([x, y], f) {
    const before = camera.zoom;
    camera.zoom = Math.min(Math.max(before * f, 0.2), 400);
    const grown = camera.zoom / before;
    // The point under the pointer stays there.
    camera.scale *= grown;
    camera.shift((x - camera.middle[0]) * (1 - grown), (y - camera.middle[1]) * (1 - grown));
    state.dirty = true;
  }
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, { at: at(e), from: at(e), turn: dimensions === 3 && !e.shiftKey && e.button === 0 });
  });
  canvas.addEventListener("pointermove", (e) => {
    const finger = fingers.get(e.pointerId);
    const now = at(e);
    if (!finger) {
      state.hover = now;
      state.dirty = true;
      return;
    }
    const [dx, dy] = [now[0] - finger.at[0], now[1] - finger.at[1]];
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== e.pointerId).map(([, f]) => f);
      const far = (p) => Math.hypot(p[0] - other.at[0], p[1] - other.at[1]) || 1;
      zoomAt([0, 1].map((k) => (now[k] + other.at[k]) / 2), far(now) / far(finger.at));
      camera.shift(dx / 2, dy / 2);
    } else if (finger.turn) {
      camera.azimuth -= (0.008 * dx) / drawing.ratio;
      camera.elevation = Math.min(Math.max(camera.elevation + (0.008 * dy) / drawing.ratio, -Math.PI / 2), Math.PI / 2);
    } else camera.shift(dx, dy);
    finger.at = now;
    state.dirty = true;
  });
  const lift = (e) => {
    const finger = fingers.get(e.pointerId);
    fingers.delete(e.pointerId);
    if (!finger || e.type !== "pointerup") return;
    if (Math.hypot(finger.at[0] - finger.from[0], finger.at[1] - finger.from[1]) < 4 * drawing.ratio && drawing.moment) {
      const k = drawing.at(...finger.at);
      const grain = k < 0 ? -1 : drawing.moment.index[k];
      look.selected = grain === look.selected ? -1 : grain;
      state.dirty = true;
    }
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => {
    state.hover = null;
    state.dirty = true;
  });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    state.dirty = true;
  });
  canvas.addEventListener(
    "wheel",
    (e) => {
      // Elsewhere the wheel moves the page, as readers expect.
      if (document.activeElement !== canvas && !e.ctrlKey && !document.fullscreenElement) return;
      e.preventDefault();
      zoomAt(at(e), Math.exp(-0.0016 * e.deltaY * (e.deltaMode ? 16 : 1)));
    },
    { passive: false },
  );

  // What the grain under the pointer, or the one chosen, does.
  function tell() {
    const tip = byId("tip");
    const m = drawing.moment;
    let k = state.hover && fingers.size === 0 ? drawing.at(...state.hover) : -1;
    if (k < 0 && look.selected >= 0) k = m.index.indexOf(look.selected);
    tip.hidden = k < 0;
    if (k < 0) return;
    let [links, force] = [0, 0];
    m.eachLink((i, a, b) => {
      if (a !== k && b !== k) return;
      links++;
      force = Math.max(force, m.links.force[i]);
    });
    const g = m.index[k];
    const shape = film.shape[g] ? film.head.shapes[film.shape[g] - 1].name : dimensions === 2 ? "disk" : "sphere";
    const lines = [`grain ${film.id[g]}, ${shape}`, `radius ${say(Number(film.radius[g].toPrecision(4)))} m`];
    if (!still) {
      lines.push(`speed ${say(Number(Math.hypot(...m.v.map((v) => v[k])).toPrecision(3)))} m/s`);
      lines.push(`spin ${say(Number(m.spin[k].toPrecision(3)))} rad/s`);
      lines.push(`regime ${film.scene.regimes[m.regime[k]][0]}`);
    }
    lines.push(links === 1 ? "1 contact" : `${links} contacts`);
    if (links) lines.push(`strongest ${say(Number(force.toPrecision(3)))} N`);
    tip.textContent = lines.join("\n");
    const [x, y] = [drawing.px[k] / drawing.ratio, drawing.py[k] / drawing.ratio];
    const right = x > canvas.clientWidth - 170;
    tip.style.left = right ? "" : `${x + 14}px`;
    tip.style.right = right ? `${canvas.clientWidth - x + 14}px` : "";
    tip.style.top = `${Math.min(Math.max(y - 20, 4), canvas.clientHeight - 130)}px`;
  }

  // ---- time -----------------------------------------------------------------------------------

  function fitStage() {
    const [w, h] = camera.extent();
    const full = document.fullscreenElement === stage;
    const width = stage.clientWidth;
    const most = full ? stage.clientHeight : Math.max(320, 0.62 * window.innerHeight);
    const height = full ? most : Math.min(Math.max((width * h) / w, Math.min(0.6 * width, most)), most);
    canvas.style.height = `${height}px`;
    drawing.size(width, height);
    state.dirty = true;
  }
  new ResizeObserver(() => requestAnimationFrame(fitStage)).observe(stage);
  document.addEventListener("fullscreenchange", fitStage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawing.inks();
    changed();
  });

  const digits = () => Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.max(film.end - film.begin, 1e-9) / 1000))));
  const clock = (t) => t.toFixed(digits()).replace("-", "−");

  function draw() {
    const { last } = film;
    const k = frameAt(state.time);
    const a = film.frame(k);
    const b = k < last ? film.frame(k + 1) : null;
    if (!a || (k < last && !b)) return false;
    film.load(film.chunkOf(Math.min(k + 1, last)) + 1);
    const share = b ? Math.min(Math.max((state.time - a.time) / (b.time - a.time || 1), 0), 1) : 0;
    if (k !== state.shown) {
      state.shown = k;
      state.since = 0;
    }
    look.glow = state.playing ? Math.exp(-state.since / 0.35) : 1;
    const moment = new Moment(film, a, b, share);
    moment.number = k;
    drawing.draw(moment, look);
    tell();
    slider.value = state.time;
    slider.setAttribute("aria-valuetext", `${clock(state.time)} s`);
    byId("clock").textContent = `${clock(state.time)} s`;
    const count = moment.n;
    byId("said").textContent = `${count} ${count === 1 ? "grain" : "grains"}, ${a.links.m} ${a.links.m === 1 ? "contact" : "contacts"}`;
    document.dispatchEvent(new CustomEvent("moment", { detail: state.time }));
    return true;
  }

  function tick(now) {
    const passed = Math.min((now - state.clock) / 1000, 0.1);
    state.clock = now;
    if (state.playing) {
      const there = state.time;
      // With the run: what is new is shown evenly until more is expected.
      const rate = state.follow ? (film.end - there) / 1.2 : state.rate;
      state.time = Math.min(there + passed * rate, film.end);
      state.since += passed;
      // Until the next frames are unpacked, time waits.
      if (!draw()) state.time = there;
      else if (state.follow) {
        if (film.ended && film.end - state.time < 1e-3 * (film.end - film.begin)) seek(film.end);
      } else if (state.time >= film.end) play(false);
    } else if (state.dirty && draw()) state.dirty = false;
    requestAnimationFrame(tick);
  }

  try {
    await film.load(film.chunkOf(frameAt(state.time)));
  } catch (error) {
    fail(`The animation cannot be unpacked: ${error.message}`);
    return;
  }
  fitStage();
  legend();
  draw();
  document.documentElement.dataset.ready = "yes";
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || location.hash.includes("still");
  if (live) {
    film.grown = () => {
      drawing.modes = colourings(film);
      if (!camera.moved) camera.reach();
      track();
      jams();
      changed();
    };
    film.watch(lost);
    follow(true);
  } else if (!calm) play(true);
  requestAnimationFrame((now) => {
    state.clock = now;
    tick(now);
  });
  // For those who look at it by script.
  window.arenite.player = { film, drawing, camera, look, state, seek, play, changed };
})();
