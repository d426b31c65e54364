/** The page: reads the recording, and lets picture, time line and panel know of each other. */

import { Panel, make } from "panel";
import { Player, STILL } from "player";
import { Recording, unpack } from "recording";
import { Stage } from "stage";
import { Timeline } from "timeline";

const ZOOMS = [1, 1.5, 2, 3, 4];
const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64, 256];
const get = (id) => document.getElementById(id);

const recording = new Recording(await unpack(get("recording").textContent));
const layout = JSON.parse(get("layout").textContent);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let selection = {};
let told = -1;
let playing = null;

const player = new Player(recording.cycles, draw);
const stage = new Stage(get("stage"), recording, layout, select);
const timeline = new Timeline(get("timeline"), recording, (cycle) => player.seek(cycle));
const panel = new Panel(get("panel"), recording, select, (cycle) => player.seek(cycle));

/** Draw a cycle; what is told in words changes with the cycle only. */
function draw(cycle, part) {
  const { words, waits } = stage.draw(cycle, calm.matches ? STILL : part, get("ring").getAttribute("aria-pressed") === "true");
  if (playing !== player.playing) {
    playing = player.playing;
    get("play").textContent = playing ? "Pause" : "Play";
    // Nobody can listen to every cycle of a run that is played.
    get("summary").setAttribute("aria-live", playing ? "off" : "polite");
    if (cycle === told && !playing) remember();
  }
  if (cycle === told) return;
  told = cycle;
  timeline.show(cycle);
  const moving = `${words.length} ${recording.moves}${words.length === 1 ? "" : "s"} on links`;
  get("summary").textContent = `${recording.time} ${cycle} of ${recording.cycles}: ${moving}, ${waits.length} waiting`;
  panel.pass(selection, cycle);
  if (!player.playing) remember();
}

/** Show a message, a node, a link, or all messages. */
function select(what) {
  selection = what;
  stage.choose(what);
  panel.show(what, player.cycle);
  player.refresh();
  remember();
}

/** Keep in the address what is shown, so that the page opens there again. */
function remember() {
  const shown = Object.entries(selection).map(([kind, value]) => `${kind}=${[value].flat().join("-")}`);
  history.replaceState(null, "", `#${["cycle=" + player.cycle, ...shown].join("&")}`);
}

function recall() {
  const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const inside = (value, count) => Number.isInteger(value) && value >= 0 && value < count;
  const [message, node, cycle] = [asked.message, asked.node, asked.cycle].map((text) => Number(text ?? NaN));
  const [from, dimension] = (asked.link ?? "").split("-").map(Number);
  if (inside(cycle, recording.cycles)) player.seek(cycle);
  if (inside(message, recording.messages.length)) select({ message });
  else if (inside(node, recording.nodes)) select({ node });
  else if (inside(from, recording.nodes) && inside(dimension, recording.dim)) select({ link: [from, dimension] });
  else panel.show(selection, player.cycle);
}

function speed(change) {
  const place = SPEEDS.indexOf(player.speed) + change;
  player.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, place))];
  get("speed").value = player.speed;
}

const KEYS = {
  " ": () => (player.playing ? player.pause() : player.play()),
  ArrowRight: (event) => player.step(event.shiftKey ? 10 : 1),
  ArrowLeft: (event) => player.step(event.shiftKey ? -10 : -1),
  Home: () => player.seek(0),
  End: () => player.seek(recording.cycles - 1),
  "+": () => speed(1),
  "-": () => speed(-1),
  "/": () => get("query").focus(),
  Escape: () => select({}),
};

function press(event) {
  const typing = event.target.matches("input[type=search], select");
  const pressing = event.key === " " && event.target.matches("button, summary");
  if (event.ctrlKey || event.metaKey || event.altKey || pressing) return;
  if (typing && event.key !== "Escape") return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action(event);
}

function search(event) {
  event.preventDefault();
  const found = recording.search(get("query").value);
  const go = ({ message, node, cycle }) => {
    if (cycle !== undefined) player.seek(cycle);
    if (node !== undefined) select({ node });
    else if (message >= 0) select({ message });
  };
  const items = found
    .slice(0, 50)
    .map((each) => make("li", {}, make("button", { type: "button", onclick: () => go(each) }, each.label)));
  const more = found.length > items.length ? `, the first ${items.length} are shown` : "";
  get("found").textContent = get("query").value.trim() ? `${found.length} found${more}` : "";
  get("results").replaceChildren(...items);
  if (found.length === 1) go(found[0]);
}

/** Say what the run was, and whether it ended in a standstill. */
function introduce() {
  const { header } = recording;
  const seed = header.seed === undefined ? "" : `, seed ${header.seed}`;
  const simulated = header.simulator ? `, simulated on ${header.simulator}${seed}` : "";
  const faults = header.faults.length ? `; faulty nodes ${header.faults.join(" ")}` : "";
  const judged = {
    match: "; hardware and golden network agree",
    mismatch: "; HARDWARE AND GOLDEN NETWORK DIFFER",
    model: "; the golden model alone, no hardware was run",
  };
  const run = `${header.dim}-cube of ${header.title}${simulated}${faults}${judged[header.golden] ?? ""}`;
  get("run").textContent = run;
  document.title = `cubecast explorer: ${header.dim}-cube of ${header.title}`;
  const known = [...new Set([...recording.reports, ...header.errors].map(({ reason }) => reason))];
  const reasons = [...known, ...new Set(recording.waits.map(({ why }) => why))];
  get("reasons").replaceChildren(...reasons.map((reason) => make("option", { value: reason })));
  if (!header.ring.length) return;
  const names = header.ring.map(([node, unit]) => `node ${node} ${recording.units[unit][0]}`);
  const count = header.ring.length;
  get("deadlock").hidden = false;
  get("standstill").textContent = `Deadlock: ${count} buffers wait for each other: ${names.join(", ")}.`;
}

for (const [id, label] of [["start", "first"], ["end", "last"], ["back", "one back:"], ["step", "one on:"]]) {
  get(id).setAttribute("aria-label", `${label} ${recording.time}`);
}
get("play").addEventListener("click", KEYS[" "]);
get("back").addEventListener("click", () => player.step(-1));
get("step").addEventListener("click", () => player.step(1));
get("start").addEventListener("click", KEYS.Home);
get("end").addEventListener("click", KEYS.End);
get("speed").replaceChildren(...SPEEDS.map((value) => make("option", { value }, `${value} ${recording.time}s/s`)));
get("speed").value = player.speed;
get("speed").addEventListener("change", () => (player.speed = Number(get("speed").value)));
get("zoom").replaceChildren(...ZOOMS.map((value) => make("option", { value }, `${value} ×`)));
get("zoom").addEventListener("change", () => get("stage").style.setProperty("--zoom", get("zoom").value));
get("search").addEventListener("submit", search);
get("ring").addEventListener("click", () => {
  const shown = get("ring").getAttribute("aria-pressed") === "true";
  get("ring").setAttribute("aria-pressed", String(!shown));
  if (shown) player.refresh();
  else player.seek(recording.cycles - 1);
});
get("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  resize();
});
document.addEventListener("keydown", press);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);

function resize() {
  stage.resize();
  timeline.resize();
  player.refresh();
}

introduce();
recall();
// Scroll bars that come and go change the sizes, too.
const sizes = new ResizeObserver(resize);
for (const id of ["stage", "timeline"]) sizes.observe(get(id));
player.refresh();
document.documentElement.dataset.ready = "true";
