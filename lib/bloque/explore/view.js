// The picture of an explorer in the browser: frames kept by grid position, painted at once if there,
// asked for if not. Uses the model's get, set, on and send only, so that static.js can stand in for it.
//
// What it says to Python:   {kind: "ask", id, epoch, ratio, base, plain, keys: [[…], …], budget}   (LANES at a time)
//   plain: whole PNGs only, for a browser that cannot unpack; budget: ms after which Python draws no more of them
// What Python answers:      {kind: "frames", id, epoch, ratio, base?, frames: [{key, caption, over?} | {key, error, passing?}]}
//   passing: what went wrong may go right the next time, unlike an error of the position itself
//   with a buffer for each: the PNG of the base if it comes along, then each frame's, which is what changes
//   over that base (packed as render.py, difference, says) or, without "over", a PNG of its own.

const RECENT = 700; // ms after a move in which only short work is asked for
const PAUSE = 150; // ms after a move before anything is drawn that is not along the control in hand
const PLAIN = typeof DecompressionStream !== "function"; // an old browser: only whole PNGs
const LANES = 2; // questions out at once: Python draws the one while the answer to the other travels
const STYLE = `
.bloque-explorer .bloque-view { display: contents; }
.bloque-guess { order: -1; margin: 2px 0 8px; padding: 8px 12px; border-left: 4px solid #E69F00;
  background: color-mix(in srgb, #E69F00 12%, transparent); font-size: 14px; line-height: 1.45; }
.bloque-guess-row { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; margin-top: 6px; }
.bloque-guess input[type=range] { flex: 1 1 200px; min-width: 120px; accent-color: #A65E00; }
.bloque-guess output { min-width: 4.5em; font-variant-numeric: tabular-nums; }
.bloque-button { font: inherit; font-size: 13px; padding: 3px 12px; cursor: pointer; color: inherit; white-space: nowrap;
  background: transparent; border: 1px solid currentColor; border-radius: 3px; }
.bloque-button:hover { background: color-mix(in srgb, currentColor 10%, transparent); }
.bloque-window { order: 2; overflow-x: auto; max-width: 100%; }
.bloque-stage { position: relative; background: #fff; min-width: 540px; } /* narrower, its letters cannot be read: it scrolls */
.bloque-stage canvas { display: block; width: 100%; height: auto; background: #fff; }
.bloque-stage canvas.bloque-stale { opacity: .3; }
.bloque-mark { position: absolute; pointer-events: none; box-sizing: border-box; border-width: 0; }
.bloque-mark span { position: absolute; font: 12px "DejaVu Sans", Verdana, sans-serif; line-height: 1.2; padding: 0 3px;
  background: rgba(255,255,255,.88); white-space: nowrap; }
.bloque-mark.guess { border-color: #B87700; border-style: dashed; }
.bloque-mark.guess span { color: #7A4F00; }
.bloque-mark.truth { border-color: #222; border-style: solid; }
.bloque-mark.truth span { color: #222; }
.bloque-note { position: absolute; left: 8px; right: 8px; bottom: 8px; padding: 6px 10px; font-size: 13px; line-height: 1.4;
  color: #222; background: #FFF6E0; border: 1px solid #E69F00; border-radius: 3px; max-height: 90%; overflow: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.bloque-note.failed { background: #FDECEA; border-color: #B3261E; }
.bloque-foot { order: 3; display: flex; gap: 12px; align-items: flex-start; justify-content: space-between; margin: 6px 0 2px; }
.bloque-caption { flex: 1 1 auto; font-size: 14px; line-height: 1.45; min-height: 1.45em; font-variant-numeric: tabular-nums; }
.bloque-explorer :is(button, input, select, .noUi-handle):focus-visible,
.bloque-explorer .noUi-handle:focus { outline: 3px solid #0072B2 !important; outline-offset: 2px; } /* ipywidgets takes it from menus */
.jp-mod-theme-dark .bloque-explorer :is(button, input, select, .noUi-handle):focus-visible, [data-jp-theme-light="false"]
  .bloque-explorer :is(button, input, select, .noUi-handle):focus-visible { outline-color: #7CC4F5 !important; }
.bloque-explorer .bloque-control { width: auto; margin: 2px 0; }
.bloque-explorer .bloque-control > label.widget-label { flex: 0 0 auto; width: auto; min-width: min(9em, 40%); max-width: 55%; text-align: left;
  overflow: hidden; text-overflow: ellipsis; }
.bloque-explorer .bloque-control .widget-readout { min-width: 5.2em; max-width: none; width: auto; text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; overflow: visible; }
.bloque-explorer .bloque-control .slider-container { min-width: 80px; touch-action: none; }
/* ipywidgets draws the handle white, with a border that is hardly there: in the light theme nobody sees what to drag. */
.bloque-explorer .bloque-control .noUi-handle { background: #0072B2; border-color: #0072B2; }
.bloque-explorer.bloque-locked .bloque-control { opacity: .78; }
/* While the explorer lives, the stored picture and caption behind it are not needed. */
.bloque-living + .jp-OutputArea-child, .bloque-living + .jp-OutputArea-child + .jp-OutputArea-child { display: none; }
`;

