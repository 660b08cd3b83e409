// An explorer on a page without Python: native controls over the manifest's positions, and a model
// that answers view.js from files instead of a kernel.
import view from "./view.js";

/** What view.js takes for a model: get, set, on, send. */
export class StaticModel {
  constructor(manifest, base) {
    this.base = base;
    this.manifest = manifest;
    this.state = { spec: manifest, epoch: 0, notice: "", locked: Boolean(manifest.guess), guess_at: manifest.guess?.default ?? 0 };
    manifest.controls.forEach((control, place) => { this.state[`p${place}`] = control.default; });
    this.listeners = new Map();
    this.parts = new Map();
  }
  get(name) { return this.state[name]; }
  set(name, value) {
    if (this.state[name] === value) return;
    this.state[name] = value;
    this.emit(`change:${name}`);
  }
  on(name, callback) { this.listeners.set(name, [...(this.listeners.get(name) ?? []), callback]); }
  off(name, callback) { this.listeners.set(name, (this.listeners.get(name) ?? []).filter((kept) => kept !== callback)); }
  emit(name, ...values) { for (const callback of this.listeners.get(name) ?? []) callback(...values); }
  async send(message) {
    if (message.kind !== "ask") return;
    const { id, epoch, ratio } = message;
    const answer = { kind: "frames", id, epoch, ratio };
    const pictures = [];
    const { base } = this.manifest;
    const under = await this.part(base).catch(() => null);
    if (under && message.base !== base) { answer.base = base; pictures.push(under); }
    answer.frames = await Promise.all(message.keys.map(async (key) => {
      const found = this.manifest.frames[key.join(",")];
      if (!found) return { key, error: this.manifest.texts.outside };
      try {
        if (!under) throw new Error(base);
        const part = await this.part(found.file);
        return { key, caption: found.caption, over: base, packed: part.subarray(found.from, found.from + found.size) };
      } catch { return { key, error: this.manifest.texts.failed, passing: true }; }
    }));
    for (const told of answer.frames) if (told.packed) { pictures.push(told.packed); delete told.packed; }
    this.emit("msg:custom", answer, pictures);
  }
  /** The bytes of a file, fetched once. */
  part(name) {
    if (!this.parts.has(name)) {
      const coming = this.fetched(name);
      coming.catch(() => this.parts.delete(name)); // to be tried again: view.js asks at the next move
      this.parts.set(name, coming);
    }
    return this.parts.get(name);
  }
  async fetched(name) {
    const answer = await fetch(new URL(name, this.base));
    if (!answer.ok) throw new Error(String(answer.status));
    return new Uint8Array(await answer.arrayBuffer());
  }
}

const STYLE = `
.bloque-explorer.bloque-static { display: flex; flex-direction: column; }
.bloque-static .bloque-controls { order: 1; display: grid; gap: 4px 28px; margin: 4px 0 8px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); }
.bloque-static .bloque-control { display: flex; align-items: center; gap: 8px; min-width: 0; font-size: 14px; }
.bloque-static .bloque-control > label { flex: 0 1 auto; min-width: min(9em, 40%); max-width: 55%; }
.bloque-static .bloque-control input[type=range] { flex: 1 1 auto; min-width: 80px; accent-color: #0072B2; }
.bloque-static .bloque-control output { min-width: 5.2em; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bloque-static .bloque-control select { min-width: 0; max-width: 100%; font: inherit; font-size: 14px; }
.bloque-static .bloque-control .bloque-free { overflow-wrap: anywhere; }
.bloque-static .bloque-hint { opacity: .75; font-size: 12.5px; }
`;

let made = 0;

function control(model, spec, place) {
  const row = document.createElement("div");
  row.className = `bloque-control bloque-at-${place}`;
  const label = document.createElement("label");
  const id = `bloque-control-${++made}`;
  label.htmlFor = id;
  label.textContent = spec.label;
  const name = `p${place}`;
  let input;
  let update;
  if (spec.kind === "switch") {
    input = Object.assign(document.createElement("input"), { type: "checkbox" });
    input.addEventListener("change", () => model.set(name, Number(input.checked)));
    update = () => { input.checked = Boolean(Number(model.get(name))); };
    row.append(input, label);
  } else if (spec.kind === "choice") {
    input = document.createElement("select");
    spec.readouts.forEach((readout, index) => input.append(new Option(readout, index)));
    input.addEventListener("change", () => model.set(name, Number(input.value)));
    update = () => { input.value = String(model.get(name)); };
    row.append(label, input);
  } else {
    input = Object.assign(document.createElement("input"), { type: "range", min: 0, max: spec.count - 1, step: 1 });
    const output = document.createElement("output");
    input.addEventListener("input", () => model.set(name, Number(input.value)));
    update = () => {
      const readout = spec.readouts[model.get(name)];
      input.value = String(model.get(name));
      output.textContent = readout;
      input.setAttribute("aria-valuetext", readout);
    };
    row.append(label, input, output);
  }
  input.id = id;
  model.on(`change:${name}`, update);
  const lock = () => { input.disabled = model.get("locked") || spec.count < 2; };
  model.on("change:locked", lock);
  update();
  lock();
  return row;
}

/** Put the explorer of a manifest in place of what `target` holds (its stored picture and caption). */
export async function mount(target, address) {
  if (typeof DecompressionStream !== "function") return null; // an old browser: the stored picture stays
  const base = new URL(address, document.baseURI);
  const answer = await fetch(base);
  if (!answer.ok) return null; // the stored picture stays
  const manifest = await answer.json();
  const model = new StaticModel(manifest, base);
  const box = document.createElement("div");
  box.className = "bloque-explorer bloque-static";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", manifest.title);
  const el = document.createElement("div");
  const controls = document.createElement("div");
  controls.className = "bloque-controls";
  controls.style.maxWidth = `${manifest.width}px`;
  controls.append(...manifest.controls.map((spec, place) => control(model, spec, place)));
  for (const free of manifest.free) {
    const row = document.createElement("div");
    row.className = "bloque-control";
    const words = document.createElement("span");
    words.className = "bloque-free";
    words.textContent = `${free.label}: ${free.value}`;
    const hint = document.createElement("span");
    hint.className = "bloque-hint";
    hint.textContent = manifest.texts.free;
    row.append(words, hint);
    controls.append(row);
  }
  const css = document.createElement("style");
  css.textContent = STYLE;
  box.append(css, el, controls);
  const close = view.render({ model, el });
  target.replaceChildren(box);
  return { model, close };
}
