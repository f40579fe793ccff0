// Hover values of the plots, saving them, and the line that shows where the animation is. The plots
// themselves need no script.
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const title = document.title.replace(/[^\w.-]+/g, "-");

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type }));
    link.download = `${title}-${name}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // At most five digits that count.
  function say(value) {
    if (value === null || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(3).replace("-", "−").replace("e+", "e");
    return String(Number(value.toPrecision(5))).replace("-", "−");
  }

  function csv(columns) {
    const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const head = columns.map((c) => cell(c.unit === "1" ? c.name : `${c.name} [${c.unit}]`)).join(",");
    const rows = [head];
    for (let k = 0; k < columns[0].values.length; k++) {
      rows.push(columns.map((c) => (c.values[k] === null ? "" : String(c.values[k]))).join(","));
    }
    return rows.join("\n") + "\n";
  }

  // A drawing by itself: the colours of a light page, its styles within.
  function alone(svg) {
    const copy = svg.cloneNode(true);
    for (const extra of copy.querySelectorAll(".here, .probe")) extra.remove();
    for (const name of ["tabindex", "data-frame", "data-x", "data-y"]) copy.removeAttribute(name);
    const [, , width, height] = svg.getAttribute("viewBox").split(" ");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    let rules = byId("plot-style").textContent;
    let text = new XMLSerializer().serializeToString(copy);
    const light = {};
    const root = [...document.styleSheets[0].cssRules].find((rule) => rule.selectorText === ":root");
    for (const name of root.style) if (name.startsWith("--")) light[name] = root.style.getPropertyValue(name).trim();
    const fixed = (part) => part.replace(/var\((--[\w-]+)\)/g, (_, name) => light[name] ?? "#000");
    rules = fixed(rules);
    text = fixed(text);
    return `<?xml version="1.0" encoding="UTF-8"?>\n` + text.replace(/>/, `><style>${rules}</style><rect width="100%" height="100%" fill="#fff"/>`);
  }

  class Hover {
    constructor(figure) {
      this.figure = figure;
      this.svg = figure.querySelector("svg.plot");
      this.id = figure.id;
      [this.left, this.top, this.width, this.height] = this.svg.dataset.frame.split(" ").map(Number);
      this.x = this.axis(this.svg.dataset.x);
      this.y = this.axis(this.svg.dataset.y);
      this.timed = figure.dataset.timed === "yes";
      this.field = figure.dataset.field === "yes";
      this.row = -1;
      const tip = document.createElement("div");
      tip.className = "tip";
      tip.hidden = true;
      figure.append(tip);
      this.tip = tip;
      this.probe = this.line("probe");
      this.here = this.timed ? this.line("here") : null;
      this.svg.addEventListener("pointermove", (e) => this.at(e));
      this.svg.addEventListener("pointerleave", () => this.hide());
      this.svg.addEventListener("blur", () => this.hide());
      this.svg.addEventListener("keydown", (e) => this.key(e));
      this.svg.addEventListener("click", () => this.seek());
      if (this.timed) this.svg.style.cursor = "crosshair";
      figure.querySelector(".csv").addEventListener("click", () => save(`${this.id}.csv`, "text/csv", csv(this.table())));
      figure.querySelector(".svg").addEventListener("click", () => save(`${this.id}.svg`, "image/svg+xml", alone(this.svg)));
    }

    axis(text) {
      const [low, high, kind] = text.split(" ");
      return { low: Number(low), high: Number(high), log: kind === "log" };
    }

    line(kind) {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      line.setAttribute("class", kind);
      line.setAttribute("y1", this.top);
      line.setAttribute("y2", this.top + this.height);
      line.style.display = "none";
      this.svg.append(line);
      return line;
    }

    table() {
      this.columns ??= JSON.parse(byId(`data-${this.id}`).textContent);
      return this.columns;
    }

    share(axis, value) {
      return axis.log ? Math.log(value / axis.low) / Math.log(axis.high / axis.low) : (value - axis.low) / (axis.high - axis.low);
    }

    value(axis, share) {
      return axis.log ? axis.low * (axis.high / axis.low) ** share : axis.low + share * (axis.high - axis.low);
    }

    at(event) {
      const place = this.svg.createSVGPoint();
      place.x = event.clientX;
      place.y = event.clientY;
      const p = place.matrixTransform(this.svg.getScreenCTM().inverse());
      const [u, v] = [(p.x - this.left) / this.width, (p.y - this.top) / this.height];
      if (u < -0.02 || u > 1.02 || v < -0.05 || v > 1.05) return this.hide();
      const [x, y] = [this.value(this.x, u), this.value(this.y, 1 - v)];
      this.show(this.field ? this.nearest(x, y) : this.closest(x));
    }

    // The row whose first value is closest; tables over x are in its order.
    closest(x) {
      const xs = this.table()[0].values;
      let best = 0;
      for (let low = 0, high = xs.length - 1; low <= high; ) {
        const mid = (low + high) >> 1;
        if (Math.abs(xs[mid] - x) < Math.abs(xs[best] - x)) best = mid;
        if (xs[mid] < x) low = mid + 1;
        else high = mid - 1;
      }
      return best;
    }

    nearest(x, y) {
      const [xs, ys] = this.table().map((c) => c.values);
      let [best, least] = [0, Infinity];
      for (let k = 0; k < xs.length; k++) {
        const far = (xs[k] - x) ** 2 + (ys[k] - y) ** 2;
        if (far < least) [best, least] = [k, far];
      }
      return best;
    }

    show(row) {
      const table = this.table();
      this.row = Math.max(0, Math.min(row, table[0].values.length - 1));
      const x = table[0].values[this.row];
      const lines = table.map((c) => {
        const unit = c.unit === "1" ? "" : ` ${c.unit}`;
        return `${c.name.replaceAll("_", " ")}  ${say(c.values[this.row])}${unit}`;
      });
      this.tip.textContent = lines.join("\n");
      this.tip.hidden = false;
      const share = this.share(this.x, x);
      const at = this.left + this.width * share;
      this.probe.setAttribute("x1", at);
      this.probe.setAttribute("x2", at);
      this.probe.style.display = this.field ? "none" : "";
      const box = this.svg.getBoundingClientRect();
      const frame = this.figure.getBoundingClientRect();
      const scale = box.width / this.svg.viewBox.baseVal.width;
      const px = box.left - frame.left + at * scale;
      const right = px > 0.55 * frame.width;
      this.tip.style.left = right ? "" : `${px + 10}px`;
      this.tip.style.right = right ? `${frame.width - px + 10}px` : "";
      this.tip.style.top = `${box.top - frame.top + this.top * scale + 6}px`;
    }

    hide() {
      this.tip.hidden = true;
      this.probe.style.display = "none";
    }

    key(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
      if (step) {
        this.show(this.row < 0 ? 0 : this.row + step);
        event.preventDefault();
      } else if (event.key === "Escape") this.hide();
      else if (event.key === "Enter") this.seek();
    }

    seek() {
      if (!this.timed || this.row < 0) return;
      document.dispatchEvent(new CustomEvent("seek", { detail: this.table()[0].values[this.row] }));
    }

    mark(time) {
      const share = this.share(this.x, time);
      const seen = share >= 0 && share <= 1;
      this.here.style.display = seen ? "" : "none";
      const at = this.left + this.width * share;
      this.here.setAttribute("x1", at);
      this.here.setAttribute("x2", at);
    }
  }

  let hovers = [];
  const hook = () => (hovers = [...document.querySelectorAll("#plots figure")].map((figure) => new Hover(figure)));
  hook();
  document.addEventListener("moment", (event) => {
    for (const hover of hovers) if (hover.here) hover.mark(event.detail);
  });

  // What a run that goes on says of itself.
  function tell(said) {
    byId("status").className = `status ${said.status}`;
    byId("status").textContent = said.words;
    for (const name of ["tiles", "warnings", "plots"]) if (said[name] !== undefined) byId(name).innerHTML = said[name];
    if (said.data === undefined) return;
    byId("behind").innerHTML = said.data;
    hook();
  }
  window.arenite = { save, say, tell };
})();