function element(tag, name, content) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (content !== undefined) made.textContent = content;
  return made;
}

/** Frames by key, oldest out first, never more than `most` bytes of packed and opened frames together. */
export class Frames {
  constructor(most) {
    this.most = most;
    this.bytes = 0;
    this.kept = new Map(); // the order of a Map is the order of use
  }
  has(key) { return this.kept.has(key); }
  /** Look without counting it as use. */
  peek(key) { return this.kept.get(key); }
  get(key) {
    const frame = this.kept.get(key);
    if (frame) { this.kept.delete(key); this.kept.set(key, frame); }
    return frame;
  }
  put(key, frame) {
    this.drop(key);
    this.kept.set(key, frame);
    this.bytes += frame.size;
    this.fit(key);
  }
  opened(key, open) {
    const frame = this.kept.get(key);
    if (!frame || frame.open) return frame;
    frame.open = open;
    this.bytes += sizeOf(open);
    this.fit(key);
    return frame;
  }
  /** What is open is closed first, it can be opened again in a few milliseconds; then whole frames go. */
  fit(spare) {
    for (const [key, frame] of this.kept) {
      if (this.bytes <= this.most) return;
      if (frame.open && key !== spare) this.close(frame);
    }
    for (const key of this.kept.keys()) {
      if (this.bytes <= this.most) return;
      if (key !== spare) this.drop(key);
    }
  }
  close(frame) {
    this.bytes -= sizeOf(frame.open);
    frame.open = null;
  }
  drop(key) {
    const frame = this.kept.get(key);
    if (!frame) return;
    if (frame.open) this.close(frame);
    this.bytes -= frame.size;
    this.kept.delete(key);
  }
  clear() { for (const key of [...this.kept.keys()]) this.drop(key); }
}

const sizeOf = (open) => open.edges.byteLength + open.values.byteLength;

/** An opened frame: `edges` are where runs of changed pixels begin and end, `values` the new pixels, run after run. */
async function inflate(packed) {
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  const words = new Uint32Array(bytes);
  return { edges: words.subarray(1, 1 + words[0]), values: words.subarray(1 + words[0]) };
}

/** The pixels of a PNG: {width, height, pixels}, a word each. */
async function pixelsOf(blob) {
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  const canvas = typeof OffscreenCanvas === "function" ? new OffscreenCanvas(width, height) : Object.assign(element("canvas"), { width, height });
  const pen = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  pen.drawImage(bitmap, 0, 0);
  bitmap.close?.();
  return { width, height, pixels: new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer) };
}

/** What changes from one picture to another of its size, as an opened frame. */
export function difference(before, after) {
  const edges = [];
  let inside = false;
  let changed = 0;
  for (let i = 0; i < after.length; i++) {
    const differs = after[i] !== before[i];
    if (differs !== inside) { edges.push(i); inside = differs; }
    if (differs) changed++;
  }
  if (inside) edges.push(after.length);
  const values = new Uint32Array(changed);
  for (let k = 0, at = 0; k < edges.length; at += edges[k + 1] - edges[k], k += 2) values.set(after.subarray(edges[k], edges[k + 1]), at);
  return { edges: Uint32Array.from(edges), values };
}

