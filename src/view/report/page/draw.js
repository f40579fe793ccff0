// Drawing of a moment on a 2D canvas: the plane as it is, space in a parallel projection with the
// hindmost grains first.

const TAU = 2 * Math.PI;
const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
const css = ([r, g, b]) => `rgb(${Math.round(r)},${Math.round(g)},${Math.round(b)})`;
// Mixed with white (share above 0) or black.
const mixed = (c, share) => c.map((x) => x + ((share > 0 ? 255 : 0) - x) * Math.abs(share));

// Even steps of a ramp through these colours.
function ramp(stops, count = 64) {
  const colours = stops.map(rgb);
  return Array.from({ length: count }, (_, k) => {
    const at = (k / (count - 1)) * (colours.length - 1);
    const i = Math.min(Math.floor(at), colours.length - 2);
    return colours[i].map((c, j) => c + (colours[i + 1][j] - c) * (at - i));
  });
}
const SPEEDS = ramp(["#2b3a67", "#2f6f8f", "#4fa095", "#a9c47f", "#f2d16b", "#e88f45", "#c8443c"]);
const STRESS = ramp(["#e9e2d0", "#e3c08a", "#d98f57", "#b9543f", "#7d2a3d", "#3d1530"]);
const SPINS = ramp(["#2166ac", "#7fb2d5", "#f1ede4", "#e59a7a", "#b2182b"]);
const CLUSTERS = Array.from({ length: 24 }, (_, k) => {
  const [h, l] = [((k * 137.5) % 360) / 60, [0.52, 0.66, 0.42][k % 3]];
  const c = 0.5 * (1 - Math.abs(2 * l - 1));
  const x = c * (1 - Math.abs((h % 2) - 1));
  const [r, g, b] = [[c, x, 0], [x, c, 0], [0, c, x], [0, x, c], [x, 0, c], [c, 0, x]][Math.floor(h)];
  return [r, g, b].map((v) => 255 * (v + l - c / 2));
});
const SLID = "#e5007d";
const BONDS = ramp(["#8a94a0", "#c9b458", "#e88f45", "#c8443c"], 16);
const ARCH = "#d42a4c";

// What colours tell: a palette, and for a moment the place of each grain in it.
function colourings(film) {
  const { scale, dimensions, mean_radius } = film.head;
  const { layers, regimes } = film.scene;
  const place = (share) => Math.max(0, Math.min(63, Math.round(63 * share)));
  const each = (of) => (moment, out) => {
    for (let k = 0; k < moment.n; k++) out[k] = of(moment, k);
  };
  const speed = (m, k) => Math.hypot(m.v[0][k], m.v[1][k], dimensions === 3 ? m.v[2][k] : 0);
  // Mean pressure of a grain by its contacts: the sum of force times radius over dimensions times volume.
  const over = (r) => (dimensions === 2 ? 1 / (TAU * r) : 1 / (2 * TAU * r * r));
  const strongest = 3 * scale.strong * over(mean_radius);
  const spread = regimes.map((r) => rgb(r[1]));
  // Nodes of the hierarchy, each in the colour of its name; grey for who is of none.
  const nodes = (of, none) => ({
    palette: [[168, 172, 176], ...CLUSTERS],
    fill: each((m, k) => (of(m)[k] ? 1 + ((of(m)[k] * 7919) % CLUSTERS.length) : 0)),
    none,
  });
  const modes = [
    { key: "layer", name: "layer at the start", palette: layers.map(rgb), fill: each((m, k) => film.layer[m.index[k]]) },
    { key: "regime", name: "regime", palette: spread, fill: each((m, k) => m.regime[k]), swatches: regimes },
    { key: "speed", name: "speed", palette: SPEEDS, fill: each((m, k) => place(Math.sqrt(speed(m, k) / scale.velocity))), unit: "m/s", most: scale.velocity },
    {
      key: "stress", name: "pressure by contacts", palette: STRESS, unit: dimensions === 2 ? "N/m" : "Pa", most: strongest,
      fill: (m, out) => {
        const sum = new Float32Array(m.n);
        m.eachLink((i, k, l) => {
          const f = m.links.force[i];
          sum[k] += f;
          if (l >= 0) sum[l] += f;
        });
        for (let k = 0; k < m.n; k++) out[k] = place(Math.sqrt((sum[k] * over(film.radius[m.index[k]])) / strongest));
      },
    },
    {
      key: "spin", name: dimensions === 2 ? "rotation" : "rotation (size)", unit: "rad/s", most: scale.spin, signed: dimensions === 2,
      palette: dimensions === 2 ? SPINS : SPEEDS,
      fill: each((m, k) => {
        const q = Math.sign(m.spin[k]) * Math.sqrt(Math.abs(m.spin[k]) / scale.spin);
        return place(dimensions === 2 ? 0.5 + 0.5 * q : Math.abs(q));
      }),
    },
    { key: "cluster", name: "cluster", ...nodes((m) => m.cluster, "in flight, alone") },
    { key: "group", name: "group at rest", ...nodes((m) => m.group, "moves") },
  ];
  if (film.scene.bonds) modes.unshift({ key: "fragment", name: "fragment", ...nodes((m) => m.fragment, "alone") });
  if (film.scene.quasi_static) return modes.filter((m) => !["speed", "spin", "regime", "cluster", "group"].includes(m.key));
  return modes;
}

