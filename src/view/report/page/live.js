// A film that grows while the run goes on: its parts come from whoever served the page.

const LOOK = 1000; // ms between two questions for more of the film
const STATE = 2000; // ms between two questions for figures and plots

class LiveFilm extends Film {
  constructor() {
    super();
    Object.assign(this, { live: true, ended: false, next: 0, stores: [], heads: [], grown: () => {} });
  }

  headOf(chunk) {
    return this.heads[chunk];
  }

  packed(number) {
    return this.stores[number - 1];
  }

  // Waits for the first snapshot.
  async open() {
    [this.id, this.radius] = [new Int32Array(0), new Float32Array(0)];
    [this.shape, this.layer] = [new Int32Array(0), new Int32Array(0)];
    while (!this.frames && !this.ended) {
      await this.more();
      if (!this.frames && !this.ended) await new Promise((done) => setTimeout(done, LOOK / 4));
    }
    if (!this.frames) throw new Error("the run recorded no snapshot; a finer log.snapshots would");
  }

  // Asks for more; whether there is still more to ask for.
  async more() {
    const reply = await fetch(`parts?from=${this.next}`);
    if (!reply.ok) throw new Error(`the program answers ${reply.status}`);
    const said = await reply.json();
    for (const part of said.parts) await this.add(part);
    this.next = said.next;
    this.ended = said.ended;
    if (said.parts.length) this.grown();
    return said.more;
  }

  async add({ head, chunks, moving }) {
    const all = this.head;
    const count = head.grains - this.id.length;
    const data = new Columns(await inflated(decoded(chunks[0])));
    const joined = (old, more) => {
      const both = new old.constructor(old.length + more.length);
      both.set(old);
      both.set(more, old.length);
      return both;
    };
    this.id = joined(this.id, data.column(count, 4));
    this.radius = joined(this.radius, new Float32Array(data.column(count, 4).buffer));
    this.shape = joined(this.shape, data.column(count, 2));
    this.layer = joined(this.layer, data.column(count, 1));
    all.grains = head.grains;
    all.mean_radius = head.mean_radius;
    for (const name of ["velocity", "spin", "force", "strong"]) all.scale[name] = this.stores.length ? Math.max(all.scale[name], head.scale[name]) : head.scale[name];
    const span = ([low, high], k) => high[k] - low[k];
    for (let k = 0; k < 3; k++) {
      if (!this.stores.length || !(span(all.view, k) > 0)) [all.view[0][k], all.view[1][k]] = [head.view[0][k], head.view[1][k]];
      else {
        all.view[0][k] = Math.min(all.view[0][k], head.view[0][k]);
        all.view[1][k] = Math.max(all.view[1][k], head.view[1][k]);
      }
    }
    for (const wall of moving) {
      const known = this.scene.moving.find((w) => w.name === wall.name);
      if (known) known.poses.push(...wall.poses);
    }
    const before = all.times.length;
    head.starts.forEach((start, k) => {
      all.starts.push(before + start);
      this.heads.push(head);
      this.stores.push(decoded(chunks[k + 1]));
    });
    all.times.push(...head.times);
    all.counts.push(...head.counts);
  }

  // Asks for more of the film again and again, until the run has ended or nobody answers.
  watch(lost) {
    const look = async () => {
      try {
        while (await this.more());
        if (!this.ended) setTimeout(look, LOOK);
      } catch {
        lost();
      }
    };
    setTimeout(look, LOOK);
  }

  // Asks for figures and plots again and again.
  listen(lost) {
    const state = async () => {
      try {
        // What somebody points at stays as it is.
        const busy = document.hidden || document.querySelector("#plots:hover, #plots :focus");
        if (!busy || this.ended) {
          const said = await (await fetch("state")).json();
          window.arenite.tell(said);
          this.scene.jams.splice(0, this.scene.jams.length, ...said.jams);
          if (this.frames) this.grown();
          if (said.ended) return;
        }
        setTimeout(state, STATE);
      } catch {
        lost();
      }
    };
    state();
  }
}
