// node compile.mjs IN OUT: byte-compile every wheel with the interpreter that will import it.
// Sources stay beside the course's own modules, so that a learner may read them; elsewhere only
// the compiled form is kept, which loads a third faster and downloads no slower.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [source, target] = process.argv.slice(2).map((p) => path.resolve(p));
fs.mkdirSync(target, { recursive: true });
const { loadPyodide } = await import(pathToFileURL(path.join(source, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: source + "/" });
python.runPython(`
import importlib._bootstrap_external as external, importlib.util, io, sys, zipfile

SITE = f"/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/"
DATE = (2020, 1, 1, 0, 0, 0)

def compiled(content, keep_sources):
    inside = zipfile.ZipFile(io.BytesIO(bytes(content)))
    buffer = io.BytesIO()
    outside = zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    def write(name, data):
        outside.writestr(zipfile.ZipInfo(name, DATE), data, zipfile.ZIP_DEFLATED)
    for name in inside.namelist():
        data = inside.read(name)
        top = name.split("/")[0]
        if not name.endswith(".py") or top.endswith(".data") or "/tests/" in name:
            write(name, data)
            continue
        try:
            code = compile(data, SITE + name, "exec", dont_inherit=True, optimize=0)
        except SyntaxError:  # a template or a file for another Python
            write(name, data)
            continue
        bytecode = external._code_to_hash_pyc(code, importlib.util.source_hash(data), checked=False)
        if keep_sources:
            folder, _, file = name.rpartition("/")
            write(name, data)
            write(f"{folder}/__pycache__/{file[:-3]}.{sys.implementation.cache_tag}.pyc", bytes(bytecode))
        else:
            write(name + "c", bytes(bytecode))
    outside.close()
    return buffer.getvalue()
`);
const compiled = python.globals.get("compiled");
const lock = JSON.parse(fs.readFileSync(path.join(source, "pyodide-lock.json"), "utf8"));
for (const file of fs.readdirSync(source)) {
  if (!file.endsWith(".whl") && file !== "pyodide-lock.json") fs.copyFileSync(path.join(source, file), path.join(target, file));
}
for (const entry of Object.values(lock.packages)) {
  const result = compiled(new Uint8Array(fs.readFileSync(path.join(source, entry.file_name))), entry.name === "bloque");
  const wheel = Buffer.from(result.toJs());
  result.destroy();
  fs.writeFileSync(path.join(target, entry.file_name), wheel);
  entry.sha256 = crypto.createHash("sha256").update(wheel).digest("hex");
}
fs.writeFileSync(path.join(target, "pyodide-lock.json"), JSON.stringify(lock));
