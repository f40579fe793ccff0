// The film: frames out of deflated columns of whole numbers. The reverse of film/pack.rs.
"use strict";

// Columns of n numbers of w bytes: w planes of n bytes, the lowest first.
class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  byte() {
    return this.bytes[this.at++];
  }
  number() {
    const b = this.bytes;
    const k = this.at;
    this.at += 4;
    return (b[k] | (b[k + 1] << 8) | (b[k + 2] << 16) | (b[k + 3] << 24)) >>> 0;
  }
  column(n, width) {
    const out = new Int32Array(n);
    const b = this.bytes;
    let at = this.at;
    for (let plane = 0; plane < width; plane++) {
      const shift = 8 * plane;
      for (let k = 0; k < n; k++) out[k] |= b[at++] << shift;
    }
    this.at = at;
    return out;
  }
}

// What text in base 64 stands for.
function decoded(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

async function inflated(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Film {
  constructor() {
    const read = (id) => JSON.parse(document.getElementById(id).textContent);
    this.head = read("film-head");
    this.scene = read("film-scene");
    this.chunks = new Map(); // number -> frames, the latest used last
    this.coming = new Map(); // number -> promise
  }

  get frames() {
    return this.head.times.length;
  }

  get last() {
    return this.frames - 1;
  }

  get begin() {
    return this.head.times[0];
  }

  get end() {
    return this.head.times[this.last];
  }

  // Chunks that are held unpacked.
  get most() {
    const { counts, starts } = this.head;
    const per = counts.reduce((a, b) => a + b, 0) / Math.max(1, starts.length);
    return Math.max(4, Math.ceil(1.5e6 / Math.max(1, per)));
  }

  // How a chunk is packed.
  headOf() {
    return this.head;
  }

  packed(number) {
    return decoded(document.getElementById(`film-${number}`).textContent);
  }

  bytes(number) {
    return inflated(this.packed(number));
  }

  async open() {
    const n = this.head.grains;
    const data = new Columns(await this.bytes(0));
    this.id = data.column(n, 4);
    this.radius = new Float32Array(data.column(n, 4).buffer);
    this.shape = data.column(n, 2);
    this.layer = data.column(n, 1);
  }

  // The number of the chunk that holds a frame.
  chunkOf(frame) {
    const starts = this.head.starts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (starts[mid] <= frame) low = mid;
      else high = mid - 1;
    }
    return low;
  }

  // A frame if it is unpacked; else none, and it will be.
  frame(k) {
    const chunk = this.chunkOf(k);
    const held = this.chunks.get(chunk);
    if (!held) {
      this.load(chunk);
      return null;
    }
    this.chunks.delete(chunk);
    this.chunks.set(chunk, held);
    return held[k - this.head.starts[chunk]] ?? null;
  }

  load(chunk) {
    if (chunk < 0 || chunk >= this.head.starts.length || this.chunks.has(chunk)) return Promise.resolve();
    if (!this.coming.has(chunk)) {
      const work = this.bytes(chunk + 1).then((bytes) => {
        this.chunks.set(chunk, this.unpack(chunk, bytes));
        this.coming.delete(chunk);
        const { most } = this;
        for (const old of this.chunks.keys()) {
          if (this.chunks.size <= most) break;
          this.chunks.delete(old);
        }
      });
      this.coming.set(chunk, work);
    }
    return this.coming.get(chunk);
  }

  unpack(chunk, bytes) {
    const { starts, times } = this.head;
    const end = chunk + 1 < starts.length ? starts[chunk + 1] : times.length;
    const reader = new Unpacker(this.headOf(chunk), new Columns(bytes));
    const frames = [];
    for (let k = starts[chunk]; k < end; k++) frames.push(reader.frame(times[k]));
    return frames;
  }
}

class Unpacker {
  constructor(head, data) {
    this.head = head;
    this.data = data;
    this.d = head.dimensions;
    const column = () => new Int32Array(head.grains);
    const three = () => [column(), column(), column()];
    this.index = new Int32Array(0);
    this.position = three();
    this.change = three();
    this.seen = new Uint8Array(head.grains);
    this.velocity = three();
    this.rotation = [column(), column(), column(), column()];
    this.spin = column();
    this.regime = column();
    this.cluster = column();
    this.group = column();
    this.fragment = column();
    this.links = { a: [], b: [], force: [], flags: [], offset: [[], [], []] };
  }

  // A column of changes of grains: adds them to what was told before.
  told(told, width, signed, expected) {
    const { data, index } = this;
    const n = index.length;
    const steps = data.column(n, width);
    const now = new Int32Array(n);
    const shift = 32 - 8 * width;
    for (let k = 0; k < n; k++) {
      const g = index[k];
      const step = (steps[k] >>> 1) ^ -(steps[k] & 1);
      const sum = ((expected ? told[g] + expected[g] : told[g]) + step) | 0;
      now[k] = signed ? (sum << shift) >> shift : (sum << shift) >>> shift;
    }
    if (expected) {
      for (let k = 0; k < n; k++) {
        const g = index[k];
        expected[g] = this.seen[g] ? (now[k] - told[g]) | 0 : 0;
      }
    }
    for (let k = 0; k < n; k++) told[index[k]] = now[k];
    return now;
  }

  frame(time) {
    const { head, data, d } = this;
    const s = head.scale;
    const n = data.number();
    if (!data.byte()) {
      const steps = data.column(n, s.number);
      for (let k = 1; k < n; k++) steps[k] += steps[k - 1];
      this.index = steps;
    }
    const frame = { time, n, index: this.index, x: [], v: [] };
    for (let k = 0; k < d; k++) {
      const now = this.told(this.position[k], s.position, false, this.change[k]);
      const x = new Float32Array(n);
      for (let i = 0; i < n; i++) x[i] = s.origin[k] + (now[i] >>> 0) * s.step;
      frame.x.push(x);
    }
    for (let i = 0; i < n; i++) this.seen[this.index[i]] = 1;
    const root = (now, greatest, signed) => {
      const most = s.root === 1 ? (signed ? 127 : 255) : signed ? 32767 : 65535;
      const out = new Float32Array(now.length);
      for (let i = 0; i < now.length; i++) {
        const q = now[i] / most;
        out[i] = greatest * q * Math.abs(q);
      }
      return out;
    };
    for (let k = 0; k < d; k++) frame.v.push(root(this.told(this.velocity[k], s.root, true), s.velocity, true));
    if (d === 2) {
      const now = this.told(this.rotation[0], s.angle, false);
      const angle = new Float32Array(n);
      const turn = (2 * Math.PI) / 2 ** (8 * s.angle);
      for (let i = 0; i < n; i++) angle[i] = now[i] * turn;
      frame.angle = angle;
    } else {
      frame.quaternion = [0, 1, 2, 3].map((k) => Float32Array.from(this.told(this.rotation[k], 1, true), (q) => q / 127));
    }
    frame.spin = root(this.told(this.spin, s.root, true), s.spin, true);
    frame.regime = Uint8Array.from(this.told(this.regime, 1, false));
    frame.cluster = this.told(this.cluster, s.number, false);
    frame.group = this.told(this.group, s.number, false);
    frame.fragment = this.told(this.fragment, s.number, false);
    frame.links = this.frameLinks(root);
    return frame;
  }

  frameLinks(root) {
    const { head, data, d } = this;
    const s = head.scale;
    const before = this.links;
    const came = data.number();
    const gone = data.column(before.a.length, 1);
    const steps = data.column(came, s.number);
    const others = data.column(came, s.number);
    const stay = [];
    for (let k = 0; k < gone.length; k++) if (!gone[k]) stay.push(k);
    const m = stay.length + came;
    const now = { m, a: new Int32Array(m), b: new Int32Array(m), force: new Int32Array(m), flags: new Int32Array(m), fresh: new Uint8Array(m), offset: [] };
    stay.forEach((k, i) => {
      now.a[i] = before.a[k];
      now.b[i] = before.b[k];
      now.force[i] = before.force[k];
      now.flags[i] = before.flags[k];
    });
    let a = 0;
    for (let k = 0; k < came; k++) {
      const i = stay.length + k;
      a += steps[k];
      now.a[i] = a;
      const shift = 32 - 8 * s.number;
      now.b[i] = ((a + ((others[k] >>> 1) ^ -(others[k] & 1))) << shift) >>> shift;
    }
    const add = (column, width, signed) => {
      const change = data.column(m, width);
      const shift = 32 - 8 * width;
      for (let i = 0; i < m; i++) {
        const sum = (column[i] + ((change[i] >>> 1) ^ -(change[i] & 1))) | 0;
        column[i] = signed ? (sum << shift) >> shift : (sum << shift) >>> shift;
      }
    };
    const slid = Uint8Array.from(now.flags, (f) => f & 1);
    add(now.force, s.root, false);
    add(now.flags, 1, false);
    // What slides in the first frame of a chunk may have slid before.
    for (let i = 0; i < m; i++) now.fresh[i] = this.begun && now.flags[i] & 1 && !slid[i] ? 1 : 0;
    this.begun = true;
    const walls = [];
    for (let i = 0; i < m; i++) if (now.b[i] >= head.grains) walls.push(i);
    for (let axis = 0; axis < d; axis++) {
      const change = data.column(walls.length, 1);
      const column = new Int8Array(m);
      stay.forEach((k, i) => (column[i] = before.offset[axis][k]));
      walls.forEach((i, k) => (column[i] = column[i] + ((change[k] >>> 1) ^ -(change[k] & 1))));
      now.offset.push(column);
    }
    this.links = now;
    // A wall is no row of any grain, however many more will come.
    const b = Int32Array.from(now.b, (body) => (body >= head.grains ? -1 : body));
    return { m, a: now.a, b, force: root(now.force, s.force, false), flags: Uint8Array.from(now.flags), fresh: now.fresh, offset: now.offset };
  }
}