// Where the eye is. In the plane only the middle and the scale count.
class Camera {
  constructor(film) {
    this.film = film;
    this.space = film.head.dimensions === 3;
    this.reset();
  }
  reset() {
    const [low, high] = this.film.head.view;
    this.target = low.map((x, k) => 0.5 * (x + high[k]));
    [this.azimuth, this.elevation] = [-0.6, 0.3];
    this.zoom = 1;
    this.moved = false;
  }
  // Looks at the middle of a box that has grown.
  reach() {
    const [low, high] = this.film.head.view;
    this.target = low.map((x, k) => 0.5 * (x + high[k]));
  }
  // Directions to the right, up and towards the eye.
  axes() {
    if (!this.space) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const [sa, ca] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
    const [se, ce] = [Math.sin(this.elevation), Math.cos(this.elevation)];
    return [[ca, sa, 0], [-se * sa, se * ca, ce], [ce * sa, -ce * ca, se]];
  }
  // Breadth and height of the box to look at, m.
  extent() {
    const [low, high] = this.film.head.view;
    const size = low.map((x, k) => high[k] - x);
    if (!this.space) return [size[0], size[1]];
    const flat = Math.hypot(size[0], size[1]);
    // Turning must not push corners out of the picture; most boxes are seen from the side.
    return [0.94 * flat, 0.96 * size[2] + 0.3 * flat];
  }
  fit(width, height) {
    const [w, h] = this.extent();
    const margin = 0.035 * Math.min(width, height) + 6;
    this.scale = this.zoom * Math.min((width - 2 * margin) / w, (height - 2 * margin) / h);
    this.middle = [width / 2, height / 2];
    [this.right, this.up, this.towards] = this.axes();
  }
  project(x, y, z) {
    const [dx, dy, dz] = [x - this.target[0], y - this.target[1], z - this.target[2]];
    const { right: r, up: u, scale: s, middle: m } = this;
    return [m[0] + s * (r[0] * dx + r[1] * dy + r[2] * dz), m[1] - s * (u[0] * dx + u[1] * dy + u[2] * dz)];
  }
  shift(px, py) {
    this.moved = true;
    for (let k = 0; k < 3; k++) this.target[k] += (-px * this.right[k] + py * this.up[k]) / this.scale;
  }
}

