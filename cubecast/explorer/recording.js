/** A recording and its index: what is where in which cycle. The format is that of docs/explorer.md. */

const BLOCK = 64; // cycles of a bucket of waits
const STATES = new Set(["cycle", "units", "arbiters"]); // what is there after the last cycle, too, and makes none
const LATE = 2; // cycles from the one in which a fault vector is written until links are cut, or work again

/** Return the text that the page carries: JSON Lines, packed by gzip, in base64. */
export async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Return the place of the last entry of an ascending list that is not greater than a value, -1 if there is none. */
export function lastUpTo(list, value) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Return the last values that came up to a cycle, an empty list if none did. */
function inForce({ cycles, values }, cycle) {
  const place = lastUpTo(cycles, cycle);
  return place < 0 ? [] : values[place];
}

export class Recording {
  /** Read the lines of a recording. */
  constructor(text) {
    const lines = text.trimEnd().split("\n");
    this.header = JSON.parse(lines[0]);
    const { dim, units } = this.header;
    this.dim = dim;
    this.time = this.header.time ?? "cycle"; // what time is counted in
    this.moves = this.time === "step" ? "message" : "word"; // what crosses a link in it
    this.nodes = 2 ** dim;
    this.units = units;
    this.messages = this.header.messages;
    this.runs = [];
    this.waits = [];
    this.reports = [];
    this.runsOf = this.messages.map(() => []);
    this.waitsOf = this.messages.map(() => []);
    this.runsOver = new Map(); // by node * dim + dimension
    this.injected = Array.from({ length: this.nodes }, () => []);
    this.ejected = Array.from({ length: this.nodes }, () => []);
    this.vectors = this.#faults();
    this.arbiters = this.header.arbiters ?? [];
    const places = this.arbiters.map((_, arbiter) => arbiter);
    this.orders = Array.from({ length: this.nodes }, () => places.map(() => ({ cycles: [], values: [] })));
    this.changes = Array.from({ length: this.nodes }, () => units.map(() => ({ cycles: [], values: [] })));
    let last = this.header.cycles - 1;
    for (const line of lines.slice(1)) {
      const events = JSON.parse(line);
      this.#read(events);
      if (Object.keys(events).some((kind) => !STATES.has(kind))) last = Math.max(last, events.cycle);
    }
    for (const run of this.runs) last = Math.max(last, run.last);
    this.cycles = Math.max(1, last + 1);
    this.#index();
  }

