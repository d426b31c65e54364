/** Time of the page: a cycle, and how much of it has passed. */

export const STILL = 0.5; // where words stand on their links while the time does not pass

export class Player {
  /** Start in the first cycle; `draw(cycle, part)` is called whenever there is something new to be seen. */
  constructor(cycles, draw) {
    this.cycles = cycles;
    this.draw = draw;
    this.cycle = 0;
    this.part = STILL;
    this.playing = false;
    this.speed = 4;
    this.frames = 0;
    this.before = 0;
    this.waiting = false;
  }

  /** Draw as soon as the browser is ready for a picture. */
  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      this.#frame(now);
    });
  }

  #frame(now) {
    if (this.playing) {
      const passed = this.before ? Math.min(now - this.before, 250) / 1000 : 0;
      const time = this.cycle + this.part + passed * this.speed;
      this.cycle = Math.floor(time);
      this.part = time - this.cycle;
      if (this.cycle >= this.cycles) {
        this.cycle = this.cycles - 1;
        this.pause();
      }
    }
    this.before = this.playing ? now : 0;
    this.frames++;
    this.draw(this.cycle, this.part);
    if (this.playing) this.refresh();
  }

  /** Let the time pass, from the start again if it has come to the end. */
  play() {
    if (this.cycle === this.cycles - 1) this.cycle = 0;
    this.playing = true;
    this.part = 0;
    this.refresh();
  }

  /** Stand still. */
  pause() {
    this.playing = false;
    this.part = STILL;
    this.refresh();
  }

  /** Go to a cycle, and stay there unless the time passes. */
  seek(cycle) {
    this.cycle = Math.max(0, Math.min(this.cycles - 1, Math.round(cycle)));
    this.part = this.playing ? 0 : STILL;
    this.refresh();
  }

  /** Stand still some cycles further on, or back. */
  step(cycles) {
    this.playing = false;
    this.seek(this.cycle + cycles);
  }
}