/** The pixels of the picture that stands: a base, and over it what one frame changes. */
export class Sheet {
  constructor({ width, height, pixels }) {
    this.width = width;
    this.base = pixels;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.pixels.set(pixels);
    this.over = { edges: new Uint32Array(0), values: new Uint32Array(0) };
  }
  get bytes() { return 2 * this.base.byteLength; }
  /** Put one frame in place of another; the rows that may have changed, as [first, beyond the last]. */
  turn(to) {
    const { base, pixels, over, width } = this;
    let first = Infinity;
    let beyond = 0;
    for (const { edges } of [over, to]) {
      if (!edges.length) continue;
      first = Math.min(first, Math.floor(edges[0] / width));
      beyond = Math.max(beyond, Math.ceil(edges[edges.length - 1] / width));
    }
    for (let k = 0; k < over.edges.length; k += 2) {
      const [from, until] = [over.edges[k], over.edges[k + 1]];
      for (let i = from; i < until; i++) pixels[i] = base[i];
    }
    for (let k = 0, at = 0; k < to.edges.length; k += 2) {
      const until = to.edges[k + 1];
      for (let i = to.edges[k]; i < until; i++) pixels[i] = to.values[at++];
    }
    this.over = to;
    return [Math.min(first, beyond), beyond];
  }
}

/** Positions worth drawing while nothing is asked: along the control in hand, nearest first; once the hand
    pauses, along the other controls from here, and the tour. */
export function* worthDrawing(here, counts, inHand, tour, pausing) {
  const along = function* (place, reach) {
    for (let distance = 1; distance <= reach; distance++)
      for (const index of [here[place] + distance, here[place] - distance])
        if (index >= 0 && index < counts[place]) yield here.map((kept, other) => (other === place ? index : kept));
  };
  yield here;
  if (inHand >= 0) yield* along(inHand, counts[inHand]);
  if (!pausing) return;
  const others = counts.map((_, place) => place).filter((place) => place !== inHand);
  for (const place of others) yield* along(place, 3);
  for (const place of others) yield* along(place, counts[place]);
  yield* tour;
}