  /** Return the fault vectors of all nodes, each from a cycle on. */
  #faults() {
    const { faults, faulty_links, changes } = this.header;
    const broken = new Set(faults);
    const links = new Set((faulty_links ?? []).flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]));
    const bits = Array.from({ length: this.dim }, (_, dimension) => 1 << dimension);
    const vectors = Array.from({ length: this.nodes }, (_, node) => {
      const dead = bits.filter((bit) => broken.has(node ^ bit) || links.has(`${node}-${node ^ bit}`));
      return { cycles: [0], values: [dead.reduce((vector, bit) => vector | bit, 0)] };
    });
    for (const { cycle, node, vector } of [...(changes ?? [])].sort((a, b) => a.cycle - b.cycle)) {
      vectors[node].cycles.push(cycle + LATE);
      vectors[node].values.push(vector);
    }
    return vectors;
  }

  #read(events) {
    const { cycle } = events;
    for (const [node, dimension, lane, message, words, times] of events.links ?? []) {
      const to = node ^ (1 << dimension);
      const run = this.#run("links", { node, to, dimension, lane, message, words, times, cycle });
      const key = node * this.dim + dimension;
      if (!this.runsOver.has(key)) this.runsOver.set(key, []);
      this.runsOver.get(key).push(run);
    }
    for (const kind of ["inject", "eject"]) {
      for (const [node, message, words, times] of events[kind] ?? []) {
        const run = this.#run(kind, { node, to: node, dimension: -1, lane: 0, message, words, times, cycle });
        (kind === "inject" ? this.injected : this.ejected)[node].push(run);
      }
    }
    for (const [node, unit, values] of events.units ?? []) {
      const { cycles, values: kept } = this.changes[node][unit];
      cycles.push(cycle);
      kept.push(values);
    }
    for (const [node, arbiter, order] of events.arbiters ?? []) {
      const { cycles, values: kept } = this.orders[node][arbiter];
      cycles.push(cycle);
      kept.push(order);
    }
    for (const [node, unit, port, message, why, by, count] of events.waits ?? []) {
      const wait = { node, unit, port, message, why, by, cycle, last: cycle + count - 1 };
      this.waits.push(wait);
      this.waitsOf[message]?.push(wait);
    }
    for (const [node, message, reason, destination] of events.reports ?? []) {
      this.reports.push({ node, message, reason, destination, cycle });
    }
  }

  #run(kind, run) {
    const last = run.cycle + (run.times ? run.times.at(-1) : run.words.length - 1);
    Object.assign(run, { kind, last });
    this.runs.push(run);
    this.runsOf[run.message]?.push(run);
    return run;
  }

  #index() {
    this.load = new Uint32Array(this.cycles);
    const crossing = this.runs.filter((run) => run.kind === "links");
    for (const run of crossing) this.#moving(run).forEach((_, place) => this.load[this.#time(run, place)]++);
    this.starts = new Uint32Array(this.cycles + 1);
    for (let cycle = 0; cycle < this.cycles; cycle++) this.starts[cycle + 1] = this.starts[cycle] + this.load[cycle];
    const next = this.starts.slice();
    this.moving = new Uint32Array(this.starts[this.cycles]);
    this.places = new Uint32Array(this.starts[this.cycles]);
    this.crossing = crossing;
    crossing.forEach((run, index) =>
      this.#moving(run).forEach((_, place) => {
        const slot = next[this.#time(run, place)]++;
        this.moving[slot] = index;
        this.places[slot] = place;
      }),
    );
    // In which cycle a message begins to come to a node; of one that is cut off the node never has all.
    const whole = this.header.deliveries.filter(({ error }) => !error);
    this.delivered = new Map(whole.map(({ message, node, first_cycle }) => [`${message} ${node}`, first_cycle]));
    this.peak = this.load.reduce((most, words) => Math.max(most, words), 0);
    this.buckets = Array.from({ length: Math.ceil(this.cycles / BLOCK) }, () => []);
    for (const wait of this.waits) {
      const end = Math.min(this.buckets.length - 1, Math.floor(wait.last / BLOCK));
      for (let block = Math.floor(wait.cycle / BLOCK); block <= end; block++) this.buckets[block].push(wait);
    }
  }

  /** Return what of a run is seen on the link: each word in its cycle; in a step the message as a whole. */
  #moving(run) {
    return this.moves === "word" ? run.words : run.words.slice(0, 1);
  }

  #time(run, place) {
    return run.cycle + (run.times ? run.times[place] : place);
  }

  /** Return the words that cross links in a cycle: the run, and the place of the word in it. */
  wordsAt(cycle) {
    const found = [];
    for (let slot = this.starts[cycle]; slot < this.starts[cycle + 1]; slot++) {
      found.push({ run: this.crossing[this.moving[slot]], place: this.places[slot] });
    }
    return found;
  }

  /** Return who waits in a cycle. */
  waitsAt(cycle) {
    return this.buckets[Math.floor(cycle / BLOCK)].filter((wait) => wait.cycle <= cycle && cycle <= wait.last);
  }

  /** Return whether a link is cut in a cycle, which it is in both directions if one of its ends has it as faulty. */
  cutAt(node, dimension, cycle) {
    return [node, node ^ (1 << dimension)].some((end) => (inForce(this.vectors[end], cycle) >> dimension) & 1);
  }

  /** Return what a unit of a node holds in a cycle; nothing if it is empty. */
  valuesAt(node, unit, cycle) {
    return inForce(this.changes[node][unit], cycle);
  }

  /** Return the arbiters of a node in a cycle: the units in the order in which they are served, and who of them waits. */
  arbitersAt(node, cycle) {
    const waits = this.waitsAt(cycle).filter((wait) => wait.node === node);
    return this.arbiters.map(([name, port], arbiter) => {
      const waiting = new Set(waits.filter((wait) => wait.port === port).map(({ unit }) => unit));
      const order = inForce(this.orders[node][arbiter], cycle);
      return { name, order: order.map((unit) => ({ unit, name: this.units[unit][0], waits: waiting.has(unit) })) };
    });
  }

  /** Return the units of a node that hold anything in a cycle, with their fields by name. */
  unitsAt(node, cycle) {
    return this.units.flatMap(([name, kind], unit) => {
      const values = this.valuesAt(node, unit, cycle);
      if (!values.length) return [];
      const fields = this.header.kinds[kind].map((field, place) => [field, values[place]]);
      return [{ unit, name, kind, fields: Object.fromEntries(fields) }];
    });
  }

  /** Return the runs of words over a link in one direction. */
  over(node, dimension) {
    return this.runsOver.get(node * this.dim + dimension) ?? [];
  }

  /** Return what a message is called: its place in the file. */
  called(message) {
    return message in this.messages ? `message ${this.messages[message].message}` : "unknown message";
  }

  /** Return an address with its bits. */
  address(node) {
    return `${node} ${node.toString(2).padStart(this.dim, "0")}`;
  }

  /** Return what a port of a router is called. */
  port(port) {
    return port < this.dim ? `dimension ${port}` : "the local port";
  }

  /** Return what fits a search: messages by number or by what they are, nodes by address, and events by their reason. */
  search(text) {
    const asked = text.trim().toLowerCase();
    if (!asked) return [];
    const found = [];
    const [, kind, number] = asked.match(/^(message|m|node|n)?\s*#?(\d+|0b[01]+)$/) ?? [];
    if (number !== undefined) {
      const value = Number(number);
      const bits = number.length === this.dim && /^[01]+$/.test(number) ? Number.parseInt(number, 2) : value;
      const place = this.messages.findIndex((message) => message.message === value);
      if (!kind?.startsWith("n") && place >= 0) found.push({ label: this.called(place), message: place });
      if (!kind?.startsWith("m")) {
        for (const node of new Set([value, bits])) {
          if (node < this.nodes) found.push({ label: `node ${this.address(node)}`, node });
        }
      }
      return found;
    }
    this.messages.forEach(({ what }, message) => {
      if (what?.toLowerCase().includes(asked)) found.push({ label: `${this.called(message)}: ${what}`, message });
    });
    for (const { reason, node, message, cycle } of this.reports) {
      if (reason.toLowerCase().includes(asked)) {
        const label = `${this.time} ${cycle}: ${reason}, ${this.called(message)}, node ${node}`;
        found.push({ label, message, cycle });
      }
    }
    for (const { reason, node, message } of this.header.errors) {
      const known = this.reports.some((report) => report.reason === reason);
      const place = this.messages.findIndex((each) => each.message === message);
      if (!known && reason.toLowerCase().includes(asked)) {
        found.push({ label: `${reason}, ${this.called(place)}, node ${node}`, message: place });
      }
    }
    for (const { why, node, message, cycle, last } of this.waits) {
      if (why.includes(asked)) {
        const cycles = last === cycle ? `${this.time} ${cycle}` : `${this.time}s ${cycle} to ${last}`;
        found.push({ label: `${cycles}: ${why}, ${this.called(message)}, node ${node}`, message, cycle });
      }
    }
    return found;
  }
}
