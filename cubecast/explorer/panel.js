/** What is told beside the picture: of all messages, of one, of a node, of a link. */

const MOST = 200; // rows of a table
const MOST_WORDS = 24; // words of a run that are shown

/** Return an element with attributes and children. */
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export class Panel {
  /** Tell of a recording in a box; `select(what)` and `seek(cycle)` are called when something is followed. */
  constructor(box, recording, select, seek) {
    Object.assign(this, { box, recording, select, seek });
  }

  /** Show a selection as it is in a cycle. */
  show(selection, cycle) {
    this.cycle = cycle;
    const { message, node, link } = selection;
    if (message !== undefined) this.#put(this.#message(message));
    else if (node !== undefined) this.#put(this.#node(node));
    else if (link !== undefined) this.#put(this.#link(...link));
    else this.#put(this.#overview());
  }

  /** Show that another cycle has come, if that changes what is told. */
  pass(selection, cycle) {
    if (selection.node !== undefined) this.show(selection, cycle);
    else {
      this.cycle = cycle;
      for (const row of this.box.querySelectorAll("tr[data-first]")) this.#current(row);
    }
  }

  #current(row) {
    row.classList.toggle("now", row.dataset.first <= this.cycle && this.cycle <= row.dataset.last);
  }

  /** Replace what is told; what had the focus keeps it. */
  #put(parts) {
    const focused = this.box.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    this.box.replaceChildren(...parts);
    for (const row of this.box.querySelectorAll("tr[data-first]")) this.#current(row);
    if (focused) this.box.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  #to(label, what) {
    const name = `${label} ${JSON.stringify(what)}`.replaceAll('"', "'");
    return make("button", { class: "to", type: "button", "data-name": name, onclick: () => this.select(what) }, label);
  }

  #at(cycle, label = String(cycle)) {
    const title = `go to ${this.recording.time} ${cycle}`;
    const attributes = { class: "to", type: "button", "data-name": `at ${cycle}`, title };
    return make("button", { ...attributes, onclick: () => this.seek(cycle) }, label);
  }

  #messageButton(message) {
    const called = this.recording.called(message);
    return message in this.recording.messages ? this.#to(called, { message }) : called;
  }

  #nodeButton(node) {
    return this.#to(String(node), { node });
  }

  #linkButton(node, dimension) {
    return this.#to(`${node} → ${node ^ (1 << dimension)}`, { link: [node, dimension] });
  }

  #close(title) {
    const close = this.#to("all messages", {});
    return make("div", { class: "head" }, make("h2", {}, title), close);
  }

  #span({ cycle, last }) {
    return make("span", {}, this.#at(cycle), last > cycle ? `–${last}` : "");
  }

  /** Return a table; a row is a list of cells, with the cycles that it is about if it has any. */
  #table(caption, heads, rows, counted = true) {
    if (!rows.length) return make("p", { class: "none" }, `${caption}: none`);
    const shown = rows.slice(0, MOST);
    const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
    const body = shown.map(({ cells, first, last }) => {
      const times = first === undefined ? {} : { "data-first": first, "data-last": last };
      return make("tr", times, ...cells.map((cell) => make("td", {}, ...[cell].flat())));
    });
    const left = rows.length - shown.length;
    const all = counted ? `${caption} (${rows.length})` : caption;
    const text = left > 0 ? `${caption}, the first ${MOST} of ${rows.length}` : all;
    const table = make("table", {}, make("caption", {}, text), make("thead", {}, head), make("tbody", {}, ...body));
    return make("div", { class: "scroll" }, table);
  }

  #overview() {
    const { header, messages } = this.recording;
    const hint = "Click a message, or a node or a link of the picture, to see what it does; Play lets the time pass.";
    const parts = [make("h2", {}, "Messages"), make("p", { class: "hint" }, hint)];
    const delivered = new Map();
    for (const { message, error } of header.deliveries) {
      if (!error) delivered.set(message, (delivered.get(message) ?? 0) + 1);
    }
    const named = messages.some(({ what }) => what);
    const rows = messages.map(({ message, source, destinations, start_cycle, what }, place) => ({
      cells: [
        this.#to(String(message), { message: place }),
        String(source),
        destinations.length > 8 ? `${destinations.length} nodes` : destinations.join(" "),
        start_cycle === null ? "never" : this.#at(start_cycle),
        `${delivered.get(message) ?? 0} of ${destinations.length}`,
        ...(named ? [what ?? ""] : []),
      ],
    }));
    const heads = ["message", "from", "to", "start", "delivered", ...(named ? ["what"] : [])];
    parts.push(this.#table("messages", heads, rows));
    if (header.errors.length) {
      const errors = header.errors.map(({ reason, node, message }) => {
        const place = messages.findIndex((each) => each.message === message);
        return { cells: [reason, this.#nodeButton(node), this.#messageButton(place)] };
      });
      parts.push(this.#table("errors", ["reason", "node", "message"], errors));
    }
    return parts;
  }

  #message(place) {
    const { header, messages, runsOf, waitsOf, reports } = this.recording;
    const { message, source, destinations, start_cycle, what } = messages[place];
    const parts = [this.#close(`Message ${message}`)];
    const to = destinations.flatMap((node, index) => [index ? " " : "", this.#nodeButton(node)]);
    const start = start_cycle === null ? ["; it has not started"] : [
      `; its first word is taken in ${this.recording.time} `, this.#at(start_cycle)];
    parts.push(make("p", {}, what ? `${what}, from ` : "from ", this.#nodeButton(source), ` to `, ...to, ...start));
    const own = header.deliveries.filter((delivery) => delivery.message === message);
    parts.push(
      this.#table(
        "deliveries",
        ["node", `first ${this.recording.time}`, `last ${this.recording.time}`, ""],
        own.map(({ node, first_cycle, last_cycle, error }) => ({
          cells: [this.#nodeButton(node), this.#at(first_cycle), this.#at(last_cycle), error ? "cut off" : ""],
          first: first_cycle,
          last: last_cycle,
        })),
      ),
    );
    parts.push(this.#runs("hops: header words in bold, and data", runsOf[place].filter(({ kind }) => kind === "links"), true));
    parts.push(this.#waits("waits", waitsOf[place], true));
    const told = reports.filter((report) => report.message === place);
    if (told.length) parts.push(this.#reports(told));
    return parts;
  }

  #words({ message, words }) {
    const header = words.length - (this.recording.messages[message]?.data_words ?? words.length);
    const shown = words.slice(0, MOST_WORDS).map((word) => (word === null ? "?" : String(word)));
    const cut = Math.max(0, header);
    const parts = [make("b", {}, shown.slice(0, cut).join(" ")), ` ${shown.slice(cut).join(" ")}`];
    if (words.length > MOST_WORDS) parts.push(` … ${words.length} words`);
    return make("code", {}, ...parts);
  }

  #runs(caption, runs, withLink) {
    const lanes = runs.some(({ dimension }) => dimension >= 0);
    const heads = [`${this.recording.time}s`, withLink ? "link" : "message", ...(lanes ? ["lane"] : []), "words"];
    const rows = runs.map((run) => ({
      cells: [
        this.#span(run),
        withLink ? this.#linkButton(run.node, run.dimension) : this.#messageButton(run.message),
        ...(lanes ? [String(run.lane)] : []),
        this.#words(run),
      ],
      first: run.cycle,
      last: run.last,
    }));
    return this.#table(caption, heads, rows);
  }

  #waits(caption, waits, withNode) {
    const { recording } = this;
    const rows = waits.map(({ node, unit, port, message, why, by, cycle, last }) => ({
      cells: [
        this.#span({ cycle, last }),
        withNode ? this.#nodeButton(node) : this.#messageButton(message),
        recording.units[unit][0],
        [`${recording.port(port)}: ${why}`, ...(by < 0 ? [] : [" (", this.#messageButton(by), ")"])],
      ],
      first: cycle,
      last,
    }));
    return this.#table(caption, [`${recording.time}s`, withNode ? "node" : "message", "in", "for"], rows);
  }

  #reports(reports) {
    const rows = reports.map(({ node, message, reason, destination, cycle }) => ({
      cells: [this.#at(cycle), reason, this.#nodeButton(node), this.#messageButton(message), String(destination)],
      first: cycle,
      last: cycle,
    }));
    return this.#table("reports", [this.recording.time, "reason", "node", "message", "destination"], rows);
  }

  #value(field, value) {
    if (field === "message") return this.#messageButton(value);
    if (field === "owner") return this.recording.units[value]?.[0] ?? "none";
    if (field === "messages") return value.flatMap((each, place) => [place ? " " : "", this.#messageButton(each)]);
    return Array.isArray(value) ? value.join(" ") || "none" : String(value);
  }

  #node(node) {
    const { recording } = this;
    const found = recording.unitsAt(node, this.cycle);
    const parts = [this.#close(`Node ${recording.address(node)}`)];
    const links = Array.from({ length: recording.dim }, (_, dimension) => [" ", this.#linkButton(node, dimension)]);
    parts.push(make("p", {}, "links:", ...links.flat()));
    const all = recording.units.length;
    const rows = found.map(({ name, fields }) => ({
      cells: [
        name,
        Object.entries(fields).flatMap(([field, value], place) => {
          const named = /^messages?$/.test(field) ? "" : `${field} `;
          return [`${place ? "; " : ""}${named}`, this.#value(field, value)].flat();
        }),
      ],
    }));
    const empty = `${all - found.length} of ${all} empty`;
    parts.push(this.#table(`units in ${recording.time} ${this.cycle}, ${empty}`, ["unit", "what it has"], rows, false));
    parts.push(...this.#arbiters(node));
    const waits = recording.waitsAt(this.cycle).filter((wait) => wait.node === node);
    if (waits.length) parts.push(this.#waits(`waiting in ${recording.time} ${this.cycle}`, waits, false));
    const told = recording.reports.filter((report) => report.node === node);
    if (told.length) parts.push(this.#reports(told));
    for (const [caption, runs] of [["injected", recording.injected[node]], ["ejected", recording.ejected[node]]]) {
      if (runs.length) parts.push(this.#runs(caption, runs, false));
    }
    return parts;
  }

  /** Return the table of whom the arbiters of a node serve next; nothing where none are recorded. */
  #arbiters(node) {
    const found = this.recording.arbitersAt(node, this.cycle).filter(({ order }) => order.length);
    if (!found.length) return [];
    const rows = found.map(({ name, order }) => ({
      cells: [
        name,
        order.find(({ waits }) => waits)?.name ?? "",
        order.flatMap(({ name: unit, waits }, place) => [place ? "; " : "", waits ? make("b", {}, unit) : unit]),
      ],
    }));
    const caption = `arbiters in ${this.recording.time} ${this.cycle}: who waits is in bold`;
    return [this.#table(caption, ["arbiter", "first that waits", "order of service"], rows, false)];
  }

  #link(node, dimension) {
    const to = node ^ (1 << dimension);
    const parts = [this.#close(`Link ${node} → ${to}`)];
    const { links } = this.recording.header;
    const counted = links.find((link) => link.from === node && link.to === to);
    const back = this.#linkButton(to, dimension);
    const { time } = this.recording;
    const { counted: by, golden } = this.recording.header;
    const counter = by ?? (golden === "model" ? "the golden model" : "the router");
    parts.push(
      make(
        "p",
        {},
        `dimension ${dimension}; ${counter} counts ${counted?.words ?? 0} words, and ${counted?.waited ?? 0} ${time}s `,
        "in which one waited; the other way: ",
        back,
      ),
    );
    parts.push(this.#runs("words over time", this.recording.over(node, dimension), false));
    return parts;
  }
}