class View {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.spec = model.get("spec");
    this.counts = this.spec.controls.map((c) => c.count);
    this.frames = new Frames(this.spec.most_bytes);
    this.failed = new Map(); // positions that failed in passing, until the next move: key -> what stands in their place
    this.inHand = this.counts.findIndex((n) => n > 1);
    this.moved = 0; // when the reader last moved something
    this.shown = null; // the key on the canvas
    this.out = new Map(); // the questions that are out: id -> {since, want, keys}
    this.serial = 0;
    this.name = Math.random().toString(36).slice(2, 8);
    this.sheet = null; // the picture whose pixels the frames change
    this.base = ""; // its name
    this.opening = new Set();
    this.turns = this.painted = 0;
    this.seen = false; // near the window's visible part
    this.closed = false;
    this.timers = new Set();
    this.undo = [];
    this.ratio = this.pixelRatio();
    this.build();
    this.listen();
  }

  // ── what stands on the page ──

  build() {
    const { spec, el } = this;
    el.classList.add("bloque-view");
    const css = element("style", "", STYLE);
    this.canvas = element("canvas");
    this.canvas.width = Math.round(spec.width * this.ratio);
    this.canvas.height = Math.round(spec.height * this.ratio);
    this.canvas.style.aspectRatio = `${spec.width} / ${spec.height}`;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", spec.alt);
    this.pen = this.canvas.getContext("2d", { alpha: false });
    this.pen.fillStyle = "#fff";
    this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.stage = element("div", "bloque-stage");
    this.stage.style.width = `min(100%, ${spec.width}px)`;
    this.stage.append(this.canvas);
    this.note = element("div", "bloque-note");
    this.note.setAttribute("role", "status");
    this.note.hidden = true;
    this.stage.append(this.note);
    this.caption = element("div", "bloque-caption", spec.caption);
    this.caption.setAttribute("aria-live", "polite");
    this.words = spec.caption;
    this.longest = 0;
    const foot = element("div", "bloque-foot");
    foot.style.width = `min(100%, ${spec.width}px)`;
    this.reset = element("button", "bloque-button bloque-reset", spec.texts.reset);
    this.reset.type = "button";
    foot.append(this.caption, this.reset);
    if (!this.counts.some((n) => n > 1)) this.reset.hidden = true;
    el.append(css);
    if (spec.guess) el.append(this.buildGuess());
    this.window = element("div", "bloque-window");
    this.window.append(this.stage);
    el.append(this.window, foot);
  }

  buildGuess() {
    const { guess, texts } = this.spec;
    const box = element("div", "bloque-guess");
    box.style.width = `min(100%, ${this.spec.width}px)`;
    box.style.boxSizing = "border-box";
    const question = element("div", "", guess.question);
    const row = element("div", "bloque-guess-row");
    this.slider = element("input");
    Object.assign(this.slider, { type: "range", min: 0, max: guess.readouts.length - 1, step: 1 });
    this.slider.value = this.model.get("guess_at");
    this.slider.setAttribute("aria-label", guess.question);
    this.guessed = element("output");
    this.commit = element("button", "bloque-button bloque-commit", texts.commit);
    this.commit.type = "button";
    row.append(this.slider, this.guessed, this.commit);
    box.append(question, row);
    this.slider.addEventListener("input", () => { this.model.set("guess_at", Number(this.slider.value)); this.drawGuess(); });
    this.commit.addEventListener("click", () => {
      this.model.set("guess_at", Number(this.slider.value));
      this.model.set("locked", false);
      this.tell({ kind: "guess", at: Number(this.slider.value) });
    });
    const answer = element("div", "bloque-answer");
    answer.setAttribute("aria-live", "polite");
    answer.hidden = true;
    box.append(answer);
    this.answer = answer;
    return box;
  }

  drawGuess() {
    const { guess, texts } = this.spec;
    if (!guess) return;
    const at = this.model.get("guess_at");
    const locked = this.model.get("locked");
    this.slider.value = at;
    this.slider.disabled = !locked;
    this.slider.setAttribute("aria-valuetext", guess.readouts[at]);
    this.guessed.textContent = guess.readouts[at];
    this.commit.hidden = !locked;
    this.answer.hidden = locked;
    if (!locked) this.answer.textContent = guess.answers[at];
    this.el.parentElement?.classList.toggle("bloque-locked", locked);
    for (const mark of this.stage.querySelectorAll(".bloque-mark")) mark.remove();
    if (guess.place) {
      const ours = guess.place.guesses[at], apart = locked || Math.abs(ours - guess.place.truth) > 0.1;
      // curves begin on the left: a name stands there only if both would stand on each other
      this.mark("guess", ours, texts.guessed, apart ? "right" : "left");
      if (!locked) this.mark("truth", guess.place.truth, guess.truth, "right");
    }
    this.write(this.words);
  }

  /** A line across the axes of the guess, in fractions of the picture: no frame has to be drawn for it. */
  mark(kind, share, label, side) {
    const { axis, box } = this.spec.guess.place;
    const [x0, y0, x1, y1] = box;
    if (share === null || share === undefined) return;
    const percent = (v) => `${(100 * v).toFixed(3)}%`;
    const line = element("div", `bloque-mark ${kind}`);
    const name = element("span", "", label);
    const inside = axis === "y" ? share >= y0 - 0.002 && share <= y1 + 0.002 : share >= x0 - 0.002 && share <= x1 + 0.002;
    if (!inside) return;
    if (axis === "y") {
      Object.assign(line.style, { left: percent(x0), width: percent(x1 - x0), top: percent(share), borderTopWidth: "2px" });
      name.style[side] = "2px";
      name.style[share - y0 < 0.1 ? "top" : "bottom"] = "3px";
    } else {
      Object.assign(line.style, { top: percent(y0), height: percent(y1 - y0), left: percent(share), borderLeftWidth: "2px" });
      name.style[share > (x0 + x1) / 2 ? "right" : "left"] = "4px";
      name.style.top = kind === "guess" ? "2px" : "18px";
    }
    line.append(name);
    this.stage.append(line);
  }

  // ── listening ──

  listen() {
    const { model } = this;
    const on = (name, callback) => { model.on(name, callback); this.undo.push(() => model.off?.(name, callback)); };
    this.spec.controls.forEach((control, place) => on(`change:p${place}`, () => this.move(place)));
    on("change:epoch", () => { this.forget(); this.show(); });
    on("change:notice", () => this.tellNotice());
    on("change:locked", () => this.drawGuess());
    on("change:guess_at", () => this.drawGuess());
    on("msg:custom", (message, buffers) => this.hear(message, buffers));
    on("comm_live_update", () => { this.gone = !this.gone; this.out.clear(); this.again(); this.notify(); if (!this.gone) this.show(); });
    this.reset.addEventListener("click", () => this.home());
    if (this.spec.places) this.takeClicks(this.spec.places);
    const awake = () => { if (document.visibilityState === "visible") this.pump(); };
    document.addEventListener("visibilitychange", awake);
    this.undo.push(() => document.removeEventListener("visibilitychange", awake));
    this.watchRatio();
    this.later(0, () => this.settle());
  }

  /** What can only be done once the view is on the page: names for the sliders, which control is in hand. */
  settle(tries = 0) {
    const box = this.el.parentElement;
    if (!box) { if (tries < 100) this.later(50, () => this.settle(tries + 1)); return; }
    this.box = box;
    this.output = box.closest(".jp-OutputArea-child");
    this.output?.classList.add("bloque-living");
    // A margin only counts in the element that scrolls: without it a picture just below the edge would wait.
    const root = box.closest(".jp-WindowedPanel-outer");
    this.watch = new IntersectionObserver((entries) => {
      this.seen = entries.at(-1).isIntersecting;
      if (this.seen) this.show();
    }, { root, rootMargin: "800px" });
    this.watch.observe(this.stage);
    // Where the picture is wider than the page, the keyboard must be able to scroll it.
    const fit = new ResizeObserver(() => {
      if (this.window.scrollWidth > this.window.clientWidth + 1) this.window.tabIndex = 0;
      else this.window.removeAttribute("tabindex");
    });
    fit.observe(this.window);
    this.undo.push(() => fit.disconnect());
    for (const kind of ["pointerover", "focusin", "pointerdown"])
      box.addEventListener(kind, (event) => {
        const control = event.target.closest?.("[class*=bloque-at-]");
        const place = Number(/bloque-at-(\d+)/.exec(control?.className ?? "")?.[1] ?? -1);
        if (place >= 0 && place !== this.inHand && this.counts[place] > 1) { this.inHand = place; this.pump(); }
        if (control) this.nameSlider(place);
      });
    this.drawGuess();
    for (const wait of [0, 100, 400, 1500]) this.later(wait, () => this.nameSliders());
  }

  nameSliders() { this.counts.forEach((_, place) => this.nameSlider(place)); }

  nameSlider(place) {
    const handle = this.box?.querySelector(`.bloque-at-${place} .noUi-handle`);
    if (!handle) return;
    const control = this.spec.controls[place];
    handle.setAttribute("aria-label", control.label);
    handle.setAttribute("aria-valuetext", control.readouts[this.at(place)] ?? "");
  }

  pixelRatio() {
    return Math.min(3, Math.max(1, Math.ceil((window.devicePixelRatio || 1) * 4 - 0.01) / 4));
  }

  watchRatio() {
    const media = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = () => {
      media.removeEventListener("change", changed);
      if (this.closed) return;
      const ratio = this.pixelRatio();
      if (ratio !== this.ratio) { this.ratio = ratio; this.forget(); this.show(); }
      this.watchRatio();
    };
    media.addEventListener("change", changed);
    this.undo.push(() => media.removeEventListener("change", changed));
  }

  later(wait, job) {
    const timer = setTimeout(() => { this.timers.delete(timer); if (!this.closed) job(); }, wait);
    this.timers.add(timer);
    return timer;
  }

  // ── positions and pictures ──

  at(place) { return Number(this.model.get(`p${place}`)); }
  here() { return this.counts.map((_, place) => this.at(place)); }
  key(position) { return `${this.model.get("epoch")}:${this.ratio}:${position.join(",")}`; }

  move(place) {
    this.step = Math.sign(this.at(place) - (this.last?.[place] ?? this.at(place))) || this.step || 1;
    this.inHand = place;
    this.moved = performance.now();
    this.again();
    this.seen = true; // whoever moves it wants to see it
    this.show();
    this.nameSlider(place);
  }

  /** A click on a box of the picture chooses its option. The control does the same from the keyboard. */
  takeClicks({ control, boxes }) {
    const under = (event) => {
      const { left, top, width, height } = this.canvas.getBoundingClientRect();
      const x = (event.clientX - left) / width;
      const y = (event.clientY - top) / height;
      return boxes.find(([, x0, y0, x1, y1]) => x0 <= x && x <= x1 && y0 <= y && y <= y1);
    };
    this.canvas.addEventListener("mousemove", (event) => { this.canvas.style.cursor = under(event) ? "pointer" : ""; });
    this.canvas.addEventListener("click", (event) => {
      const box = under(event);
      if (!box || this.model.get("locked")) return;
      this.model.set(`p${control}`, box[0]);
      this.tell({ kind: "moved", to: this.here() });
    });
  }

  home() {
    this.again();
    this.spec.controls.forEach((control, place) =>
      this.model.set(`p${place}`, control.kind === "switch" ? Boolean(control.default) : control.default));
    this.tell({ kind: "moved", to: this.spec.controls.map((control) => control.default) });
    this.pump();
  }

  /** What failed in passing is to be asked for again. */
  again() {
    if (this.failed.has(this.shown)) this.shown = null;
    this.failed.clear();
  }

  /** What there is of a position: its frame, or the error in its place. */
  found(key) { return this.frames.peek(key) ?? this.failed.get(key); }

  forget() {
    this.again();
    this.frames.clear();
    this.sheet = null;
    this.base = "";
  }

  /** Put the present position on the canvas, or ask for it. */
  show() {
    const position = this.here();
    this.last = position;
    const key = this.key(position);
    const frame = this.frames.get(key) ?? this.failed.get(key);
    if (frame?.error !== undefined) this.showError(key, frame);
    else if (frame?.open && this.sheet) this.paint(key, frame);
    else if (frame) this.open(key);
    this.notify();
    this.pump();
    if (frame) this.openNext();
  }

  paint(key, frame) {
    const { canvas, pen, sheet } = this;
    const fresh = canvas.width !== sheet.width || canvas.height !== sheet.image.height || this.onCanvas !== sheet;
    if (canvas.width !== sheet.width) canvas.width = sheet.width;
    if (canvas.height !== sheet.image.height) canvas.height = sheet.image.height;
    const [first, beyond] = sheet.turn(frame.open);
    if (fresh) pen.putImageData(sheet.image, 0, 0);
    else if (beyond > first) pen.putImageData(sheet.image, 0, 0, 0, first, sheet.width, beyond - first);
    this.onCanvas = sheet;
    this.shown = key;
    canvas.dataset.key = key.split(":")[2];
    this.write(frame.caption);
  }

  showError(key, frame) {
    this.shown = key;
    this.canvas.dataset.key = key.split(":")[2];
    this.write(frame.error === this.spec.texts.outside ? frame.error : this.spec.texts.failed);
  }

  write(words) {
    this.words = words;
    const line = this.caption.firstChild;
    if (line.data === words) return;
    line.data = words; // the text node itself: changing its parent would have the page's styles looked up again
    if (words.length <= this.longest) return;
    this.longest = words.length;
    const tall = this.caption.offsetHeight; // never shorter than it was: what stands below must not jump
    if (tall) this.caption.style.minHeight = `${tall}px`;
  }

  /** Take a PNG as the picture that frames change. */
  async takeBase(name, blob) {
    if (this.base === name) return;
    if (this.base) this.forget(); // Python has let go of the one before
    this.base = name;
    const found = await pixelsOf(blob).catch(() => null);
    if (this.closed || this.base !== name) return;
    if (!found) { this.forget(); return; }
    this.sheet = new Sheet(found);
    this.frames.most = this.spec.most_bytes - this.sheet.bytes;
    this.frames.fit();
    this.show();
  }

  /** A frame as what it changes. The first PNG that comes without a base is one. */
  async opened(frame) {
    if (frame.packed) return inflate(frame.packed);
    if (!this.base) await this.takeBase("own", frame.blob);
    const { pixels } = await pixelsOf(frame.blob);
    while (this.base && !this.sheet && !this.closed) await new Promise((done) => this.later(5, done));
    if (!this.sheet || pixels.length !== this.sheet.base.length) throw new RangeError("a frame of another size");
    return difference(this.sheet.base, pixels);
  }

  /** Open a frame. Three at a time: in a fast drag what is stale is not opened at all. */
  open(key, urgent = true) {
    const frame = this.frames.peek(key);
    if (!frame || frame.open || frame.error !== undefined || this.opening.has(key)) return;
    if (this.opening.size >= 3) { if (urgent) this.next = key; return; }
    const turn = ++this.turns;
    const done = () => {
      this.opening.delete(key);
      const next = this.next;
      this.next = null;
      if (this.closed) return;
      if (next && next === this.key(this.here())) this.open(next);
      else this.openNext();
    };
    this.opening.add(key);
    this.opened(frame).then((open) => {
      if (this.closed) return;
      const kept = this.frames.opened(key, open);
      const wanted = this.key(this.here());
      if (kept?.open && this.sheet && (key === wanted || (urgent && this.shown !== wanted && turn > this.painted))) {
        this.painted = turn; // in a drag the newest picture that is ready stands, if a newer one is on its way
        this.paint(key, kept);
      }
      done();
    }, () => { this.frames.drop(key); done(); });
  }

  /** Open one more frame: the nearest along the control in hand, forward first; else any, while there is room. */
  openNext() {
    if (this.opening.size) return;
    const position = this.here();
    const room = this.frames.most - this.frames.bytes;
    const place = this.inHand;
    const closed = (key) => { const frame = this.frames.peek(key); return frame && !frame.open && frame.error === undefined; };
    const typical = this.frames.peek(this.shown)?.open;
    const reach = Math.max(1, Math.min(8, Math.floor((this.frames.most * 0.3) / (typical ? sizeOf(typical) + 1 : 1e6))));
    if (place >= 0) {
      const step = this.step || 1;
      for (let distance = 1; distance <= reach; distance++)
        for (const side of [step, -step]) {
          const index = position[place] + side * distance;
          if (index < 0 || index >= this.counts[place] || (side !== step && distance > reach / 2)) continue;
          const key = this.key(position.map((kept, other) => (other === place ? index : kept)));
          if (closed(key)) { this.open(key, false); return; } // one; the next when it is done
        }
    }
    if (room < this.frames.most * 0.25) return;
    for (const key of this.frames.kept.keys()) if (closed(key)) { this.open(key, false); return; }
  }

  // ── asking ──

  tell(message) {
    try { this.model.send(message); } catch { this.out.clear(); }
  }

  /** Send what there is to ask, while a lane is free: the present position first, else what is worth drawing ahead. */
  pump() {
    if (this.closed || this.gone || !this.seen) return;
    const here = this.here();
    const missing = !this.found(this.key(here));
    const wishing = [...this.out.values()].some(({ want }) => want);
    if (missing && !wishing && !this.coming(here)) this.ask([here], 0, true);
    if (document.visibilityState !== "visible") return;
    const still = performance.now() - this.moved;
    const quiet = still > RECENT;
    while (this.out.size < LANES) {
      const keys = this.ahead(here, quiet ? 16 : 4, still > PAUSE);
      if (!keys.length) {
        if (still <= PAUSE && !this.waiting) this.waiting = this.later(PAUSE, () => { this.waiting = 0; this.pump(); });
        return;
      }
      this.ask(keys, quiet ? 40 : 12, false);
    }
  }

  /** Whether a frame is the first of a question that is out: Python always draws that one. */
  coming(position) {
    const key = this.key(position);
    return [...this.out.values()].some(({ keys }) => keys[0] === key);
  }

  ask(positions, budget, want) {
    const id = `${this.name}-${++this.serial}`;
    this.out.set(id, { since: performance.now(), want, keys: positions.map((position) => this.key(position)) });
    this.later(900, () => this.notify());
    this.tell({ kind: "ask", id, epoch: this.model.get("epoch"), ratio: this.ratio, base: this.base, plain: PLAIN, keys: positions, budget });
  }

  ahead(here, most, pausing = true) {
    const found = [];
    // What is drawn ahead must not push out what is near: stop in good time.
    if (this.frames.kept.size > this.spec.most_frames) return found;
    let png = 0;
    for (const frame of this.frames.kept.values()) png += frame.size;
    if (png > this.spec.most_bytes * 0.6) return found;
    const asked = new Set([...this.out.values()].flatMap(({ keys }) => keys));
    for (const position of worthDrawing(here, this.counts, this.inHand, this.spec.tour, pausing)) {
      const key = this.key(position);
      if (this.found(key) || asked.has(key)) continue;
      asked.add(key);
      found.push(position);
      if (found.length >= most) break;
    }
    return found;
  }

  hear(message, buffers) {
    if (message.kind !== "frames") return;
    if (this.gone) this.gone = false;
    if (message.epoch === this.model.get("epoch") && message.ratio === this.ratio) {
      let picture = 0;
      const asBlob = (data) => (data instanceof Blob ? data : new Blob([data], { type: "image/png" }));
      if (message.base) this.takeBase(message.base, asBlob(buffers[picture++]));
      for (const told of message.frames) {
        const key = this.key(told.key);
        if (told.error !== undefined) {
          if (told.passing) this.failed.set(key, { error: told.error });
          else this.frames.put(key, { size: 200, error: told.error });
          continue;
        }
        const data = buffers[picture++];
        const frame = { caption: told.caption, open: null };
        if (told.over === undefined) { frame.blob = asBlob(data); frame.size = frame.blob.size; }
        else if (told.over === this.base) { frame.packed = data; frame.size = data.byteLength; }
        else continue; // over a picture that this view never had: asked again, with the one it has
        this.frames.put(key, frame);
      }
    }
    this.out.delete(message.id);
    const wanted = this.key(this.here());
    if (this.shown !== wanted) this.show();
    else { this.notify(); this.pump(); this.openNext(); }
  }

  // ── notices ──

  tellNotice() { this.notify(); }

  notify() {
    const { texts } = this.spec;
    const wanted = this.found(this.key(this.here()));
    let words = "";
    let failed = false;
    if (this.model.get("notice")) { words = this.model.get("notice"); failed = true; }
    else if (wanted?.error !== undefined) { words = wanted.error; failed = wanted.error !== texts.outside; }
    else if (this.gone) words = texts.gone;
    else if (!wanted && this.out.size) {
      const waited = performance.now() - Math.min(...[...this.out.values()].map(({ since }) => since));
      if (waited > 850) words = waited > 4000 ? texts.busy : texts.drawing;
      if (words) this.later(1000, () => this.notify());
    }
    if (this.note.textContent !== words) this.note.textContent = words;
    this.note.hidden = !words;
    this.canvas.classList.toggle("bloque-stale", wanted?.error !== undefined);
    this.note.classList.toggle("failed", failed);
  }

  close() {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const undo of this.undo) undo();
    this.watch?.disconnect();
    this.output?.classList.remove("bloque-living");
    this.forget();
    this.canvas.width = this.canvas.height = 0;
  }
}

function render({ model, el }) {
  const view = new View(model, el);
  el.bloque = view; // for tests and measurements
  return () => view.close();
}

export default { render };
