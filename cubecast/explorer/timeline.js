/** Words on links over time, and the slider below them. */

export class Timeline {
  /** Draw a recording's load; `seek(cycle)` is called with the cycle that is asked for. */
  constructor(box, recording, seek) {
    this.box = box;
    this.recording = recording;
    this.canvas = box.querySelector("canvas");
    this.now = box.querySelector("i");
    this.slider = box.querySelector("input");
    this.slider.max = recording.cycles - 1;
    this.slider.addEventListener("input", () => seek(Number(this.slider.value)));
    const drag = ({ offsetX }) => seek((offsetX / this.canvas.clientWidth) * recording.cycles - 0.5);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && drag(event));
    this.resize();
  }

  /** Fit the canvas to its box and draw the load anew. */
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.round(this.canvas.clientWidth * ratio);
    const height = Math.round(this.canvas.clientHeight * ratio);
    Object.assign(this.canvas, { width, height });
    const style = getComputedStyle(this.box);
    const pen = this.canvas.getContext("2d");
    const { load, cycles, peak, reports } = this.recording;
    pen.fillStyle = style.getPropertyValue("--used");
    for (let x = 0; x < width; x++) {
      const from = Math.floor((x / width) * cycles);
      const to = Math.max(from + 1, Math.floor(((x + 1) / width) * cycles));
      let most = 0;
      for (let cycle = from; cycle < to; cycle++) most = Math.max(most, load[cycle]);
      const bar = peak ? (most / peak) * (height - 4) : 0;
      pen.fillRect(x, height - bar, 1, bar);
    }
    pen.fillStyle = style.getPropertyValue("--ring");
    for (const { cycle } of reports) pen.fillRect(((cycle + 0.5) / cycles) * width - ratio, 0, 2 * ratio, height);
    this.show(Number(this.slider.value));
  }

  /** Show which cycle it is. */
  show(cycle) {
    this.now.style.transform = `translateX(${(100 * (cycle + 0.5)) / this.recording.cycles}%)`;
    this.slider.value = cycle;
    const words = this.recording.load[cycle];
    this.slider.setAttribute("aria-valuetext", `${this.recording.time} ${cycle}, ${words} ${this.recording.moves}s on links`);
  }
}