// Grains of one colour and size as small pictures, so that ten thousand are quickly drawn.
class Sprites {
  constructor() {
    this.sheet = document.createElement("canvas");
    this.key = "";
  }
  make(palette, radius, ball, key) {
    // Sizes in steps of a tenth: zooming does not draw all anew in every frame.
    const size = Math.max(1, Math.ceil(10 * Math.log2(radius)));
    const wanted = `${key} ${ball} ${size}`;
    this.radius = 2 ** (size / 10);
    this.cell = 2 * Math.ceil(this.radius + 1);
    if (wanted === this.key) return;
    this.key = wanted;
    this.sheet.width = this.cell * palette.length;
    this.sheet.height = this.cell;
    const c = this.sheet.getContext("2d");
    palette.forEach((colour, k) => disk(c, (k + 0.5) * this.cell, this.cell / 2, this.radius, colour, ball));
  }
}

function disk(c, x, y, radius, colour, ball) {
  if (ball) {
    const light = c.createRadialGradient(x - 0.28 * radius, y - 0.36 * radius, 0, x - 0.2 * radius, y - 0.25 * radius, 1.45 * radius);
    light.addColorStop(0, css(mixed(colour, 0.5)));
    light.addColorStop(0.5, css(colour));
    light.addColorStop(1, css(mixed(colour, -0.55)));
    c.fillStyle = light;
    c.beginPath();
    c.arc(x, y, radius, 0, TAU);
    c.fill();
    return;
  }
  const rim = Math.min(Math.max(0.09 * radius, 0.3), 2);
  c.fillStyle = css(mixed(colour, -0.38));
  c.beginPath();
  c.arc(x, y, radius, 0, TAU);
  c.fill();
  c.fillStyle = css(colour);
  c.beginPath();
  c.arc(x, y, Math.max(radius - rim, 0.1), 0, TAU);
  c.fill();
}

// Outlines of shapes of unit size in the plane.
function outline(shape) {
  const path = new Path2D();
  if (shape.parts.some((p) => p.arc)) {
    for (const p of shape.parts) if (p.arc) path.arc(p.centre[0], p.centre[1], p.radius, p.arc[0], p.arc[1]);
    path.closePath();
  } else {
    for (const p of shape.parts) {
      path.moveTo(p.centre[0] + p.radius, p.centre[1]);
      path.arc(p.centre[0], p.centre[1], p.radius, 0, TAU);
    }
  }
  return path;
}

class Drawing {
  constructor(film, canvas) {
    this.film = film;
    this.canvas = canvas;
    this.c = canvas.getContext("2d");
    this.camera = new Camera(film);
    this.space = this.camera.space;
    this.modes = colourings(film);
    this.sprites = new Sprites();
    this.outlines = film.head.shapes.map((s) => (this.space ? null : outline(s)));
    this.jams = film.scene.jams;
    this.inks();
  }

