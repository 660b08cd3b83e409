"""JupyterLite: the whole course in the browser, with a kernel of its own and no network.

One application per language of the interface, because that language is a setting of JupyterLite's
site and not of a page. Both start the same kernel, from a folder that stands once beside them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

LOCALES = {"es": "es_ES", "en": "en"}

# Strings of JupyterLab's menus that the Spanish pack lacks.
MENU_TITLES = {"es": {"menu\u0004Run": ["Ejecutar"], "menu\u0004Kernel": ["Núcleo"], "menu\u0004Tabs": ["Pestañas"]}}

# Seen from the folder of a page (lab/, notebooks/) of one application.
KERNEL_ADDRESS = "../../kernel/pyodide.mjs"

KERNEL_PACKAGES = ["micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython",
                   "ipywidgets", "anywidget", "numpy", "matplotlib", "bloque"]  # fmt: skip


def configure(source: Path, language: str, title: str) -> None:
    """Write the settings JupyterLite reads from ``source``."""
    settings = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": title,
            "defaultKernelName": "python",
            "enableMemoryStorage": False,
            "exposeAppInBrowser": True,
            "faviconUrl": "./lab/favicon.ico",
            "litePluginSettings": {
                "@jupyterlite/pyodide-kernel-extension:kernel": {
                    "pyodideUrl": KERNEL_ADDRESS,
                    "disablePyPIFallback": True,
                    "loadPyodideOptions": {"packages": KERNEL_PACKAGES},
                }
            },
        },
    }
    overrides = {
        "@jupyterlab/translation-extension:plugin": {"locale": LOCALES.get(language, language)},
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    }
    build = {
        "LiteBuildConfig": {
            "contents": ["content"],
            "output_dir": "built",
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
            "apps": ["lab", "notebooks", "tree"],
        }
    }
    for name, content in {"jupyter-lite.json": settings, "overrides.json": overrides, "jupyter_lite_config.json": build}.items():
        (source / name).write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")


def build(*, repository: Path, work: Path, out: Path, language: str, title: str) -> None:
    """Build JupyterLite for one language of the interface into ``out``.

    The notebooks of every language are in it, so that twin links work; ``out`` stands beside the
    kernel's folder (KERNEL_ADDRESS).
    """
    source = work / f"lite-{language}"
    shutil.rmtree(source, ignore_errors=True)
    content = source / "content"
    content.mkdir(parents=True)
    for lesson_language in sorted(p.name for p in (repository / "notebooks").iterdir() if p.is_dir()):
        shutil.copytree(repository / "notebooks" / lesson_language, content / lesson_language,
                        ignore=shutil.ignore_patterns("*.py", ".ipynb_checkpoints"))  # fmt: skip
    for notebook in content.glob("*/*.ipynb"):  # the kernel by its own name, or the reader is asked to choose one
        cells = json.loads(notebook.read_text(encoding="utf-8"))
        cells["metadata"]["kernelspec"] = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
        notebook.write_text(json.dumps(cells, ensure_ascii=False, indent=1), encoding="utf-8")
    shutil.copytree(repository / "data", content / "data")
    configure(source, language, title)
    binaries = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([str(binaries / "jupyter"), "lite", "build"], cwd=source, check=True, env=environment, stdout=subprocess.DEVNULL)
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(source / "built", out)
    complete_menus(out, language)


def complete_menus(out: Path, language: str) -> None:
    """Add the menu titles that the language pack lacks."""
    table = out / "api" / "translations" / f"{LOCALES.get(language, language)}.json"
    if language not in MENU_TITLES or not table.is_file():
        return
    translations = json.loads(table.read_text(encoding="utf-8"))
    translations["data"]["jupyterlab"].update(MENU_TITLES[language])
    table.write_text(json.dumps(translations, ensure_ascii=False), encoding="utf-8")
