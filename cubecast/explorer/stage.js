/** The picture: nodes as SVG, so that they can be focused and named; below them words on a canvas of their own, and on
 * another one what stays as it is for a cycle. */

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = ["line", "used", "tree", "waiting", "ring", "text", "page", "faulty"];
const SIDE = 5; // how far to the right of a link's middle its words travel
const BINARY = 20; // radius above which a node has room for its address in bits
const [LEAST, WIDEST] = [0.45, 900]; // least size of the picture, and pixels that it is not made wider than for that
const LEGIBLE = 6.5; // pixels of the smallest number that is written

/** Return the colour of a message: neighbours in number look different, and the hues come back after a long way. */
export function colour(message, dark) {
  return message < 0 ? "gray" : `hsl(${Math.round((message * 137.508 + 215) % 360)} ${dark ? "75% 62%" : "70% 42%"})`;
}

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

export class Stage {
  /** Draw the cube of a recording; `select(what)` is called with the node or the link that is clicked. */
  constructor(box, recording, layout, select) {
    this.box = box;
    this.recording = recording;
    this.layout = layout;
    [this.still, this.moving] = box.querySelectorAll("canvas");
    this.svg = box.querySelector("svg");
    this.svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    box.style.setProperty("--ratio", layout.width / layout.height);
    box.style.setProperty("--least", `${Math.min(LEAST * layout.width, WIDEST)}px`);
    this.places = layout.places.map(([x, y]) => ({ x, y }));
    const dimensions = Array.from({ length: recording.dim }, (_, dimension) => 1 << dimension);
    this.ways = this.places.map((_, node) => dimensions.map((bit) => this.#between(node, node ^ bit)));
    this.dead = new Set(recording.header.faults);
    this.marks = new Array(recording.nodes).fill("");
    this.selection = {};
    this.#links(select);
    this.#nodes(select);
    this.resize();
  }

  #links(select) {
    this.pairs = [];
    const group = element("g", {}, this.svg);
    for (let node = 0; node < this.recording.nodes; node++) {
      for (let dimension = 0; dimension < this.recording.dim; dimension++) {
        const to = node ^ (1 << dimension);
        if (to < node) continue;
        const inside = dimension < this.layout.inside;
        this.pairs.push({ node, to, dimension, inside });
        if (!inside) continue;
        const [a, b] = [this.places[node], this.places[to]];
        const hit = element("line", { class: "hit", x1: a.x, y1: a.y, x2: b.x, y2: b.y }, group);
        hit.dataset.link = `${node}-${to}`;
        element("title", {}, hit).textContent = `link ${node}-${to}, dimension ${dimension}`;
        hit.addEventListener("click", () => select({ link: [node, dimension] }));
      }
    }
  }

  #nodes(select) {
    const { radius } = this.layout;
    this.shapes = this.places.map(({ x, y }, node) => {
      const label = `node ${this.recording.address(node)}${this.dead.has(node) ? ", faulty" : ""}`;
      const shape = element(
        "g",
        { class: "node", role: "button", tabindex: node ? -1 : 0, "aria-label": label, "data-node": node },
        this.svg,
      );
      element("title", {}, shape).textContent = label;
      element("circle", { cx: x, cy: y, r: radius }, shape);
      const binary = radius > BINARY;
      const size = radius * (node > 99 ? 0.8 : binary ? 0.86 : 1.05);
      const number = element("text", { x, y: y + size * (binary ? 0.12 : 0.36), "font-size": size }, shape);
      number.textContent = node;
      if (binary) {
        const bits = element("text", { x, y: y + radius * 0.62, "font-size": radius * 0.46 }, shape);
        bits.textContent = node.toString(2).padStart(this.recording.dim, "0");
      }
      shape.addEventListener("click", () => select({ node }));
      shape.addEventListener("keydown", (event) => this.#walk(event, node, select));
      shape.addEventListener("focus", () => this.#rove(node));
      return shape;
    });
    this.roving = 0;
  }

  /** A digit leads to the neighbour in that dimension, Enter selects. */
  #walk(event, node, select) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") select({ node });
    else if (/^\d$/.test(event.key) && Number(event.key) < this.recording.dim) {
      this.shapes[node ^ (1 << Number(event.key))].focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #rove(node) {
    this.shapes[this.roving].setAttribute("tabindex", -1);
    this.shapes[node].setAttribute("tabindex", 0);
    this.roving = node;
  }

  /** Fit the canvas to the box, and take the colours of the page. */
  resize() {
    const style = getComputedStyle(this.box);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.dark = style.getPropertyValue("--dark").trim() === "1";
    this.tints = this.recording.messages.map((_, message) => colour(message, this.dark));
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.still, this.moving]) {
      canvas.width = Math.round(this.box.clientWidth * ratio);
      canvas.height = Math.round(this.box.clientHeight * ratio);
    }
    this.scale = this.still.width / this.layout.width;
    const { radius } = this.layout;
    const pixel = this.layout.width / (this.box.clientWidth || 1);
    this.head = Math.min(Math.max(radius * 0.5, LEGIBLE * pixel), radius * 0.75);
    this.legible = LEGIBLE * pixel;
    this.svg.classList.toggle("plain", radius > BINARY && radius * 0.46 < this.legible);
    this.drawn = "";
  }