  inks() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    this.ink = { wall: of("--wall"), stage: of("--stage"), soft: of("--soft"), ink: of("--ink") };
  }

  // Size of the canvas in pixels of the device.
  size(width, height) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
    this.ratio = ratio;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
  }

  draw(moment, look) {
    const { c, canvas, camera } = this;
    camera.fit(canvas.width, canvas.height);
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.globalAlpha = 1;
    c.fillStyle = this.ink.stage;
    c.fillRect(0, 0, canvas.width, canvas.height);
    this.moment = moment;
    this.place(moment, look);
    if (this.space) this.walls(moment, 0.4);
    if (look.grains !== "hidden") {
      const mode = this.modes[look.mode];
      this.tint = new Uint8Array(moment.n);
      mode.fill(moment, this.tint);
      this.grains(moment, look, mode);
    }
    if (!this.space) this.walls(moment, 1);
    if (look.bonds) this.bonds(moment);
    if (look.forces) this.forces(moment, look);
    if (look.slips) this.slips(moment, look);
    if (look.velocities) this.arrows(moment);
    this.arch(moment);
    if (look.selected >= 0) this.ring(moment, look.selected);
    if (this.space) {
      this.walls(moment, 0.13);
      this.triad();
    }
  }

  // Pixels of all centres, in space also depth and order, the hindmost first.
  place(m, look) {
    const { camera, film } = this;
    const n = m.n;
    const px = (this.px = new Float32Array(n));
    const py = (this.py = new Float32Array(n));
    const { scale: s, middle, right: r, up: u, towards: t, target } = camera;
    const [X, Y] = m.x;
    if (!this.space) {
      for (let k = 0; k < n; k++) {
        px[k] = middle[0] + s * (X[k] - target[0]);
        py[k] = middle[1] - s * (Y[k] - target[1]);
      }
      this.order = null;
      return;
    }
    const Z = m.x[2];
    const depth = (this.depth = new Float32Array(n));
    const [fx, fy] = [t[0] / (Math.hypot(t[0], t[1]) || 1), t[1] / (Math.hypot(t[0], t[1]) || 1)];
    let [near, far, front, back] = [-Infinity, Infinity, -Infinity, Infinity];
    const before = new Float32Array(n);
    for (let k = 0; k < n; k++) {
      const [x, y, z] = [X[k] - target[0], Y[k] - target[1], Z[k] - target[2]];
      px[k] = middle[0] + s * (r[0] * x + r[1] * y + r[2] * z);
      py[k] = middle[1] - s * (u[0] * x + u[1] * y + u[2] * z);
      depth[k] = t[0] * x + t[1] * y + t[2] * z;
      before[k] = fx * x + fy * y;
      if (depth[k] > near) near = depth[k];
      if (depth[k] < far) far = depth[k];
      if (before[k] > front) front = before[k];
      if (before[k] < back) back = before[k];
    }
    // All in front of the cut is left out.
    this.limit = look.cut > 0 ? front - look.cut * (front - back) : Infinity;
    this.before = before;
    const steps = 4096;
    const counts = new Int32Array(steps + 1);
    const bin = new Uint16Array(n);
    const over = (steps - 1) / Math.max(near - far, 1e-30);
    for (let k = 0; k < n; k++) {
      bin[k] = (depth[k] - far) * over;
      counts[bin[k] + 1]++;
    }
    for (let k = 0; k < steps; k++) counts[k + 1] += counts[k];
    const order = (this.order = new Int32Array(n));
    for (let k = 0; k < n; k++) order[counts[bin[k]]++] = k;
  }

  seen(k) {
    return !this.space || this.before[k] <= this.limit;
  }

  grains(m, look, mode) {
    const { c, film, camera, px, py, tint } = this;
    const s = camera.scale;
    c.globalAlpha = look.grains === "faint" ? (this.space ? 0.16 : 0.3) : 1;
    let largest = 0;
    for (let k = 0; k < m.n; k++) largest = Math.max(largest, film.radius[m.index[k]]);
    largest *= s;
    const small = largest <= 40;
    if (small && largest > 0) this.sprites.make(mode.palette, Math.max(largest, 0.6), this.space, mode.key);
    // Disks of a pixel or two look the same as squares of their area, which are drawn three times as fast.
    if (!this.space && largest <= 1.6 && !film.head.shapes.length) {
      mode.palette.forEach((colour, place) => {
        c.fillStyle = css(colour);
        for (let k = 0; k < m.n; k++) {
          if (tint[k] !== place) continue;
          const side = 1.77 * s * film.radius[m.index[k]];
          c.fillRect(px[k] - side / 2, py[k] - side / 2, side, side);
        }
      });
      c.globalAlpha = 1;
      return;
    }
    const { sheet, cell, radius } = this.sprites;
    const one = (x, y, r, colour) => {
      if (small) {
        const half = ((cell / 2) * r) / radius;
        c.drawImage(sheet, colour * cell, 0, cell, cell, x - half, y - half, 2 * half, 2 * half);
      } else if (x > -r && y > -r && x < this.canvas.width + r && y < this.canvas.height + r) {
        disk(c, x, y, r, mode.palette[colour], this.space);
      }
    };
    for (let i = 0; i < m.n; i++) {
      const k = this.order ? this.order[i] : i;
      if (!this.seen(k)) continue;
      const g = m.index[k];
      const r = film.radius[g] * s;
      if (!film.shape[g]) {
        one(px[k], py[k], r, tint[k]);
        if (this.space && look.marks && r > 2.5) this.spots(m, k, r);
      }
      else if (this.space) this.clump(m, k, r, tint[k], one);
      else this.shape(m, k, r, mode.palette[tint[k]]);
    }
    c.setTransform(1, 0, 0, 1, 0, 0);
    if (look.marks && !this.space) this.spokes(m, s);
    c.globalAlpha = 1;
  }

  shape(m, k, r, colour) {
    const { c, px, py } = this;
    const path = this.outlines[this.film.shape[m.index[k]] - 1];
    const [cos, sin] = [r * Math.cos(m.angle[k]), r * Math.sin(m.angle[k])];
    c.setTransform(cos, -sin, -sin, -cos, px[k], py[k]);
    c.lineWidth = Math.min(Math.max(0.12, 0.7 / r), 4 / r);
    c.strokeStyle = css(mixed(colour, -0.4));
    c.stroke(path);
    c.fillStyle = css(colour);
    c.fill(path);
  }

  // The balls of a clump in space, the hindmost first.
  clump(m, k, r, colour, one) {
    const { camera, px, py } = this;
    const q = m.quaternion.map((part) => part[k]);
    const parts = this.film.head.shapes[this.film.shape[m.index[k]] - 1].parts;
    const balls = parts.map((p) => {
      const v = turn(q, p.centre);
      const dot = (a) => a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
      return [dot(camera.towards), px[k] + r * dot(camera.right), py[k] - r * dot(camera.up), p.radius * r];
    });
    balls.sort((a, b) => a[0] - b[0]);
    for (const [, x, y, size] of balls) one(x, y, size, colour);
  }

  // A line that turns with each disk.
  spokes(m, s) {
    const { c, film, px, py } = this;
    c.strokeStyle = "rgba(20,23,26,0.62)";
    c.lineWidth = Math.max(0.7, 0.09 * film.head.mean_radius * s);
    c.lineCap = "round";
    c.beginPath();
    for (let k = 0; k < m.n; k++) {
      const g = m.index[k];
      const r = film.radius[g] * s;
      if (r < 2.2 || film.shape[g]) continue;
      c.moveTo(px[k], py[k]);
      c.lineTo(px[k] + 0.8 * r * Math.cos(m.angle[k]), py[k] - 0.8 * r * Math.sin(m.angle[k]));
    }
    c.stroke();
  }

  // Two spots, on opposite sides of a sphere, that turn with it.
  spots(m, k, r) {
    const { c, px, py, camera } = this;
    const q = m.quaternion.map((part) => part[k]);
    const v = turn(q, [1, 0, 0]);
    const dot = (a) => a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
    const front = dot(camera.towards);
    if (Math.abs(front) < 0.08) return;
    const side = Math.sign(front);
    const [dx, dy] = [side * 0.93 * r * dot(camera.right), -side * 0.93 * r * dot(camera.up)];
    c.fillStyle = "rgba(20,23,26,0.6)";
    c.beginPath();
    c.ellipse(px[k] + dx, py[k] + dy, 0.26 * r * Math.abs(front), 0.26 * r, Math.atan2(dy, dx), 0, TAU);
    c.fill();
  }

  // Ends of the line of a link, px; none where it crosses a periodic border or nobody sees it.
  ends(m, i, k, l) {
    const { px, py, film, camera, space } = this;
    if (!this.seen(k)) return null;
    const r = film.radius[m.index[k]];
    if (l >= 0) {
      const far = Math.hypot(px[k] - px[l], py[k] - py[l]);
      if (!this.seen(l) || far > 1.6 * camera.scale * (r + film.radius[m.index[l]])) return null;
      return [px[k], py[k], px[l], py[l]];
    }
    const off = (axis) => (m.links.offset[axis][i] * r) / 100;
    const [x, y, z] = [off(0), off(1), space ? off(2) : 0];
    const { right: a, up: u, scale: s } = camera;
    return [px[k], py[k], px[k] + s * (a[0] * x + a[1] * y + a[2] * z), py[k] - s * (u[0] * x + u[1] * y + u[2] * z)];
  }

  forces(m, look) {
    const { c, film, camera } = this;
    const { strong } = film.head.scale;
    const thickest = Math.min(Math.max((this.space ? 0.55 : 0.95) * film.head.mean_radius * camera.scale, 1.5 * this.ratio), 26 * this.ratio);
    const solid = look.grains === "solid";
    const classes = 16;
    const paths = Array.from({ length: classes }, () => []);
    m.eachLink((i, k, l) => {
      const share = Math.min(m.links.force[i] / strong, 1);
      if (share * thickest < 0.12) return;
      const ends = this.ends(m, i, k, l);
      if (ends) paths[Math.min(classes - 1, Math.floor(share * classes))].push(ends);
    });
    c.strokeStyle = solid ? "rgb(20,23,26)" : this.ink.ink;
    c.lineCap = "round";
    c.globalAlpha = 0.8;
    paths.forEach((lines, k) => {
      c.lineWidth = ((k + 0.5) / classes) * thickest;
      c.beginPath();
      for (const [x0, y0, x1, y1] of lines) {
        c.moveTo(x0, y0);
        c.lineTo(x1, y1);
      }
      c.stroke();
    });
    c.globalAlpha = 1;
  }

  // Bonds by the share of their strength, which is in the upper half of the flags.
  bonds(m) {
    const { c, camera, film } = this;
    const paths = BONDS.map(() => []);
    m.eachLink((i, k, l) => {
      const flags = m.links.flags[i];
      const ends = flags & 8 ? this.ends(m, i, k, l) : null;
      if (ends) paths[flags >> 4].push(ends);
    });
    c.lineCap = "round";
    c.lineWidth = Math.max(1, 0.35 * film.head.mean_radius * camera.scale);
    paths.forEach((lines, k) => {
      c.strokeStyle = css(BONDS[k]);
      c.beginPath();
      for (const [x0, y0, x1, y1] of lines) {
        c.moveTo(x0, y0);
        c.lineTo(x1, y1);
      }
      c.stroke();
    });
  }

  // Links that slide; those that have just begun to flash.
  slips(m, look) {
    const { c, camera, film } = this;
    const size = film.head.mean_radius * camera.scale;
    c.strokeStyle = c.fillStyle = SLID;
    c.lineCap = "round";
    c.lineWidth = Math.max(1.2, 0.16 * size);
    const fresh = [];
    c.globalAlpha = 0.6;
    c.beginPath();
    m.eachLink((i, k, l) => {
      if (!(m.links.flags[i] & 1)) return;
      const ends = this.ends(m, i, k, l);
      if (!ends) return;
      const [x0, y0, x1, y1] = ends;
      c.moveTo(x0, y0);
      c.lineTo(x1, y1);
      if (m.links.fresh[i]) fresh.push(l >= 0 ? [(x0 + x1) / 2, (y0 + y1) / 2] : [x1, y1]);
    });
    c.stroke();
    const glow = look.glow;
    if (glow > 0.02) {
      c.globalAlpha = 0.75 * glow;
      c.beginPath();
      for (const [x, y] of fresh) {
        const r = Math.max(2, (0.3 + 0.35 * glow) * size);
        c.moveTo(x + r, y);
        c.arc(x, y, r, 0, TAU);
      }
      c.fill();
    }
    c.globalAlpha = 1;
  }

  arrows(m) {
    const { c, camera, film, px, py } = this;
    const { right: r, up: u } = camera;
    const size = film.head.mean_radius * camera.scale;
    const long = (5 * size) / Math.sqrt(film.head.scale.velocity);
    c.strokeStyle = this.ink.ink;
    c.lineWidth = Math.max(0.8, 0.12 * size);
    c.globalAlpha = 0.8;
    c.beginPath();
    for (let k = 0; k < m.n; k++) {
      if (!this.seen(k)) continue;
      const [vx, vy, vz] = [m.v[0][k], m.v[1][k], this.space ? m.v[2][k] : 0];
      const speed = Math.hypot(vx, vy, vz);
      // Length by the root of speed: slow grains are seen beside falling ones.
      const f = speed > 0 ? long / Math.sqrt(speed) : 0;
      const [dx, dy] = [f * (r[0] * vx + r[1] * vy + r[2] * vz), -f * (u[0] * vx + u[1] * vy + u[2] * vz)];
      if (Math.hypot(dx, dy) < 2) continue;
      const [x, y] = [px[k] + dx, py[k] + dy];
      c.moveTo(px[k], py[k]);
      c.lineTo(x, y);
      c.lineTo(x - 0.25 * dx + 0.14 * dy, y - 0.25 * dy - 0.14 * dx);
      c.moveTo(x, y);
      c.lineTo(x - 0.25 * dx - 0.14 * dy, y - 0.25 * dy + 0.14 * dx);
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  // The arch of the jam that holds now: rings, and a line through them.
  arch(m) {
    const { c, film, px, py, camera } = this;
    let jam = null;
    for (const j of this.jams) if (j.time <= m.time + 1e-9 && j.arch.length > 0) jam = j;
    if (!jam) return;
    const row = new Map();
    for (let k = 0; k < m.n; k++) row.set(film.id[m.index[k]], k);
    const places = jam.arch.map((id) => row.get(id));
    // Once a grain of it moves, it is no arch any more.
    if (places.some((k) => k === undefined || m.moves(k))) return;
    c.strokeStyle = ARCH;
    c.lineJoin = c.lineCap = "round";
    c.lineWidth = Math.max(2 * this.ratio, 0.22 * film.head.mean_radius * camera.scale);
    c.beginPath();
    places.forEach((k, i) => (i ? c.lineTo(px[k], py[k]) : c.moveTo(px[k], py[k])));
    c.stroke();
    c.beginPath();
    for (const k of places) {
      const r = film.radius[m.index[k]] * camera.scale;
      c.moveTo(px[k] + r, py[k]);
      c.arc(px[k], py[k], r, 0, TAU);
    }
    c.stroke();
    this.archSeen = true;
  }

  ring(m, selected) {
    const { c, film, px, py, camera } = this;
    const k = m.index.indexOf(selected);
    if (k < 0) return;
    const r = film.radius[selected] * camera.scale + 2 * this.ratio;
    c.lineWidth = 2 * this.ratio;
    for (const [colour, more] of [[this.ink.stage, 2 * this.ratio], [this.ink.ink, 0]]) {
      c.strokeStyle = colour;
      c.beginPath();
      c.arc(px[k], py[k], r + more, 0, TAU);
      c.stroke();
    }
  }

  walls(m, alpha) {
    const { c, camera, film, space } = this;
    c.strokeStyle = this.ink.wall;
    c.globalAlpha = alpha;
    c.lineCap = c.lineJoin = "round";
    c.lineWidth = (space ? 1.1 : 2.6) * this.ratio;
    const moving = film.scene.moving;
    for (const wall of film.scene.walls) {
      if (wall.opens_at !== null && m.time >= wall.opens_at) continue;
      const moves = moving.find((w) => w.name === wall.name);
      const pose = moves && m.pose(moves.poses);
      let points = wall.points.map((p) => camera.project(...(pose ? moved(pose, p, space) : p)));
      if (wall.endless) {
        const [[x0, y0], [x1, y1]] = points;
        const [dx, dy] = [x1 - x0, y1 - y0];
        const far = (this.canvas.width + this.canvas.height) / Math.max(Math.hypot(dx, dy), 1e-9) + 1;
        // From far to far on either side of the point that is nearest to the middle.
        const t = ((camera.middle[0] - x0) * dx + (camera.middle[1] - y0) * dy) / Math.max(dx * dx + dy * dy, 1e-9);
        points = [[x0 + (t - far) * dx, y0 + (t - far) * dy], [x0 + (t + far) * dx, y0 + (t + far) * dy]];
      }
      c.beginPath();
      points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
      if (wall.closed) c.closePath();
      c.stroke();
    }
    this.borders();
    c.globalAlpha = 1;
  }

  // Edges of a periodic box.
  borders() {
    const { c, camera, film, space } = this;
    const { periodic, view } = film.head;
    if (!periodic.some(Boolean)) return;
    const low = periodic.map((p, k) => (p ? p[0] : view[0][k]));
    const high = periodic.map((p, k) => (p ? p[0] + p[1] : view[1][k]));
    c.setLineDash([6 * this.ratio, 5 * this.ratio]);
    c.lineWidth = 1.1 * this.ratio;
    c.beginPath();
    const edge = (a, b) => {
      c.moveTo(...camera.project(...a));
      c.lineTo(...camera.project(...b));
    };
    const corners = space ? 8 : 4;
    for (let k = 0; k < corners; k++) {
      const corner = (bits) => [0, 1, 2].map((axis) => (bits & (1 << axis) ? high[axis] : low[axis]));
      for (let axis = 0; axis < (space ? 3 : 2); axis++) {
        // In the plane only sides across a periodic direction are borders.
        if (k & (1 << axis) || (!space && !periodic[1 - axis])) continue;
        edge(corner(k), corner(k | (1 << axis)));
      }
    }
    c.stroke();
    c.setLineDash([]);
  }

  triad() {
    const { c, camera, ratio } = this;
    const [x, y] = [30 * ratio, this.canvas.height - 30 * ratio];
    c.lineWidth = 1.4 * ratio;
    c.font = `${11 * ratio}px system-ui, sans-serif`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    ["x", "y", "z"].forEach((name, k) => {
      const [dx, dy] = [camera.right[k], -camera.up[k]];
      c.strokeStyle = c.fillStyle = this.ink.soft;
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(x + 17 * ratio * dx, y + 17 * ratio * dy);
      c.stroke();
      c.fillText(name, x + 24 * ratio * dx, y + 24 * ratio * dy);
    });
  }

  // The place in the moment of the grain at a point of the canvas, or -1.
  at(x, y) {
    const { moment: m, film, px, py, camera } = this;
    let [best, least] = [-1, 1];
    const order = this.order;
    for (let i = m.n - 1; i >= 0; i--) {
      const k = order ? order[i] : i;
      if (!this.seen(k)) continue;
      const far = Math.hypot(px[k] - x, py[k] - y) / Math.max(film.radius[m.index[k]] * camera.scale, 3);
      if (far < least) {
        [best, least] = [k, far];
        if (order) break; // the first one met is the nearest to the eye
      }
    }
    return best;
  }
}

// A vector turned by a unit quaternion (x, y, z, w).
function turn([i, j, k, w], [x, y, z]) {
  const [a, b, c] = [2 * (j * z - k * y), 2 * (k * x - i * z), 2 * (i * y - j * x)];
  return [x + w * a + j * c - k * b, y + w * b + k * a - i * c, z + w * c + i * b - j * a];
}

function moved(pose, [x, y, z], space) {
  if (!space) return [pose[0] * x + pose[1] * y + pose[2], pose[3] * x + pose[4] * y + pose[5], 0];
  const row = (k) => pose[k] * x + pose[k + 1] * y + pose[k + 2] * z + pose[k + 3];
  return [row(0), row(4), row(8)];
}
