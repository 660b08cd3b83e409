// The picture of an explorer in the browser: frames kept by grid position, painted at once if there,
// asked for if not. Uses the model's get, set, on and send only, so that static.js can stand in for it.
//
// What it says to Python:   {kind: "ask", id, epoch, ratio, keys: [[…], …], budget}   (one at a time)
// What Python answers:      {kind: "frames", id, epoch, ratio, frames: [{key, caption | error}]} + PNGs

const RECENT = 700; // ms after a move in which only short work is asked for
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
.bloque-stage { order: 2; position: relative; background: #fff; }
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
.bloque-explorer .noUi-handle:focus { outline: 3px solid #0072B2; outline-offset: 2px; }
.jp-mod-theme-dark .bloque-explorer :is(button, input, select, .noUi-handle):focus-visible, [data-jp-theme-light="false"]
  .bloque-explorer :is(button, input, select, .noUi-handle):focus-visible { outline-color: #7CC4F5; }
.bloque-explorer .bloque-control { width: auto; margin: 2px 0; }
.bloque-explorer .bloque-control > label.widget-label { flex: 0 0 auto; width: auto; min-width: min(9em, 40%); max-width: 55%; text-align: left;
  overflow: hidden; text-overflow: ellipsis; }
.bloque-explorer .bloque-control .widget-readout { min-width: 5.2em; max-width: none; width: auto; text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; overflow: visible; }
.bloque-explorer .bloque-control .slider-container { min-width: 80px; touch-action: none; }
.bloque-explorer.bloque-locked .bloque-control { opacity: .55; }
/* While the explorer lives, the stored picture and caption behind it are not needed. */
.bloque-living + .jp-OutputArea-child, .bloque-living + .jp-OutputArea-child + .jp-OutputArea-child { display: none; }
`;

function element(tag, name, content) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (content !== undefined) made.textContent = content;
  return made;
}

/** Frames by key, oldest out first, never more than `most` bytes of PNGs and decoded pictures together. */
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
  decoded(key, bitmap) {
    const frame = this.kept.get(key);
    if (!frame || frame.bitmap) { bitmap.close?.(); return frame; }
    frame.bitmap = bitmap;
    this.bytes += 4 * bitmap.width * bitmap.height;
    this.fit(key);
    return frame;
  }
  /** Decoded pictures go first, they can be had again in a few milliseconds; then whole frames. */
  fit(spare) {
    for (const [key, frame] of this.kept) {
      if (this.bytes <= this.most) return;
      if (frame.bitmap && key !== spare) this.flatten(frame);
    }
    for (const key of this.kept.keys()) {
      if (this.bytes <= this.most) return;
      if (key !== spare) this.drop(key);
    }
  }
  flatten(frame) {
    this.bytes -= 4 * frame.bitmap.width * frame.bitmap.height;
    frame.bitmap.close?.();
    frame.bitmap = null;
  }
  drop(key) {
    const frame = this.kept.get(key);
    if (!frame) return;
    if (frame.bitmap) this.flatten(frame);
    this.bytes -= frame.size;
    this.kept.delete(key);
  }
  clear() { for (const key of [...this.kept.keys()]) this.drop(key); }
}

/** Positions worth drawing while nothing is asked: along the control in hand, nearest first. Once the
    reader rests, the next steps of the other controls, the tour, and the other controls' whole range. */
export function* worthDrawing(here, counts, inHand, tour, resting) {
  const along = function* (place, reach) {
    for (let distance = 1; distance <= reach; distance++)
      for (const index of [here[place] + distance, here[place] - distance])
        if (index >= 0 && index < counts[place]) yield here.map((kept, other) => (other === place ? index : kept));
  };
  yield here;
  if (inHand >= 0) yield* along(inHand, counts[inHand]);
  if (!resting) return;
  const others = counts.map((_, place) => place).filter((place) => place !== inHand);
  for (const place of others) yield* along(place, 3);
  yield* tour;
  for (const place of others) yield* along(place, counts[place]);
}

class View {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.spec = model.get("spec");
    this.counts = this.spec.controls.map((c) => c.count);
    this.frames = new Frames(this.spec.most_bytes);
    this.inHand = this.counts.findIndex((n) => n > 1);
    this.moved = 0; // when the reader last moved something
    this.shown = null; // the key on the canvas
    this.pending = null; // the one question that is out
    this.serial = 0;
    this.name = Math.random().toString(36).slice(2, 8);
    this.decoding = new Set();
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
    el.append(this.stage, foot);
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
      this.mark("guess", guess.place.guesses[at], texts.guessed);
      if (!locked) this.mark("truth", guess.place.truth, texts.truth);
    }
    this.write(this.words);
  }

  /** A line across the axes of the guess, in fractions of the picture: no frame has to be drawn for it. */
  mark(kind, share, label) {
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
      name.style[kind === "guess" ? "left" : "right"] = "2px";
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
    on("change:epoch", () => { this.frames.clear(); this.show(); });
    on("change:notice", () => this.tellNotice());
    on("change:locked", () => this.drawGuess());
    on("change:guess_at", () => this.drawGuess());
    on("msg:custom", (message, buffers) => this.hear(message, buffers));
    on("comm_live_update", () => { this.gone = !this.gone; this.pending = null; this.notify(); if (!this.gone) this.show(); });
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
      if (ratio !== this.ratio) { this.ratio = ratio; this.frames.clear(); this.show(); }
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
    this.spec.controls.forEach((control, place) =>
      this.model.set(`p${place}`, control.kind === "switch" ? Boolean(control.default) : control.default));
    this.tell({ kind: "moved", to: this.spec.controls.map((control) => control.default) });
  }

  /** Put the present position on the canvas, or ask for it. */
  show() {
    const position = this.here();
    this.last = position;
    const key = this.key(position);
    const frame = this.frames.get(key);
    if (frame?.error !== undefined) this.showError(key, frame);
    else if (frame?.bitmap) this.paint(key, frame);
    else if (frame) this.decode(key);
    this.notify();
    this.pump();
    if (frame) this.decodeAhead(position);
  }

  paint(key, frame) {
    const { canvas, pen } = this;
    if (canvas.width !== frame.bitmap.width || canvas.height !== frame.bitmap.height) {
      canvas.width = frame.bitmap.width;
      canvas.height = frame.bitmap.height;
    }
    pen.drawImage(frame.bitmap, 0, 0);
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

  /** Decode a frame off the main thread. Two at a time: in a fast drag what is stale is not decoded at all. */
  decode(key, urgent = true) {
    const frame = this.frames.peek(key);
    if (!frame?.blob || frame.bitmap || this.decoding.has(key)) return;
    if (this.decoding.size >= 2) { if (urgent) this.next = key; return; }
    const turn = ++this.turns;
    const done = () => {
      this.decoding.delete(key);
      const next = this.next;
      this.next = null;
      if (this.closed) return;
      if (next && next === this.key(this.here())) this.decode(next);
      else if (performance.now() - this.moved < RECENT) this.decodeAhead(this.here());
    };
    this.decoding.add(key);
    createImageBitmap(frame.blob).then((bitmap) => {
      if (this.closed) { bitmap.close(); return; }
      const kept = this.frames.decoded(key, bitmap);
      const wanted = this.key(this.here());
      if (kept && (key === wanted || (urgent && this.shown !== wanted && turn > this.painted))) {
        this.painted = turn; // in a drag the newest picture that is ready stands, if a newer one is on its way
        this.paint(key, kept);
      }
      done();
    }, () => { this.frames.drop(key); done(); });
  }

  /** Decode the next few steps along the control in hand, forward first. */
  decodeAhead(position) {
    const place = this.inHand;
    if (place < 0 || this.decoding.size) return;
    const room = Math.floor((this.spec.most_bytes * 0.6) / (4 * this.canvas.width * this.canvas.height));
    const reach = Math.max(1, Math.min(8, Math.floor(room / 2)));
    const step = this.step || 1;
    for (let distance = 1; distance <= reach; distance++)
      for (const side of [step, -step]) {
        const index = position[place] + side * distance;
        if (index < 0 || index >= this.counts[place] || (side !== step && distance > reach / 2)) continue;
        const key = this.key(position.map((kept, other) => (other === place ? index : kept)));
        const frame = this.frames.peek(key);
        if (frame?.blob && !frame.bitmap) { this.decode(key, false); return; } // one; the next when it is done
      }
  }

  // ── asking ──

  tell(message) {
    try { this.model.send(message); } catch { this.pending = null; }
  }

  /** Send the next question, if none is out: the present position first, else what is worth drawing ahead. */
  pump() {
    if (this.closed || this.pending || this.gone || !this.seen) return;
    const here = this.here();
    let keys = [];
    let budget = 0;
    if (!this.frames.has(this.key(here))) keys = [here];
    else if (document.visibilityState === "visible") {
      const quiet = performance.now() - this.moved > RECENT;
      budget = quiet ? 60 : 12;
      keys = this.ahead(here, quiet ? 16 : 4, quiet);
      if (!keys.length) {
        if (!quiet && !this.resting) this.resting = this.later(RECENT, () => { this.resting = 0; this.pump(); });
        return;
      }
    } else return;
    const id = `${this.name}-${++this.serial}`;
    this.pending = { id, since: performance.now(), want: budget === 0 };
    this.later(900, () => this.notify());
    this.tell({ kind: "ask", id, epoch: this.model.get("epoch"), ratio: this.ratio, keys, budget });
  }

  ahead(here, most, resting) {
    const found = [];
    const asked = new Set();
    // What is drawn ahead must not push out what is near: stop in good time.
    if (this.frames.kept.size > this.spec.most_frames) return found;
    let png = 0;
    for (const frame of this.frames.kept.values()) png += frame.size;
    if (png > this.spec.most_bytes * 0.6) return found;
    for (const position of worthDrawing(here, this.counts, this.inHand, this.spec.tour, resting)) {
      const key = this.key(position);
      if (this.frames.has(key) || asked.has(key)) continue;
      asked.add(key);
      found.push(position);
      if (found.length >= most) break;
    }
    return found;
  }

  hear(message, buffers) {
    if (message.kind !== "frames") return;
    const mine = message.id === this.pending?.id;
    if (this.gone) this.gone = false;
    if (message.epoch === this.model.get("epoch") && message.ratio === this.ratio) {
      let picture = 0;
      for (const told of message.frames) {
        const key = this.key(told.key);
        if (told.error !== undefined) { this.frames.put(key, { size: 200, error: told.error }); continue; }
        const data = buffers[picture++];
        const blob = data instanceof Blob ? data : new Blob([data], { type: "image/png" });
        this.frames.put(key, { size: blob.size, blob, caption: told.caption, bitmap: null });
      }
    }
    if (mine) this.pending = null;
    const wanted = this.key(this.here());
    if (this.shown !== wanted) this.show();
    else { this.notify(); this.pump(); }
  }

  // ── notices ──

  tellNotice() { this.notify(); }

  notify() {
    const { texts } = this.spec;
    const wanted = this.frames.peek(this.key(this.here()));
    let words = "";
    let failed = false;
    if (this.model.get("notice")) { words = this.model.get("notice"); failed = true; }
    else if (wanted?.error !== undefined) { words = wanted.error; failed = wanted.error !== texts.outside; }
    else if (this.gone) words = texts.gone;
    else if (!wanted && this.pending && performance.now() - this.pending.since > 850) {
      words = performance.now() - this.pending.since > 4000 ? texts.busy : texts.drawing;
      this.later(1000, () => this.notify());
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
    this.frames.clear();
    this.canvas.width = this.canvas.height = 0;
  }
}

function render({ model, el }) {
  const view = new View(model, el);
  el.bloque = view; // for tests and measurements
  return () => view.close();
}

export default { render };