  /** Draw a cycle; `part` says how much of it has passed. Return what moves, and what waits. */
  draw(cycle, part, ring) {
    const shown = `${cycle} ${ring}`;
    if (shown !== this.drawn) {
      this.drawn = shown;
      this.words = this.recording.wordsAt(cycle);
      this.waits = this.recording.waitsAt(cycle);
      this.#drawStill(cycle, ring);
      this.#mark(cycle, this.words, this.waits);
    }
    this.#drawMoving(part);
    return { words: this.words, waits: this.waits };
  }

  #clear(canvas) {
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    return pen;
  }

  #drawStill(cycle, ring) {
    const pen = this.#clear(this.still);
    this.#cube(pen, cycle);
    this.#tree(pen, cycle);
    if (this.selection.link) this.#selected(pen);
    if (ring) this.#ring(pen);
    for (const { run } of this.words) this.#track(pen, run);
    this.#waits(pen, this.waits);
  }

  /** Highlight a message, a node or a link from now on. */
  choose(selection) {
    this.selection = selection;
    this.drawn = "";
  }

  #line(pen, from, to) {
    const [a, b] = [this.places[from], this.places[to]];
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
  }

  #cube(pen, cycle) {
    const dead = ({ node, dimension }) => this.recording.cutAt(node, dimension, cycle);
    for (const [kind, width, inside] of [["line", 1.2, true], ["line", 0.4, false]]) {
      pen.strokeStyle = this.colours[kind];
      pen.lineWidth = width;
      pen.beginPath();
      for (const pair of this.pairs) if (pair.inside === inside && !dead(pair)) this.#line(pen, pair.node, pair.to);
      pen.stroke();
    }
    pen.strokeStyle = this.colours.faulty;
    pen.setLineDash([2, 5]);
    pen.lineWidth = 1;
    pen.beginPath();
    for (const pair of this.pairs) if (pair.inside && dead(pair)) this.#line(pen, pair.node, pair.to);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** The links that the selected message has crossed so far, those to come faint. */
  #tree(pen, cycle) {
    const runs = this.recording.runsOf[this.selection.message] ?? [];
    pen.strokeStyle = colour(this.selection.message, this.dark);
    for (const run of runs) {
      if (run.kind !== "links") continue;
      pen.globalAlpha = run.cycle <= cycle ? 0.55 : 0.15;
      pen.lineWidth = 8;
      pen.beginPath();
      this.#line(pen, run.node, run.to);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  #selected(pen) {
    const [node, dimension] = this.selection.link;
    pen.strokeStyle = this.colours.used;
    pen.lineWidth = 6;
    pen.globalAlpha = 0.45;
    pen.beginPath();
    this.#line(pen, node, node ^ (1 << dimension));
    pen.stroke();
    pen.globalAlpha = 1;
  }

  /** The ring of buffers that wait for each other: an arrow from each node to the one it waits for. */
  #ring(pen) {
    const { ring } = this.recording.header;
    pen.strokeStyle = pen.fillStyle = this.colours.ring;
    pen.lineWidth = 4;
    ring.forEach(([node], place) => {
      const [to] = ring[(place + 1) % ring.length];
      if (to === node) return;
      const { start, end, dx, dy } = this.#between(node, to);
      pen.setLineDash([9, 5]);
      pen.beginPath();
      pen.moveTo(start.x, start.y);
      pen.lineTo(end.x - dx * 8, end.y - dy * 8);
      pen.stroke();
      pen.setLineDash([]);
      this.#arrow(pen, end, dx, dy, 12);
    });
  }

  #arrow(pen, tip, dx, dy, size) {
    pen.beginPath();
    pen.moveTo(tip.x, tip.y);
    pen.lineTo(tip.x - dx * size - dy * size * 0.5, tip.y - dy * size + dx * size * 0.5);
    pen.lineTo(tip.x - dx * size + dy * size * 0.5, tip.y - dy * size - dx * size * 0.5);
    pen.fill();
  }

  /** Return start and end of the way of words from a node to another, and its direction. */
  #between(from, to) {
    const [a, b] = [this.places[from], this.places[to]];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const side = SIDE * (this.layout.radius / 21);
    const gap = this.layout.radius + 1;
    const start = { x: a.x + dx * gap - dy * side, y: a.y + dy * gap + dx * side };
    const end = { x: b.x - dx * gap - dy * side, y: b.y - dy * gap + dx * side };
    return { start, end, dx, dy };
  }

  #track(pen, run) {
    const { start, end, dx, dy } = this.ways[run.node][run.dimension];
    pen.strokeStyle = pen.fillStyle = this.#tint(run.message);
    pen.globalAlpha = this.#dimmed(run.message) ? 0.25 : 0.8;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(start.x, start.y);
    pen.lineTo(end.x, end.y);
    pen.stroke();
    this.#arrow(pen, end, dx, dy, this.layout.radius * 0.45);
    pen.globalAlpha = 1;
  }

  #dimmed(message) {
    return this.selection.message !== undefined && this.selection.message !== message;
  }

  /** A bar across the link that a message waits for, at the node where it waits. */
  #waits(pen, waits) {
    for (const { node, port, message } of waits) {
      if (port >= this.recording.dim) continue;
      const { start, dx, dy } = this.ways[node][port];
      const half = this.layout.radius * 0.45;
      pen.strokeStyle = this.colours.waiting;
      pen.globalAlpha = this.#dimmed(message) ? 0.3 : 1;
      pen.lineWidth = 4 * (this.layout.radius / 21);
      const [x, y] = [start.x + dx * 4, start.y + dy * 4];
      pen.beginPath();
      pen.moveTo(x - dy * half, y + dx * half);
      pen.lineTo(x + dy * half, y - dx * half);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  #tint(message) {
    return this.tints[message] ?? colour(message, this.dark);
  }

  /** Words on their links: squares, the first word of a message a larger one with its number. */
  #drawMoving(part) {
    const pen = this.#clear(this.moving);
    const squares = this.words.map(({ run, place }) => {
      const { start, end } = this.ways[run.node][run.dimension];
      const half = place ? this.layout.radius * 0.3 : this.head;
      const [x, y] = [start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part];
      return { message: run.message, place, half, x, y };
    });
    // Those of the selected message are drawn last, and the others lightly.
    const others = squares.filter(({ message }) => this.#dimmed(message));
    pen.globalAlpha = 0.3;
    this.#squares(pen, others);
    pen.globalAlpha = 1;
    this.#squares(pen, others.length ? squares.filter(({ message }) => !this.#dimmed(message)) : squares);
  }

  #squares(pen, squares) {
    pen.fillStyle = this.colours.page;
    pen.beginPath();
    for (const { half, x, y } of squares) pen.rect(x - half - 0.5, y - half - 0.5, 2 * half + 1, 2 * half + 1);
    pen.fill();
    for (const { message, half, x, y } of squares) {
      pen.fillStyle = this.#tint(message);
      pen.fillRect(x - half + 0.5, y - half + 0.5, 2 * half - 1, 2 * half - 1);
    }
    pen.fillStyle = this.colours.page;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const { message, place, half, x, y } of squares) {
      if (place || !(message in this.recording.messages)) continue;
      const text = String(this.recording.messages[message].message);
      const size = half * (text.length > 2 ? 1.05 : 1.4);
      if (size < this.legible) continue;
      pen.font = `bold ${size}px sans-serif`;
      pen.fillText(text, x, y);
    }
  }

  /** Show in the nodes who is busy, who waits, who gets a word, of the selected message if one is. */
  #mark(cycle, words, waits) {
    const { delivered, ejected, injected, messages } = this.recording;
    const mine = ({ message }) => !this.#dimmed(message);
    const waiting = new Set(waits.filter(mine).map(({ node }) => node));
    const moving = new Set(words.filter(({ run }) => mine(run)).flatMap(({ run }) => [run.node, run.to]));
    const chosen = messages[this.selection.message];
    const meant = new Set(chosen?.destinations);
    const got = (node) => delivered.get(`${chosen.message} ${node}`) <= cycle;
    const active = (runs) => runs.some((run) => run.cycle <= cycle && cycle <= run.last && mine(run));
    for (let node = 0; node < this.shapes.length; node++) {
      const names = ["node"];
      if (this.dead.has(node)) names.push("faulty");
      else if (active(ejected[node])) names.push("delivers");
      else if (waiting.has(node)) names.push("waits");
      else if (moving.has(node) || active(injected[node])) names.push("busy");
      if (chosen?.source === node) names.push("source");
      if (meant.has(node)) names.push(got(node) ? "got" : "meant");
      if (this.selection.node === node) names.push("selected");
      const mark = names.join(" ");
      if (mark !== this.marks[node]) this.shapes[node].setAttribute("class", mark);
      this.marks[node] = mark;
    }
  }
}
