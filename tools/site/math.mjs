// node math.mjs KATEX_DIR < formulas.json > html.json: every formula of the course, set once at build time,
// so that a page needs neither a network nor JavaScript to show it.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const katex = (await import(pathToFileURL(path.join(path.resolve(process.argv[2]), "dist", "katex.mjs")))).default;
const formulas = JSON.parse(fs.readFileSync(0, "utf8"));
const set = formulas.map(({ tex, display }) =>
  katex.renderToString(tex, { displayMode: display, output: "htmlAndMathml", strict: "error", throwOnError: true }),
);
process.stdout.write(JSON.stringify(set));
